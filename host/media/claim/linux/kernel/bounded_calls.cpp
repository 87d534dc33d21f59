// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/bounded_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>

#include "host/base/process/run_process.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

constexpr char ask_stat = 's', ask_statfs = 'f', ask_loop_status = 'l', ask_read = 'r';

struct ErrorAnswer {
    int error{};
};
struct StatAnswer {
    int error{};
    struct stat found {};
};
struct StatfsAnswer {
    int error{};
    struct statfs found {};
};
struct LoopAnswerMessage {
    int error{};
    BoundedCalls::LoopStatus found{};
};

/// A loop device cannot be opened (ENXIO) between LOOP_CLR_FD and its last close, which is a short time.
int open_loop(const char* node) {
    constexpr int times = 500;
    constexpr timespec pause{0, 2'000'000};
    for (int i = 1;; ++i) {
        const int fd = ::open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (fd >= 0 || errno != ENXIO || i == times) return fd;
        ::nanosleep(&pause, nullptr);
    }
}

LoopAnswerMessage loop_status_of(const char* node) {
    LoopAnswerMessage answer;
    const int fd = open_loop(node);
    if (fd < 0 || ::fstat(fd, &answer.found.node) != 0) {
        answer.error = errno;
    } else if (::ioctl(fd, LOOP_GET_STATUS64, &answer.found.info) != 0) {
        answer.found.failed_status = errno;
    }
    if (fd >= 0) ::close(fd);
    return answer;
}

/// Use direct I/O: the cache may contain sectors that the device no longer delivers.
ErrorAnswer read_of(const char* node) {
    alignas(4096) static std::array<char, 4096> bytes;
    const int fd = ::open(node, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return {errno};
    const ErrorAnswer answer{::pread(fd, bytes.data(), bytes.size(), 0) < 0 ? errno : 0};
    ::close(fd);
    return answer;
}

/// Runs in the child: uses only functions that are safe after a fork of a multithreaded process.
void answer_calls(int line) {
    std::array<char, PATH_MAX + 2> request{};
    while (true) {
        const ssize_t got = ::recv(line, request.data(), request.size() - 1, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 1) return;
        request[static_cast<std::size_t>(got)] = '\0';
        const char* const path = request.data() + 1;
        if (request[0] == ask_stat) {
            StatAnswer answer;
            answer.error = ::stat(path, &answer.found) == 0 ? 0 : errno;
            (void)::send(line, &answer, sizeof answer, MSG_NOSIGNAL);
        } else if (request[0] == ask_statfs) {
            StatfsAnswer answer;
            answer.error = ::statfs(path, &answer.found) == 0 ? 0 : errno;
            (void)::send(line, &answer, sizeof answer, MSG_NOSIGNAL);
        } else if (request[0] == ask_read) {
            const ErrorAnswer answer = read_of(path);
            (void)::send(line, &answer, sizeof answer, MSG_NOSIGNAL);
        } else {
            const LoopAnswerMessage answer = loop_status_of(path);
            (void)::send(line, &answer, sizeof answer, MSG_NOSIGNAL);
        }
    }
}

/// Calls that timed out in this process: "l/dev/loop3". A claim repeats its queries, and each query would take the
/// whole time limit.
class TimedOut {
public:
    bool contains(const std::string& call) {
        const std::lock_guard lock(mutex_);
        return calls_.contains(call);
    }
    void set(const std::string& call, bool timed_out) {
        const std::lock_guard lock(mutex_);
        if (timed_out)
            calls_.insert(call);
        else
            calls_.erase(call);
    }

private:
    std::mutex mutex_;
    std::set<std::string> calls_;
};

TimedOut& timed_out() {
    static TimedOut calls;
    return calls;
}

} // namespace

BoundedCalls::~BoundedCalls() {
    end();
}

int BoundedCalls::start() {
    if (line_) return 0;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    Descriptor ours(ends[0]);
    const Descriptor childs(ends[1]);
    const auto child = process::fork_with(childs.get(), answer_calls);
    if (!child) return EAGAIN;
    child_ = *child;
    line_ = std::move(ours);
    return 0;
}

void BoundedCalls::end() {
    line_.close();
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    // A child that is blocked in the kernel remains until the call returns; then it is a zombie of this process or of
    // init.
    constexpr int times = 50;
    constexpr timespec pause{0, 1'000'000};
    for (int i = 0; i < times && ::waitpid(child_, nullptr, WNOHANG) == 0; ++i) ::nanosleep(&pause, nullptr);
    child_ = -1;
}

template <class Answer>
int BoundedCalls::call(char kind, const std::string& path, Answer& answer) {
    if (path.size() >= PATH_MAX) return ENAMETOOLONG;
    if (path.empty() || path.find('\0') != std::string::npos) return ENOENT;
    if (const int failed = start(); failed != 0) return failed;
    const std::string request = kind + path;
    constexpr int limit_ms = 2000, limit_again_ms = 100;
    const int limit = timed_out().contains(request) ? limit_again_ms : limit_ms;
    if (::send(line_.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
        const int failed = errno;
        end();
        return failed;
    }
    pollfd ready{line_.get(), POLLIN, 0};
    int events = 0;
    while ((events = ::poll(&ready, 1, limit)) < 0 && errno == EINTR) {
    }
    const bool answered = events > 0 && ::recv(line_.get(), &answer, sizeof answer, 0) == sizeof answer;
    timed_out().set(request, events == 0);
    if (answered) return answer.error;
    end();
    return events == 0 ? ETIMEDOUT : EIO;
}

int BoundedCalls::stat(const std::string& path, struct stat& found) {
    StatAnswer answer;
    const int error = call(ask_stat, path, answer);
    found = answer.found;
    return error;
}

int BoundedCalls::statfs(const std::string& path, struct statfs& found) {
    StatfsAnswer answer;
    const int error = call(ask_statfs, path, answer);
    found = answer.found;
    return error;
}

int BoundedCalls::loop_status(const std::string& node, LoopStatus& found) {
    LoopAnswerMessage answer;
    const int error = call(ask_loop_status, node, answer);
    found = answer.found;
    return error;
}

int BoundedCalls::read_first(const std::string& node) {
    ErrorAnswer answer;
    return call(ask_read, node, answer);
}

Result<void> check_path_responds(const std::string& path) {
    BoundedCalls calls;
    struct stat status {};
    if (calls.stat(path, status) != ETIMEDOUT) return {};
    return fail(Errc::timed_out,
                fmt::format("{} does not respond: the server of its file system (FUSE, network) may be stopped; "
                            "continue or end that server, then try again",
                            typeable(path)));
}

Result<void> check_device_responds(const std::string& node) {
    BoundedCalls calls;
    if (calls.read_first(node) != ETIMEDOUT) return {};
    return fail(
        Errc::timed_out,
        fmt::format("{} does not respond to a read: if it is a loop device, the server of the file below (FUSE, "
                    "network) may be stopped; continue or end that server, or detach the device, then try again",
                    typeable(node)));
}

} // namespace mediarig::media
