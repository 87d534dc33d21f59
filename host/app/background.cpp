// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "host/app/resident_lab.hpp"
#include "host/descriptor.hpp"
#include "host/lab/resident/request.hpp"

namespace mediarig::app {
namespace {

/// Signals that would end us are read as data while this lives.
class HeldSignals {
public:
    HeldSignals() {
        ::sigemptyset(&held_);
        for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&held_, number);
        ::sigprocmask(SIG_BLOCK, &held_, &before_);
    }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;
    ~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    [[nodiscard]] int open() const { return ::signalfd(-1, &held_, SFD_CLOEXEC | SFD_NONBLOCK); }

private:
    sigset_t held_{}, before_{};
};

/// 0, or the error number.
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
    // Above the number that the child sees its end as: the copy would else be no copy, and closed at exec.
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const Descriptor answers(ends[0]);
    Descriptor low_end(ends[1]);
    Descriptor childs_end(::fcntl(low_end.get(), F_DUPFD_CLOEXEC, answer_descriptor + 1));
    low_end.close();
    const HeldSignals held;
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
