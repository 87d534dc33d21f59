// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/rig/rig_console.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/rigproto/simulated_rig.hpp"
#include "host/app/files/paths.hpp"
#include "host/app/rig/simulated_rig.hpp"
#include "host/base/replace_file.hpp"
#include "host/rig/port/rig_log.hpp"
#include "host/rig/serial/find_board.hpp"
#include "host/rig/serial/open_line.hpp"
#include "host/store/sqlite/open_rig_log.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

/// The geometry of the simulated rig would damage a real carriage.
Result<void> check_geometry(const RigConsole& console) {
    std::error_code unknown;
    const RigKind kind = rig_kind_of(console.how);
    const bool file = kind == RigKind::file || !console.config.empty();
    const bool pty = fs::weakly_canonical(console.how, unknown).string().starts_with("/dev/pts/");
    if (file || pty || kind == RigKind::simulated) return {};
    return fail(
        Errc::bad_request,
        "a real rig needs its own dimensions: add --config RIG.json (its schema is docs/schemas/rig.schema.json)");
}

/// Runs the coroutine on a new event loop; calls the second argument for each signal.
Result<void> run(const std::function<asio::awaitable<Result<void>>(asio::io_context&)>& work,
                 const std::function<void(asio::io_context&)>& heard) {
    asio::io_context io(1);
    asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
    signals.async_wait([&](boost::system::error_code stopped, int) {
        if (!stopped) heard(io);
    });
    Result<void> outcome = fail(Errc::cancelled, "interrupted before the rig did anything");
    asio::co_spawn(io, work(io), [&](const std::exception_ptr& broken, Result<void> done) {
        if (broken) std::rethrow_exception(broken);
        outcome = std::move(done);
        signals.cancel();
        io.stop();
    });
    io.run();
    return outcome;
}

/// Runs `work` with an open board that keeps a ledger. For each signal calls the last argument, with null before the
/// board is open.
Result<void> run_with_ledger(const RigConsole& console, const rig::RigConfig& config, const BoardWork& work,
                             const std::function<void(asio::io_context&, rig::SerialBoard*)>& heard) {
    if (auto known = check_geometry(console); !known) return known;
    if (auto made = make_folder_of(console.store); !made) return made;
    auto opened_log = store::open_rig_log(console.store);
    if (!opened_log) return fail(opened_log.error());
    std::unique_ptr<rig::SerialBoard> board;
    const auto act = [&](asio::io_context& io) -> asio::awaitable<Result<void>> {
        const auto log = std::make_shared<rig::AsyncRigLog>(std::move(*opened_log), io.get_executor());
        auto opened = co_await rig::SerialBoard::open(io.get_executor(), settings_of(config), log);
        if (!opened) co_return fail(opened.error());
        board = std::move(*opened);
        auto worked = co_await work(*board, *log);
        // The connection to the board uses the event loop, which ends with this coroutine.
        board.reset();
        co_return worked;
    };
    return run(act, [&](asio::io_context& io) { heard(io, board.get()); });
}

/// Size of the simulated rig that `mediarig rig sim` has started.
struct SimulatedSize {
    unsigned pockets{}, ports{};
};

fs::path size_file() {
    return simulated_line() += ".size";
}

/// Refuses a folder that all users can write: another user could have created it to impersonate the simulated rig.
Result<void> check_own_folder(const fs::path& folder) {
    struct stat status {};
    constexpr mode_t others_write = S_IWGRP | S_IWOTH;
    if (::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::getuid() &&
        (status.st_mode & others_write) == 0)
        return {};
    return fail(Errc::refused,
                fmt::format("{} is not a folder that only this user can write: set XDG_RUNTIME_DIR to a private folder",
                            folder.string()));
}

Result<void> write_size(SimulatedSize size) {
    return replace_own_file(size_file(), fmt::format("{} {}\n", size.pockets, size.ports));
}

std::optional<SimulatedSize> read_size() {
    std::ifstream file(size_file());
    SimulatedSize size;
    if (!(file >> size.pockets >> size.ports) || size.pockets > rigproto::max_pockets || size.ports < 1 ||
        size.ports > rigproto::port_count)
        return std::nullopt;
    return size;
}

} // namespace

fs::path simulated_line() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR"); // NOLINT(concurrency-mt-unsafe): before any thread exists
    if (runtime != nullptr && *runtime != '\0') return fs::path(runtime) / "mediarig" / "rig-sim";
    std::error_code unknown;
    const fs::path usual = fs::temp_directory_path(unknown);
    return (unknown ? fs::path("/tmp") : usual) / fmt::format("mediarig-{}", ::getuid()) / "rig-sim";
}

Result<rig::RigConfig> rig_config_for(const RigConsole& console) {
    const RigKind kind = rig_kind_of(console.how);
    const bool file = kind == RigKind::file;
    if (file && !console.config.empty())
        return fail(Errc::bad_request, "--rig and --config both name a rig file: give one of them");
    rig::RigConfig config = rig::default_rig();
    if (file || !console.config.empty()) {
        auto read = rig::read_rig(file ? fs::path(console.how) : console.config);
        if (!read) return read;
        config = std::move(*read);
    }
    if (file || kind == RigKind::detected) return config;
    config.path = console.how;
    if (kind != RigKind::simulated) {
        if (auto line = check_line(console.how, rig_words_by_hand); !line) return fail(std::move(line.error()));
        return config;
    }
    config.path = simulated_line().string();
    std::error_code unknown;
    if (!fs::exists(config.path, unknown))
        return fail(Errc::rig_fault, "no simulated rig runs: start one in another terminal with mediarig rig sim");
    if (auto own = check_own_folder(fs::path(config.path).parent_path()); !own) return fail(std::move(own.error()));
    if (const auto size = read_size(); size && console.config.empty())
        config.board =
            rigproto::simulated_rig(static_cast<std::uint8_t>(size->pockets), static_cast<std::uint8_t>(size->ports));
    return config;
}

Result<void> with_board(const RigConsole& console, const rig::RigConfig& config, const BoardWork& work) {
    bool interrupted = false;
    const auto with_reason = [&](rig::SerialBoard& board, rig::AsyncRigLog& log) -> asio::awaitable<Result<void>> {
        board.because(console.why);
        co_return co_await work(board, log);
    };
    auto outcome = run_with_ledger(console, config, with_reason, [&](asio::io_context& io, rig::SerialBoard* board) {
        if (board == nullptr) return io.stop();
        interrupted = true;
        asio::co_spawn(io, board->stop(), [](const std::exception_ptr&, const Result<void>&) {});
    });
    if (interrupted)
        return fail(Errc::cancelled, "interrupted: the rig was stopped where it was; see mediarig rig status");
    return outcome;
}

Result<void> watch_board(const RigConsole& console, const rig::RigConfig& config, const BoardReader& first,
                         std::function<void(const rig::LoggedEvent&)> listener) {
    bool interrupted = false;
    const auto watch = [&](rig::SerialBoard& board, rig::AsyncRigLog&) -> asio::awaitable<Result<void>> {
        Result<void> lost = co_await first(board);
        board.on_event(listener);
        while (!interrupted && lost) {
            const auto status = co_await board.status();
            if (!status) lost = fail(status.error());
            asio::steady_timer pause(co_await asio::this_coro::executor, std::chrono::milliseconds(200));
            (void)co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        co_return lost;
    };
    auto outcome = run_with_ledger(console, config, watch, [&](asio::io_context& io, rig::SerialBoard* board) {
        interrupted = true;
        board == nullptr ? io.stop() : board->close();
    });
    return interrupted ? Result<void>{} : outcome;
}

Result<void> inspect_board(const rig::RigConfig& config, const BoardReader& work) {
    std::unique_ptr<rig::SerialBoard> board;
    const auto act = [&](asio::io_context& io) -> asio::awaitable<Result<void>> {
        auto opened = co_await rig::SerialBoard::open_read_only(io.get_executor(), settings_of(config));
        if (!opened) co_return fail(opened.error());
        board = std::move(*opened);
        auto looked = co_await work(*board);
        board.reset();
        co_return looked;
    };
    return run(act, [&](asio::io_context& io) { board == nullptr ? io.stop() : board->close(); });
}

Result<bool> stop_board(const rig::RigConfig& config) {
    const BoardReader halt = [](rig::SerialBoard& board) { return board.stop(); };
    constexpr int looks = 30; // three seconds: an interrupted command ends with its job
    bool told = false;
    for (int look = 0; look < looks; ++look) {
        const auto line = config.path.empty() ? rig::line_of_board(config.board_serial) : config.path;
        if (!line) return fail(line.error());
        const auto past = rig::stop_through_holder(*line);
        if (!past) return fail(past.error());
        if (!*past) {
            const auto stopped = inspect_board(config, halt);
            if (stopped) return true;
            if (!told) return fail(stopped.error());
        }
        told = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

asio::awaitable<Result<void>> expect_empty(rig::Pocket pocket, const rig::SerialBoard& board, rig::AsyncRigLog& log) {
    const auto jobs = co_await log.latest(rig::jobs_that_tell);
    if (!jobs) co_return fail(jobs.error());
    if (rig::unloaded_by_rig(*jobs, board.hello().status.last_job, pocket)) co_return Result<void>{};
    co_return fail(Errc::bad_request,
                   fmt::format("pocket {} may hold a card: according to the ledger the rig has not emptied it; check "
                               "it, then add --pocket-is-empty, or name another place",
                               number_of(pocket)));
}

asio::awaitable<Result<rig::Pocket>> pocket_of_card_in(rig::PortIndex port, rig::AsyncRigLog& log) {
    const auto jobs = co_await log.latest(rig::jobs_that_tell);
    if (!jobs) co_return fail(jobs.error());
    for (const rig::LoggedJob& job : *jobs) {
        if (job.state == rig::LoggedJob::State::refused) continue;
        const auto* unload = std::get_if<rig::Unload>(&job.intent.what);
        if (unload != nullptr && unload->from == port) break;
        const auto* load = std::get_if<rig::Load>(&job.intent.what);
        if (load == nullptr || load->into != port) continue;
        if (job.state == rig::LoggedJob::State::done) co_return load->from;
        break;
    }
    co_return fail(Errc::bad_request,
                   fmt::format("the ledger has no origin of the card in reader {}: use --to pocket N or --to bin NAME",
                               number_of(port)));
}

Error exec_simulated_rig(const SimulationOptions& options) {
    const auto program = find_rig_simulator();
    if (!program) return program.error();
    std::error_code error;
    const fs::path line = simulated_line();
    if (fs::exists(line, error))
        return {Errc::rig_fault,
                fmt::format("a simulated rig already runs at {0}: end it first (or remove {0} if none runs)",
                            line.string())};
    fs::create_directories(line.parent_path(), error);
    if (error)
        return {Errc::io_failed, fmt::format("{} cannot be made: {}", line.parent_path().string(), error.message())};
    if (auto own = check_own_folder(line.parent_path()); !own) return std::move(own.error());
    if (auto written = write_size({options.pockets, options.ports}); !written) return std::move(written.error());
    std::vector<std::string> words{
        program->string(),
        "--link",
        line.string(),
        "--greeting",
        fmt::format("the simulated rig is at {}; use it with --rig sim, end it with Ctrl-C", line.string()),
        "--pockets",
        std::to_string(options.pockets),
        "--ports",
        std::to_string(options.ports)};
    if (!options.script.empty()) words.insert(words.end(), {"--script", options.script.string()});
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments.front(), arguments.data());
    return {Errc::no_driver, fmt::format("{} cannot be started: {}", program->string(), std::strerror(errno))};
}

} // namespace mediarig::app
