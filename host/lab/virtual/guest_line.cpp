// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/guest_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;

Result<std::shared_ptr<GuestLine>> GuestLine::make(const asio::any_io_executor& executor, LineIds ids,
                                                   std::function<void()> on_sent) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a line to the guest: {}", std::strerror(errno)));
    Descriptor guest_end(ends[1]);
    UnixSocket socket(executor, asio::local::stream_protocol(), ends[0]);
    return std::shared_ptr<GuestLine>(new GuestLine(std::move(socket), std::move(guest_end), ids, std::move(on_sent)));
}

GuestLine::GuestLine(UnixSocket socket, Descriptor guest_end, LineIds ids, std::function<void()> on_sent)
    : socket_(std::move(socket)), guest_end_(std::move(guest_end)), owed_(ids), on_sent_(std::move(on_sent)) {}

void GuestLine::start() {
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->read(); }, asio::detached);
}

asio::awaitable<void> GuestLine::read() {
    const auto self = shared_from_this();
    while (socket_.is_open()) {
        const auto [stopped] = co_await socket_.async_wait(UnixSocket::wait_read, as_values);
        if (stopped) co_return;
        drain();
    }
}

void GuestLine::drain() {
    std::array<char, 65536> buffer{};
    while (socket_.is_open()) {
        const ssize_t count = ::recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
        owed_.received(bytes);
        if (receiver_) receiver_(bytes);
    }
}

void GuestLine::send(std::string_view bytes) {
    owed_.sent(bytes);
    unsent_ += bytes;
    write_now();
    if (unsent_.empty() || std::exchange(writing_, true)) return;
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->write_rest(); }, asio::detached);
}

void GuestLine::write_now() {
    while (!unsent_.empty() && socket_.is_open()) {
        const ssize_t count =
            ::send(socket_.native_handle(), unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        unsent_.erase(0, static_cast<std::size_t>(count));
    }
    on_sent_();
}

asio::awaitable<void> GuestLine::write_rest() {
    const auto self = shared_from_this();
    while (!unsent_.empty() && socket_.is_open()) {
        const auto [stopped] = co_await socket_.async_wait(UnixSocket::wait_write, as_values);
        if (stopped) co_return;
        write_now();
    }
    writing_ = false;
}

bool GuestLine::has_unread() const {
    int count = 0;
    return guest_end_ && ::ioctl(guest_end_.get(), FIONREAD, &count) == 0 && count > 0;
}

void GuestLine::close() {
    receiver_ = nullptr;
    boost::system::error_code ignored;
    socket_.close(ignored);
    guest_end_.close();
}

} // namespace mediarig::lab
