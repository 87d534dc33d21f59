// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/line_relay.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;

LineRelay::LineRelay(const asio::any_io_executor& executor, std::shared_ptr<GuestLine> line)
    : line_(std::move(line)), acceptor_(executor), client_(executor), changed_(executor) {}

Result<void> LineRelay::listen(const std::string& path) {
    const asio::local::stream_protocol::endpoint endpoint(path);
    boost::system::error_code failed;
    acceptor_.open(endpoint.protocol(), failed);
    if (!failed) acceptor_.bind(endpoint, failed);
    if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot listen on {}: {}", path, failed.message()));
    asio::co_spawn(
        acceptor_.get_executor(), [self = shared_from_this()] { return self->accept(); }, asio::detached);
    return {};
}

asio::awaitable<void> LineRelay::accept() {
    const auto self = shared_from_this();
    while (acceptor_.is_open()) {
        auto [stopped, client] = co_await acceptor_.async_accept(as_values);
        if (stopped) co_return;
        client_ = std::move(client);
        connected_ = forwarding_ = true;
        line_->on_received([this](std::string_view bytes) {
            answers_ += bytes;
            changed_.notify();
        });
        asio::co_spawn(
            acceptor_.get_executor(), [self] { return self->forward_answers(); }, asio::detached);
        co_await forward_requests();
        line_->on_received(nullptr);
        connected_ = false;
        changed_.notify();
        while (forwarding_) co_await changed_.wait();
        answers_.clear();
        boost::system::error_code ignored;
        client_.close(ignored);
    }
}

asio::awaitable<void> LineRelay::forward_requests() {
    std::array<char, 65536> buffer{};
    while (true) {
        const auto [ended, count] = co_await client_.async_read_some(asio::buffer(buffer), as_values);
        if (ended) co_return;
        line_->send({buffer.data(), count});
    }
}

asio::awaitable<void> LineRelay::forward_answers() {
    const auto self = shared_from_this();
    while (connected_) {
        while (connected_ && answers_.empty()) co_await changed_.wait();
        const std::string part = std::exchange(answers_, {});
        const auto [failed, count] = co_await asio::async_write(client_, asio::buffer(part), as_values);
        if (failed) break;
    }
    forwarding_ = false;
    changed_.notify();
}

void LineRelay::close() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    client_.close(ignored);
    connected_ = false;
    changed_.notify();
}

} // namespace mediarig::lab
