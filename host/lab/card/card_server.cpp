// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/card_server.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/base/async/ask_line.hpp"
#include "host/base/local_socket.hpp"
#include "host/base/process/own_part.hpp"
#include "host/base/process/run_process.hpp"
#include "host/lab/card/nbdkit_process.hpp"

namespace mediarig::lab {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Socket = asio::local::stream_protocol::socket;

constexpr auto start_patience = 30s;
constexpr auto answer_patience = 30s; ///< a command waits for the request in progress, not for its pacing delay
constexpr auto end_patience = 10s;
constexpr std::size_t longest_answer = 65536; ///< bytes
// A server begins with two magic numbers and its flags. A client that only checks these bytes answers with flags, a
// magic number and NBD_OPT_ABORT, without data. Source: NBD protocol, "Fixed newstyle negotiation".
constexpr std::string_view greeting = "NBDMAGICIHAVEOPT";
constexpr std::size_t greeting_size = greeting.size() + 2;
constexpr std::string_view farewell("\0\0\0\1IHAVEOPT\0\0\0\2\0\0\0\0", 20);

/// A socket that closes after a timeout; pending operations then end with an error.
struct Line {
    Line(const asio::any_io_executor& executor, std::chrono::milliseconds patience)
        : socket(std::make_shared<Socket>(executor)), timer(executor, patience) {
        timer.async_wait([weak = std::weak_ptr(socket)](const boost::system::error_code& stopped) {
            boost::system::error_code ignored;
            if (const auto open = weak.lock(); open && !stopped) open->close(ignored);
        });
    }
    [[nodiscard]] bool timed_out() const { return !socket->is_open(); }

    std::shared_ptr<Socket> socket;
    asio::steady_timer timer;
};

asio::awaitable<bool> greets(const asio::any_io_executor& executor, const fs::path& path) {
    Line line(executor, start_patience);
    const auto [refused] =
        co_await line.socket->async_connect(asio::local::stream_protocol::endpoint(path.string()), as_values);
    if (refused || !peer_of(line.socket->native_handle()).is_trusted) co_return false;
    std::array<char, greeting_size> said{};
    const auto [broken, count] = co_await asio::async_read(*line.socket, asio::buffer(said), as_values);
    if (broken || !std::string_view(said.data(), count).starts_with(greeting)) co_return false;
    // Send NBD_OPT_ABORT: the server would log an error for a connection that closes without it.
    [[maybe_unused]] const auto [unsent, sent] =
        co_await asio::async_write(*line.socket, asio::buffer(farewell), as_values);
    std::array<char, 64> rest{};
    for (bool open = true; open;) {
        const auto [ended, more] = co_await line.socket->async_read_some(asio::buffer(rest), as_values);
        open = !ended;
    }
    co_return true;
}

Result<void> check_path(const fs::path& path) {
    if (path.native().size() <= CardServer::longest_socket_path) return {};
    return fail(
        Errc::bad_request,
        fmt::format("the socket path {} is {} bytes long, but a Unix socket takes {} at most: use a shorter folder",
                    path.string(), path.native().size(), CardServer::longest_socket_path));
}

std::vector<std::string> arguments_for(const CardPrograms& programs, const CardMedium& medium,
                                       const fs::path& nbd_socket, const fs::path& control_socket) {
    std::vector<std::string> words{"--foreground",
                                   "--exit-with-parent",
                                   "--unix",
                                   nbd_socket.string(),
                                   programs.plugin,
                                   "config=" + medium.config,
                                   "backing=" + medium.backing.string(),
                                   "control=" + control_socket.string(),
                                   fmt::format("time_scale={}", medium.time_scale)};
    const CardOverrides& overrides = medium.overrides;
    if (overrides.claimed) words.push_back(fmt::format("size={}", overrides.claimed->count));
    if (overrides.real) words.push_back(fmt::format("real_size={}", overrides.real->count));
    if (overrides.joins_within) words.push_back(fmt::format("joins_within_ns={}", overrides.joins_within->count()));
    if (overrides.start_value) words.push_back(fmt::format("seed={}", *overrides.start_value));
    return words;
}

} // namespace

Result<CardPrograms> find_card_programs() {
    const auto nbdkit = process::find_program("nbdkit");
    if (!nbdkit)
        return fail(Errc::no_driver, "nbdkit, which serves the lab's media, is missing: install the package nbdkit");
    const auto plugin = process::find_lab_part("mediarig-card.so", "models the lab's media");
    if (!plugin) return fail(plugin.error());
    return CardPrograms{*nbdkit, plugin->string()};
}

asio::awaitable<Result<std::unique_ptr<CardServer>>> CardServer::start(CardPrograms programs, CardMedium medium,
                                                                       fs::path folder) {
    const fs::path nbd_socket = folder / (medium.name + ".nbd");
    const fs::path control_socket = folder / (medium.name + ".ctl");
    for (const fs::path& path : {nbd_socket, control_socket})
        if (auto short_enough = check_path(path); !short_enough) co_return fail(short_enough.error());
    const auto executor = co_await asio::this_coro::executor;
    if (co_await greets(executor, nbd_socket))
        co_return fail(Errc::refused,
                       fmt::format("the medium {} is already served, on {}", medium.name, nbd_socket.string()));
    // Remove the stale socket of a killed server: otherwise the next server could not listen at this path.
    remove_socket(nbd_socket);

    auto process =
        NbdkitProcess::spawn(executor, programs.nbdkit, arguments_for(programs, medium, nbd_socket, control_socket));
    if (!process) co_return fail(process.error());
    std::unique_ptr<CardServer> server(new CardServer(medium.name, nbd_socket, control_socket, std::move(*process)));
    if (auto up = co_await server->wait_until_it_answers(); !up) co_return fail(up.error());
    co_return server;
}

CardServer::CardServer(std::string name, fs::path nbd_socket, fs::path control_socket,
                       std::unique_ptr<NbdkitProcess> process)
    : name_(std::move(name)),
      nbd_socket_(std::move(nbd_socket)),
      control_socket_(std::move(control_socket)),
      process_(std::move(process)) {}

CardServer::~CardServer() {
    if (stopped_) return;
    process_.reset();
    remove_sockets();
}

pid_t CardServer::pid() const {
    return process_->pid();
}

asio::awaitable<Result<void>> CardServer::wait_until_it_answers() {
    asio::steady_timer pause(process_->executor());
    const auto until = std::chrono::steady_clock::now() + start_patience;
    while (!co_await greets(process_->executor(), nbd_socket_)) {
        if (!process_->running()) {
            const std::string words = co_await process_->exit_reason();
            // nbdkit checks the description of the medium before it listens, so its output at this point concerns the
            // description.
            co_return fail(Errc::bad_request,
                           fmt::format("the medium {} cannot be served: nbdkit ended with {}", name_, words));
        }
        if (std::chrono::steady_clock::now() >= until)
            co_return fail(
                Errc::timed_out,
                fmt::format("the medium {} is not served after {} s: reduce the load of this machine, then try again",
                            name_, start_patience.count()));
        pause.expires_after(10ms);
        co_await pause.async_wait(as_values);
    }
    const auto answer = co_await ask(ReadStats{});
    if (!answer) co_return fail(answer.error());
    co_return Result<void>{};
}

asio::awaitable<Result<CardAnswer>> ask_card(std::string name, fs::path control_socket, CardCommand command) {
    std::string medium = fmt::format("the medium {}", name);
    const auto folder = open_socket_folder(control_socket.parent_path(), "");
    if (!folder) co_return fail(folder.error());
    if (!*folder) co_return fail(Errc::io_failed, medium + " does not answer: its folder is missing");
    auto connected = connect_in((*folder)->get(), control_socket.filename().string(), control_socket.parent_path());
    if (!connected) co_return fail(connected.error());
    if (!*connected) co_return fail(Errc::io_failed, medium + " does not answer: no process listens at its socket");
    auto socket = as_socket(co_await asio::this_coro::executor, std::move(**connected));
    if (!socket) co_return fail(socket.error());
    auto answer = co_await ask_line(*socket, command_line(command) + '\n',
                                    {.bytes = longest_answer, .time = answer_patience}, std::move(medium));
    if (!answer)
        co_return fail(answer.error().code == Errc::timed_out ? Errc::timed_out : Errc::io_failed,
                       answer.error().detail);
    co_return parse_answer(*answer);
}

asio::awaitable<Result<CardAnswer>> CardServer::ask(CardCommand command) {
    return ask_card(name_, control_socket_, std::move(command));
}

asio::awaitable<Result<void>> CardServer::stop() {
    Result<void> result;
    if (std::exchange(stopped_, true)) co_return result;
    process_->signal(SIGTERM);
    const bool ended = co_await process_->wait_for_end(end_patience);
    if (!ended) {
        process_->end_now();
        result =
            fail(Errc::timed_out, fmt::format("the medium {} did not shut down cleanly within {} s and was killed: "
                                              "its write cache is lost",
                                              name_, end_patience.count()));
    } else if (!process_->ended_in_order()) {
        const std::string words = co_await process_->exit_reason();
        result = fail(Errc::io_failed,
                      fmt::format("the medium {} did not shut down cleanly: nbdkit ended with {}", name_, words));
    }
    remove_sockets();
    co_return result;
}

asio::awaitable<Result<std::unique_ptr<EmulatedCard>>> CardServers::start(CardMedium medium) {
    auto server = co_await CardServer::start(programs_, std::move(medium), folder_);
    if (!server) co_return fail(std::move(server.error()));
    co_return std::move(*server);
}

void CardServer::remove_sockets() const {
    remove_socket(nbd_socket_);
    remove_socket(control_socket_);
}

} // namespace mediarig::lab
