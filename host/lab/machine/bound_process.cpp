// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/bound_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mediarig::lab {
namespace {

struct Start {
    const char* path;
    char* const* argv;
    int log;
    int failure; ///< receives the error number if exec fails
    pid_t parent;
    const int* files;
    int count;
};

constexpr int first_file = STDERR_FILENO + 1;
constexpr std::size_t most_files = 16;

/// Between fork and exec only async-signal-safe functions are allowed, since other threads may hold any lock.
[[noreturn]] void become(const Start& start) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    sigset_t none;
    ::sigemptyset(&none);
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) ::signal(number, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before prctl().
    if (::getppid() != start.parent) ::_exit(127);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(start.log, STDOUT_FILENO);
    ::dup2(start.log, STDERR_FILENO);
    // Copies first get numbers above the final ones, so that no copy replaces a file that is still needed.
    const int above = first_file + start.count;
    const int failure = ::fcntl(start.failure, F_DUPFD, above);
    std::array<int, most_files> copies{};
    for (int i = 0; i < start.count; ++i) copies[static_cast<std::size_t>(i)] = ::fcntl(start.files[i], F_DUPFD, above);
    for (int i = 0; i < start.count; ++i) ::dup2(copies[static_cast<std::size_t>(i)], first_file + i);
    ::syscall(SYS_close_range, static_cast<unsigned>(above), ~0U, static_cast<unsigned>(CLOSE_RANGE_CLOEXEC));
    ::execv(start.path, start.argv);
    const int cause = errno;
    [[maybe_unused]] const ssize_t told = ::write(failure, &cause, sizeof cause);
    ::_exit(127);
}

} // namespace

Result<BoundProcess> BoundProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                                         const std::string& log, const std::vector<int>& files) {
    const auto cannot = [&](int cause) {
        return fail(cause == EACCES || cause == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot start {}: {}", program, std::strerror(cause)));
    };
    if (files.size() > most_files) return fail(Errc::bad_request, "too many files for one process");
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    const int log_fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (log_fd < 0) return fail(Errc::io_failed, fmt::format("cannot make {}: {}", log, std::strerror(errno)));
    std::array<int, 2> failure{};
    if (::pipe2(failure.data(), O_CLOEXEC) != 0) {
        const int cause = errno;
        ::close(log_fd);
        return cannot(cause);
    }
    const Start start{
        program.c_str(), argv.data(), log_fd, failure[1], ::getpid(), files.data(), static_cast<int>(files.size())};
    const pid_t pid = ::fork();
    const int fork_failed = errno;
    if (pid == 0) become(start);
    ::close(log_fd);
    ::close(failure[1]);
    int cause = fork_failed;
    // Returns at once when exec succeeds, because exec closes the pipe.
    const bool failed = pid < 0 || ::read(failure[0], &cause, sizeof cause) > 0;
    ::close(failure[0]);
    if (pid > 0 && failed) ::waitpid(pid, nullptr, 0);
    if (failed) return cannot(cause);
    return BoundProcess(pid);
}

BoundProcess::BoundProcess(BoundProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), ended_(std::move(other.ended_)) {}

BoundProcess& BoundProcess::operator=(BoundProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(ended_, other.ended_);
    return *this;
}

BoundProcess::~BoundProcess() {
    if (pid_ < 0 || ended()) return;
    kill();
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<std::string> BoundProcess::ended() {
    int status{};
    if (ended_ || pid_ < 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return ended_;
    if (WIFEXITED(status))
        ended_ = fmt::format("exit status {}", WEXITSTATUS(status));
    else
        ended_ = fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return ended_;
}

void BoundProcess::kill() {
    if (pid_ <= 0 || ended_) return;
    // The group exists as soon as the child has run: until then only the child can be addressed.
    if (::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
}

} // namespace mediarig::lab
