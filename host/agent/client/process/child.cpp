// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/client/process/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "host/base/process/exiting.hpp"

namespace mediarig::agent {
namespace {

/// Closes the descriptor at the end of the scope.
struct Descriptor {
    int fd{-1};
    explicit Descriptor(int opened) : fd(opened) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
    int release() { return std::exchange(fd, -1); }
};

/// This program may block or ignore signals; the child starts with defaults, as from a shell.
int spawn_with_clean_signals(pid_t& pid, const std::vector<std::string>& argv, int socket, int errors) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) sigaddset(&usual, number);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const int failure = ::posix_spawnp(&pid, words.front(), &files, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

Error cannot_start(const std::string& program, int cause) {
    const Errc code = cause == ENOENT ? Errc::bad_request : cause == EACCES ? Errc::no_permission : Errc::io_failed;
    return {code, "cannot start the agent " + program + ": " + std::strerror(cause)};
}

} // namespace

Result<std::pair<Child, Child::ChildStreams>> Child::spawn(const std::vector<std::string>& argv) {
    if (argv.empty()) return fail(Errc::bad_request, "cannot start the agent: the command is empty");
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
        return fail(cannot_start(argv.front(), errno));
    Descriptor ours(sockets[0]);
    const Descriptor theirs(sockets[1]);
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return fail(cannot_start(argv.front(), errno));
    Descriptor errors(pipe[0]);
    const Descriptor their_errors(pipe[1]);

    pid_t pid{};
    if (const int failure = spawn_with_clean_signals(pid, argv, theirs.fd, their_errors.fd); failure != 0)
        return fail(cannot_start(argv.front(), failure));
    return std::pair(Child(pid), ChildStreams{ours.release(), errors.release()});
}

std::optional<ChildEnd> Child::poll() {
    if (end_) return end_;
    int status{};
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    if (WIFEXITED(status)) {
        const int code = WEXITSTATUS(status);
        end_ = ChildEnd{code == 0, "exit status " + std::to_string(code), code};
    } else {
        const int number = WTERMSIG(status);
        end_ = ChildEnd{false, "signal " + std::to_string(number) + " (" + ::strsignal(number) + ")"};
    }
    return end_;
}

namespace {

/// First line of a file of /proc; empty if the file cannot be read.
std::string line_of(const std::string& file) {
    std::ifstream in("/proc/" + file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// Returns the number of the agent's process. If `process` is sudo, which forwards the connection and waits for the
/// agent, this is the process below it; otherwise it is `process` itself.
pid_t agent_from(pid_t process) {
    constexpr int deepest = 4;
    pid_t at = process;
    for (int depth = 0; depth < deepest && at > 0; ++depth) {
        const std::string number = std::to_string(at);
        if (line_of(number + "/comm").starts_with("mediarig-agent")) return at;
        at = static_cast<pid_t>(std::atoi(line_of(number + "/task/" + number + "/children").c_str()));
    }
    return process;
}

} // namespace

bool Child::is_exiting() const {
    const Descriptor proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
    return !end_ && proc.fd >= 0 && process::is_exiting(proc.fd, agent_from(pid_));
}

bool Child::signal(int number) {
    return end_ || ::kill(pid_, number) == 0;
}

bool Child::kill_after(std::chrono::milliseconds grace) {
    if (end_) return true;
    // A pidfd always refers to this process, but the process number may be reused.
    const Descriptor child(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (child.fd < 0) return false;
    const pid_t first = ::fork();
    if (first == 0) {
        // Other threads may hold any lock after fork(): use only system calls from here on.
        if (::setsid() < 0 || ::fork() != 0) ::_exit(0);
        // Close the other descriptors: readers of our output must not wait for this process.
        ::dup2(child.fd, 0);
        ::syscall(SYS_close_range, 1U, ~0U, 0U);
        pollfd ended{.fd = 0, .events = POLLIN, .revents = 0};
        if (::poll(&ended, 1, static_cast<int>(grace.count())) == 0)
            ::syscall(SYS_pidfd_send_signal, 0, SIGKILL, nullptr, 0U);
        ::_exit(0);
    }
    return first > 0 && ::waitpid(first, nullptr, 0) == first;
}

} // namespace mediarig::agent
