// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/guest_line.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace mediarig::lab {

Result<std::shared_ptr<GuestLine>> GuestLine::make(OwedAnswers owed, std::function<void()> on_queued) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a line to the guest: {}", std::strerror(errno)));
    return std::shared_ptr<GuestLine>(
        new GuestLine(Descriptor(ends[0]), Descriptor(ends[1]), std::move(owed), std::move(on_queued)));
}

GuestLine::GuestLine(Descriptor own_end, Descriptor guest_end, OwedAnswers owed, std::function<void()> on_queued)
    : own_end_(std::move(own_end)),
      guest_end_(std::move(guest_end)),
      owed_(std::move(owed)),
      on_queued_(std::move(on_queued)) {}

bool GuestLine::drain() {
    std::array<char, 65536> buffer{};
    bool received = false;
    while (own_end_) {
        const ssize_t count = ::recv(own_end_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        received = true;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
        owed_.received(bytes);
        if (receiver_) receiver_(bytes);
    }
    return received;
}

void GuestLine::send(std::string_view bytes) {
    if (!own_end_) return;
    owed_.sent(bytes);
    queued_ += bytes;
    on_queued_();
}

bool GuestLine::deliver() {
    bool delivered = false;
    while (!queued_.empty() && own_end_) {
        const ssize_t count = ::send(own_end_.get(), queued_.data(), queued_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        delivered = true;
        queued_.erase(0, static_cast<std::size_t>(count));
    }
    return delivered;
}

void GuestLine::close() {
    receiver_ = nullptr;
    own_end_.close();
    guest_end_.close();
}

} // namespace mediarig::lab
