// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/harness/carrier.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace mediarig::harness {

namespace {

short events_for(const std::vector<std::uint8_t>& waiting) {
    return static_cast<short>(POLLIN | (waiting.empty() ? 0 : POLLOUT));
}

} // namespace

EmulatedSerialPort::EmulatedSerialPort(std::string link) : link_(std::move(link)) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return; // attach() reports the error
    own_ = ends[0];
    theirs_ = ends[1];
    ::fcntl(own_, F_SETFL, O_NONBLOCK);
}

EmulatedSerialPort::~EmulatedSerialPort() {
    started();
    if (own_ >= 0) ::close(own_);
}

void EmulatedSerialPort::started() {
    if (theirs_ >= 0) ::close(std::exchange(theirs_, -1));
}

tl::expected<void, std::string> EmulatedSerialPort::attach() {
    if (own_ < 0) return tl::unexpected<std::string>("no socket pair is available");
    if (line_) return {};
    auto line = board::Pty::open(link_);
    if (!line) return tl::unexpected(line.error());
    line_.emplace(std::move(*line));
    return {};
}

void EmulatedSerialPort::detach() {
    if (link_.empty()) return;
    line_.reset();
    to_line_.clear();
    to_emulator_.clear();
}

pollfd EmulatedSerialPort::line_poll() const {
    return {.fd = line_ && line_->heard() ? line_->descriptor() : -1, .events = events_for(to_line_), .revents = 0};
}

pollfd EmulatedSerialPort::emulator_poll() const {
    return {.fd = own_, .events = events_for(to_emulator_), .revents = 0};
}

bool EmulatedSerialPort::carry() {
    if (line_) {
        const auto bytes = line_->read();
        to_emulator_.insert(to_emulator_.end(), bytes.begin(), bytes.end());
    }
    std::array<std::uint8_t, 4'096> buffer{};
    const ssize_t got = ::read(own_, buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got > 0) to_line_.insert(to_line_.end(), buffer.begin(), buffer.begin() + got);
    if (!to_emulator_.empty()) {
        const ssize_t sent = ::write(own_, to_emulator_.data(), to_emulator_.size());
        if (sent > 0) to_emulator_.erase(to_emulator_.begin(), to_emulator_.begin() + sent);
    }
    // Output is dropped while the pty is closed, as on a real port.
    if (!line_ || !line_->heard())
        to_line_.clear();
    else if (!to_line_.empty())
        to_line_.erase(to_line_.begin(), to_line_.begin() + static_cast<std::ptrdiff_t>(line_->write(to_line_)));
    return true;
}

} // namespace mediarig::harness
