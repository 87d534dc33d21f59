// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/agent_relay.hpp"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using nlohmann::json;

AgentRelay::AgentRelay(const asio::any_io_executor& executor, std::unique_ptr<agent::AgentLink> link)
    : link_(std::move(link)), changed_(executor) {}

asio::awaitable<Result<void>> AgentRelay::open() {
    link_->on_notification([weak = weak_from_this()](const std::string& method, const json& params) -> Result<void> {
        if (const auto self = weak.lock()) self->send(agent::serialise(agent::Notification{method, params}));
        return {};
    });
    co_return co_await link_->start();
}

asio::awaitable<void> AgentRelay::serve(UnixSocket socket) {
    const auto self = shared_from_this();
    const auto executor = co_await asio::this_coro::executor;
    asio::co_spawn(
        executor, [self, &socket]() -> asio::awaitable<void> { co_await self->write_lines(socket); }, asio::detached);
    co_await read_requests(socket);
    (void)co_await link_->close();
    while (pending_ > 0) co_await changed_.wait();
    over_ = true;
    changed_.notify();
    while (!written_) co_await changed_.wait();
    boost::system::error_code ignored;
    socket.close(ignored);
}

asio::awaitable<void> AgentRelay::read_requests(UnixSocket& socket) {
    const auto self = shared_from_this();
    agent::LineFramer framer;
    std::array<char, 65536> buffer{};
    while (true) {
        while (const auto frame = framer.next()) {
            auto message = agent::parse_message(frame->text);
            auto* request = message ? std::get_if<agent::RpcRequest>(&*message) : nullptr;
            // Only this project's programs connect here: disconnect a client that does not send JSON-RPC.
            if (request == nullptr || !request->id.is_number_unsigned()) co_return;
            ++pending_;
            asio::co_spawn(
                socket.get_executor(),
                [self, asked = std::move(*request)]() mutable -> asio::awaitable<void> {
                    co_await self->carry(std::move(asked));
                },
                asio::detached);
        }
        const auto [ended, count] = co_await socket.async_read_some(asio::buffer(buffer), as_values);
        if (ended) co_return;
        framer.push({buffer.data(), count});
    }
}

asio::awaitable<void> AgentRelay::carry(agent::RpcRequest request) {
    const agent::RequestId id{request.id.get<std::uint64_t>()};
    auto outcome = co_await link_->call(id, std::move(request.method), std::move(request.params));
    agent::Response response{request.id, json()};
    if (outcome)
        response.outcome = std::move(*outcome);
    else
        response.outcome = tl::unexpected(agent::to_rpc(outcome.error()));
    send(agent::serialise(response));
    --pending_;
    changed_.notify();
}

void AgentRelay::send(std::string line) {
    lines_.push_back(std::move(line));
    changed_.notify();
}

asio::awaitable<void> AgentRelay::write_lines(UnixSocket& socket) {
    while (!over_ || !lines_.empty()) {
        if (lines_.empty()) {
            co_await changed_.wait();
            continue;
        }
        const std::string line = std::move(lines_.front());
        lines_.pop_front();
        const auto [broken, count] = co_await asio::async_write(socket, asio::buffer(line), as_values);
        // The client is gone: drop the remaining lines.
        if (broken) lines_.clear();
    }
    written_ = true;
    changed_.notify();
}

} // namespace mediarig::lab
