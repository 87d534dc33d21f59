// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/lab/resident_lab.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "common/fnv1a.hpp"
#include "host/app/files/paths.hpp"
#include "host/base/descriptor.hpp"
#include "host/lab/card/card_server.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/machine/preflight.hpp"
#include "host/lab/resident/lab_server.hpp"
#include "host/lab/resident/request.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using nlohmann::json;

std::vector<lab::LabSlot> usual_slots() {
    using enum SlotKind;
    std::vector<lab::LabSlot> slots;
    for (const SlotKind kind : {usb, usb, usb, uas, reader, reader, sd, sd, hub, nvme})
        slots.push_back({SlotId{static_cast<std::uint8_t>(slots.size() + 1)}, kind});
    return slots;
}

constexpr std::string_view media_in_users_folder = "mediarig-lab-media";

/// The folder with the contents of the cards. It is removed with the lab unless the user named it.
class MediaFolder {
public:
    static Result<MediaFolder> make(const ResidentOptions& options) {
        const bool ours = options.media.empty();
        // Labs of several folders may run at the same time.
        const std::string name = fmt::format("{}-{:016x}", options.place.folder.filename().string(),
                                             fnv1a<std::uint64_t>(options.place.folder.native()));
        MediaFolder folder(ours ? lab_media_folder(default_store(), name) : options.media / media_in_users_folder,
                           ours);
        if (ours)
            if (auto removed = remove_lab_media(folder.path_); !removed) return fail(removed.error());
        auto made = ours ? make_lab_media(folder.path_) : make_lab_media_in(options.media, folder.path_);
        if (!made) return fail(made.error());
        return folder;
    }
    MediaFolder(MediaFolder&& other) noexcept
        : path_(std::move(other.path_)), ours_(std::exchange(other.ours_, false)) {}
    MediaFolder& operator=(MediaFolder&&) = delete;
    MediaFolder(const MediaFolder&) = delete;
    MediaFolder& operator=(const MediaFolder&) = delete;
    ~MediaFolder() {
        if (ours_) (void)remove_lab_media(path_);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    MediaFolder(fs::path path, bool ours) : path_(std::move(path)), ours_(ours) {}
    fs::path path_;
    bool ours_;
};

json facts_of(const lab::MachineReport& report, const fs::path& media) {
    return {{"mediarig_lab", 1},
            {"process", ::getpid()},
            {"boot_ms", report.boot.count()},
            {"accelerator", lab::name_of(report.accelerator)},
            {"qemu", report.version},
            {"media", media.string()}};
}

/// One run of a lab from boot to end.
class ResidentRun {
public:
    ResidentRun(const asio::any_io_executor& executor, const ResidentOptions& options, lab::CardPrograms programs,
                fs::path media)
        : executor_(executor),
          options_(options),
          programs_(std::move(programs)),
          media_(std::move(media)),
          machine_(lab::make_qemu_machine(executor)) {}

    asio::awaitable<void> listen_for_signals(asio::signal_set& signals) {
        while (true) {
            const auto [error, number] = co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
            if (error) co_return;
            signalled_ = true;
            if (server_)
                server_->end();
            else
                (void)co_await machine_->stop();
        }
    }

    asio::awaitable<Result<void>> live(lab::MachineSpec spec, const LabReadyCallback& ready) {
        const std::vector<lab::LabSlot> slots = spec.slots;
        auto booted = co_await machine_->start(std::move(spec));
        if (!booted && signalled_) co_return fail(Errc::cancelled, "a signal ended the lab before it was ready");
        if (!booted) co_return fail(std::move(booted.error()));
        lab_.emplace(*machine_, programs_, slots, options_.place.folder, media_);
        json facts = facts_of(*booted, media_);
        facts["slots"] = lab_->slots();
        server_.emplace(executor_, *lab_, facts, options_.idle);
        auto listening = server_->listen(options_.place.control());
        // The starting process is gone, or a signal has asked the lab to end.
        if (!listening || signalled_ || !ready(facts)) server_->end();
        auto served = co_await server_->serve();
        if (!listening) co_return listening;
        co_return served;
    }

private:
    asio::any_io_executor executor_;
    const ResidentOptions& options_;
    lab::CardPrograms programs_;
    fs::path media_;
    std::unique_ptr<lab::VirtualMachine> machine_;
    std::optional<lab::ResidentLab> lab_;
    std::optional<lab::LabServer> server_;
    bool signalled_{false};
};

} // namespace

Result<void> run_resident_lab(const ResidentOptions& options, const LabReadyCallback& ready) {
    // A lab that cannot start neither creates nor removes files.
    auto programs = lab::find_card_programs();
    if (!programs) return fail(programs.error());
    const auto image = lab::find_guest_image(options.image);
    if (!image) return fail(image.error());
    const auto place_lock = lab::LabLock::begin(options.place);
    if (!place_lock) return fail(place_lock.error());
    const auto media = MediaFolder::make(options);
    if (!media) return fail(media.error());

    asio::io_context io(1);
    asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
    ResidentRun residence(io.get_executor(), options, std::move(*programs), media->path());
    Result<void> outcome = fail(Errc::rig_fault, "the lab was never started");
    asio::co_spawn(io, residence.listen_for_signals(signals), asio::detached);
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            lab::MachineSpec spec{.image = {.kernel = image->kernel, .initrd = image->initrd},
                                  .slots = options.slots.empty() ? usual_slots() : options.slots,
                                  .qemu = lab::wanted_qemu()};
            outcome = co_await residence.live(std::move(spec), ready);
            signals.cancel();
            // A connected client must not keep the process alive.
            io.stop();
        },
        [](const std::exception_ptr& broken) {
            if (broken) std::rethrow_exception(broken);
        });
    io.run();
    return outcome;
}

namespace {

/// During its lifetime, signals that would end the process are read as data.
class BlockedSignals {
public:
    BlockedSignals() {
        ::sigemptyset(&held_);
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held_, number);
        ::sigprocmask(SIG_BLOCK, &held_, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    [[nodiscard]] int open() const { return ::signalfd(-1, &held_, SFD_CLOEXEC | SFD_NONBLOCK); }

private:
    sigset_t held_{}, before_{};
};

/// Returns 0 or the error number.
int spawn_alone(const std::vector<std::string>& words, int answer, pid_t& child) {
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    for (const int standard : {0, 1, 2}) ::posix_spawn_file_actions_addopen(&files, standard, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&files, answer, answer_descriptor);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str())); // NOLINT: exec's signature
    argv.push_back(nullptr);
    const int failed = ::posix_spawn(&child, "/proc/self/exe", &files, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    return failed;
}

} // namespace

Result<nlohmann::json> start_in_background(const std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    // The child's end must have a number above answer_descriptor: otherwise dup2() would not copy it, and exec would
    // close it.
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const Descriptor answers(ends[0]);
    Descriptor low_end(ends[1]);
    Descriptor childs_end(::fcntl(low_end.get(), F_DUPFD_CLOEXEC, answer_descriptor + 1));
    low_end.close();
    const BlockedSignals held;
    const Descriptor signals(held.open());
    pid_t child{};
    if (const int failed = spawn_alone(words, childs_end.get(), child); failed != 0)
        return fail(Errc::io_failed, fmt::format("cannot start the lab's process: {}", std::strerror(failed)));
    childs_end.close();

    std::string said;
    bool ended = false;
    bool signalled = false;
    while (!ended && said.find('\n') == std::string::npos) {
        std::array<pollfd, 2> waiting{{{answers.get(), POLLIN, 0}, {signals.get(), POLLIN, 0}}};
        if (::poll(waiting.data(), signalled ? 1 : 2, -1) < 0 && errno != EINTR) break;
        if (!signalled && waiting[1].revents != 0) {
            signalled = true;
            ::kill(child, SIGTERM);
        }
        if (waiting[0].revents == 0) continue;
        std::array<char, 4096> buffer{};
        const ssize_t count = ::read(answers.get(), buffer.data(), buffer.size());
        ended = count <= 0;
        if (count > 0) said.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (said.empty())
        return fail(Errc::rig_fault,
                    "the lab's process ended without a message: start it with --foreground to see why");
    return lab::parse_lab_answer(said);
}

} // namespace mediarig::app
