// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/posix/pty.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace mediarig::board {

namespace {

std::string pty_failure(const std::string& what) {
    return what + ": " + std::strerror(errno);
}

/// True for a symlink to a pseudo terminal: only a simulated rig makes such a link at the path that a user gives.
bool leads_to_a_terminal(const std::string& link) {
    std::array<char, 128> target{};
    const auto size = ::readlink(link.c_str(), target.data(), target.size());
    return size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)).starts_with("/dev/pts/");
}

/// Removes the link if it is still the one that this process made: a later process may have replaced it.
void remove_link(const std::string& link, const struct stat& made) {
    struct stat now {};
    if (::lstat(link.c_str(), &now) != 0 || now.st_ino != made.st_ino || now.st_dev != made.st_dev ||
        now.st_ctim.tv_sec != made.st_ctim.tv_sec || now.st_ctim.tv_nsec != made.st_ctim.tv_nsec)
        return;
    ::unlink(link.c_str());
}

/// Starts a process that removes the link when this one ends for any reason. Returns one end of a pipe: that process
/// waits until this end is closed. Returns -1 on failure: then only an orderly end removes the link.
int start_guard(const std::string& link, const struct stat& made) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return -1;
    const pid_t middle = ::fork();
    if (middle < 0) {
        ::close(pipe[0]);
        ::close(pipe[1]);
        return -1;
    }
    if (middle == 0) {
        // Fork twice, so that the guard is not a child that must be waited for.
        if (::fork() != 0) ::_exit(0);
        ::setsid();
        for (const int ignored : {SIGTERM, SIGINT, SIGHUP}) std::signal(ignored, SIG_IGN);
        if (::dup2(pipe[0], 0) != 0) ::_exit(1);
        ::close_range(1, ~0U, 0);
        char byte{};
        while (::read(0, &byte, 1) < 0 && errno == EINTR) {
        }
        remove_link(link, made);
        ::_exit(0);
    }
    ::waitpid(middle, nullptr, 0);
    ::close(pipe[0]);
    return pipe[1];
}

} // namespace

tl::expected<Pty, std::string> Pty::open(const std::string& link) {
    Pty pty;
    pty.master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    std::array<char, 128> name{};
    if (pty.master_ < 0 || ::grantpt(pty.master_) != 0 || ::unlockpt(pty.master_) != 0 ||
        ::ptsname_r(pty.master_, name.data(), name.size()) != 0)
        return tl::unexpected(pty_failure("no pseudo terminal is available"));
    pty.path_ = name.data();
    // Set raw mode before the host opens it: otherwise the first frames would be echoed back and read as the board's
    // own.
    const int slave = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    if (slave < 0 || ::tcgetattr(slave, &settings) != 0) return tl::unexpected(pty_failure(pty.path_));
    ::cfmakeraw(&settings);
    const bool raw = ::tcsetattr(slave, TCSANOW, &settings) == 0;
    ::close(slave);
    if (!raw) return tl::unexpected(pty_failure(pty.path_));
    if (!link.empty())
        if (std::string wrong = pty.make_link(link); !wrong.empty()) return tl::unexpected(std::move(wrong));
    return pty;
}

std::string Pty::make_link(const std::string& link) {
    struct stat there {};
    if (::lstat(link.c_str(), &there) == 0 && !leads_to_a_terminal(link))
        return link + " is not the link of a simulated rig: name another path";
    const std::string fresh = link + "." + std::to_string(::getpid());
    // Stale link of a killed process with this number.
    if (leads_to_a_terminal(fresh)) ::unlink(fresh.c_str());
    if (::symlink(path_.c_str(), fresh.c_str()) != 0) return pty_failure(fresh);
    if (::rename(fresh.c_str(), link.c_str()) != 0) {
        std::string wrong = pty_failure(link);
        ::unlink(fresh.c_str());
        return wrong;
    }
    link_ = link;
    struct stat made {};
    if (::lstat(link.c_str(), &made) == 0) guard_ = start_guard(link, made);
    return {};
}

Pty::Pty(Pty&& other) noexcept
    : master_(std::exchange(other.master_, -1)),
      path_(std::move(other.path_)),
      link_(std::exchange(other.link_, {})),
      guard_(std::exchange(other.guard_, -1)) {}

Pty& Pty::operator=(Pty&& other) noexcept {
    if (this == &other) return *this;
    close();
    master_ = std::exchange(other.master_, -1);
    path_ = std::move(other.path_);
    link_ = std::exchange(other.link_, {});
    guard_ = std::exchange(other.guard_, -1);
    return *this;
}

void Pty::close() {
    if (!link_.empty()) {
        std::array<char, 128> target{};
        const auto size = ::readlink(link_.c_str(), target.data(), target.size());
        if (size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == path_)
            ::unlink(link_.c_str());
    }
    link_.clear();
    if (guard_ >= 0) ::close(std::exchange(guard_, -1));
    if (master_ >= 0) ::close(std::exchange(master_, -1));
}

bool Pty::heard() const {
    pollfd poll{.fd = master_, .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, 0) >= 0 && (poll.revents & POLLHUP) == 0;
}

std::vector<std::uint8_t> Pty::read() {
    std::vector<std::uint8_t> bytes(4'096);
    const auto count = ::read(master_, bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
}

std::size_t Pty::write(std::span<const std::uint8_t> bytes) {
    const auto count = ::write(master_, bytes.data(), bytes.size());
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

} // namespace mediarig::board
