// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/client/stream_link.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/base/async/spawn_guarded.hpp"
#include "host/base/json/json_text.hpp"

namespace mediarig::agent {
namespace asio = boost::asio;

StreamLink::StreamLink(Socket socket, std::string description, std::chrono::milliseconds close_within)
    : conversation_(std::make_shared<Conversation>(std::move(socket), close_within)),
      description_(std::move(description)) {}

StreamLink::~StreamLink() {
    conversation_->abandon();
}

void StreamLink::on_connection_lost(EndReason exit_reason) {
    conversation_->exit_reason = std::move(exit_reason);
}

void StreamLink::lose() {
    conversation_->stop_reading();
}

void StreamLink::on_notification(NotificationHandler handler) {
    conversation_->handler = std::move(handler);
}

asio::awaitable<Result<void>> StreamLink::start() {
    conversation_->start();
    co_return Result<void>{};
}

asio::awaitable<Result<nlohmann::json>> StreamLink::call(RequestId id, std::string method, nlohmann::json params) {
    return conversation_->call(id, std::move(method), std::move(params));
}

void StreamLink::expedite_close() {
    conversation_->expedite_close();
}

asio::awaitable<Result<void>> StreamLink::close() {
    return conversation_->close();
}

namespace {

namespace asio = boost::asio;
using nlohmann::json;

/// The beginning of the received text as one printable line.
std::string excerpt(const std::string& text) {
    constexpr std::size_t longest = 60;
    std::string shown;
    for (const char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '.';
    return "'" + shown + (text.size() > longest ? "…'" : "'");
}

Error broken(const std::string& why) {
    return {Errc::bad_format, "the agent broke the protocol: " + why + "; the connection was closed"};
}

} // namespace

StreamLink::Conversation::Conversation(Socket socket, std::chrono::milliseconds close_within)
    : socket_(std::move(socket)),
      close_within_(close_within),
      outbox_filled_(socket_.get_executor()),
      peer_ended_(socket_.get_executor()) {}

void StreamLink::Conversation::start() {
    if (std::exchange(started_, true)) return;
    reading_ = true;
    const auto self = shared_from_this();
    spawn_guarded(
        socket_.get_executor(), [self] { return self->read(); },
        [self](const std::optional<std::string>& broken) {
            if (broken) self->abort(*broken);
            self->reading_ = false;
            self->peer_ended_.notify();
        });
    spawn_guarded(
        socket_.get_executor(), [self] { return self->write(); },
        [self](const std::optional<std::string>& broken) {
            if (broken) self->abort(*broken);
        });
}

void StreamLink::Conversation::abort(const std::string& thrown) {
    if (!ended_)
        end({Errc::host_fault, "the connection to the agent failed: " + thrown + "; the connection was closed"});
    boost::system::error_code ignored;
    socket_.close(ignored);
}

asio::awaitable<Result<json>> StreamLink::Conversation::call(RequestId id, std::string method, json params) {
    if (!started_ && !ended_) co_return fail(Errc::agent_lost, "the connection to the agent has not been started");
    if (ended_) co_return fail(*ended_);
    std::string line = serialise(RpcRequest{id.number, std::move(method), std::move(params)});
    if (line.size() > longest_line + 1)
        co_return fail(Errc::bad_request, "the request is longer than the 8 MiB that a line may have");

    const auto pending = std::make_shared<Pending>(socket_.get_executor());
    pending_[id.number] = pending;
    outbox_.push_back(std::move(line));
    outbox_filled_.notify();
    while (!pending->answer) co_await pending->answered.wait();
    co_return std::move(*pending->answer);
}

asio::awaitable<void> StreamLink::Conversation::read() {
    const auto self = shared_from_this();
    std::array<char, 65536> buffer{};
    std::optional<Error> fault;
    while (!fault) {
        const auto [stopped, count] = co_await socket_.async_read_some(asio::buffer(buffer), as_values);
        if (stopped) break;
        // After close, wait only for the agent to exit; ignore further messages.
        if (ended_) continue;
        framer_.push({buffer.data(), count});
        while (!fault && !ended_) {
            const auto frame = framer_.next();
            if (!frame) break;
            fault = receive(*frame);
        }
    }
    if (fault) {
        end(std::move(*fault));
        boost::system::error_code ignored;
        socket_.close(ignored);
    } else if (!ended_) {
        co_await lose();
    }
}

asio::awaitable<void> StreamLink::Conversation::lose() {
    Error error{Errc::agent_lost, "the agent closed the connection"};
    if (framer_.unfinished() > 0) error.detail += " in the middle of a message";
    if (exit_reason) error = co_await exit_reason();
    if (!ended_) end(std::move(error));
}

asio::awaitable<void> StreamLink::Conversation::write() {
    const auto self = shared_from_this();
    while (!ended_) {
        if (outbox_.empty()) {
            co_await outbox_filled_.wait();
            continue;
        }
        const std::string line = std::move(outbox_.front());
        outbox_.pop_front();
        const auto [stopped, count] = co_await asio::async_write(socket_, asio::buffer(line), as_values);
        // read() also detects the end of the connection and reports the cause.
        if (stopped) co_return;
    }
}

std::optional<Error> StreamLink::Conversation::receive(const FramedLine& frame) {
    if (frame.kind == FramedLine::Kind::oversized) return broken("a line longer than 8 MiB, " + excerpt(frame.text));
    auto message = parse_message(frame.text);
    if (!message) return broken(message.error().error.message + ": " + excerpt(frame.text));
    if (const auto* response = std::get_if<Response>(&*message)) return receive(*response);
    if (const auto* notification = std::get_if<Notification>(&*message)) {
        if (!handler) return std::nullopt;
        const auto heard = handler(notification->method, notification->params);
        return heard ? std::nullopt : std::optional(heard.error());
    }
    return broken("a request instead of an answer: " + excerpt(frame.text));
}

std::optional<Error> StreamLink::Conversation::receive(const Response& response) {
    const auto found =
        response.id.is_number_unsigned() ? pending_.find(response.id.get<std::uint64_t>()) : pending_.end();
    if (found == pending_.end()) {
        const std::string said = response.outcome ? "" : " (" + response.outcome.error().message + ")";
        return broken("an answer to request " + codec::json_line(response.id) + ", which is not pending" + said);
    }
    const auto pending = found->second;
    pending_.erase(found);
    if (response.outcome)
        pending->answer = *response.outcome;
    else
        pending->answer = tl::unexpected(from_rpc(response.outcome.error()));
    pending->answered.notify();
    return std::nullopt;
}

void StreamLink::Conversation::end(Error error) {
    ended_ = std::move(error);
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    outbox_.clear();
    outbox_filled_.notify();
    for (auto& [id, pending] : std::exchange(pending_, {})) {
        pending->answer = tl::unexpected(*ended_);
        pending->answered.notify();
    }
}

asio::awaitable<Result<void>> StreamLink::Conversation::close() {
    const auto self = shared_from_this();
    if (!ended_) end({Errc::agent_lost, "the connection to the agent was closed"});
    const auto late = std::make_shared<bool>(false);
    if (reading_) {
        asio::steady_timer patience(socket_.get_executor());
        wait_anew_ = [&] {
            patience.expires_after(close_within_);
            patience.async_wait([self, late](boost::system::error_code stopped) {
                if (stopped) return;
                *late = true;
                boost::system::error_code ignored;
                self->socket_.close(ignored);
            });
        };
        wait_anew_();
        while (reading_) co_await peer_ended_.wait();
        wait_anew_ = nullptr;
    }
    boost::system::error_code ignored;
    socket_.close(ignored);
    if (*late) co_return fail(Errc::timed_out, "the agent did not close its end of the connection in time");
    co_return Result<void>{};
}

void StreamLink::Conversation::expedite_close() {
    close_within_ = std::min<std::chrono::milliseconds>(close_within_, std::chrono::milliseconds(350));
    if (wait_anew_) wait_anew_();
}

void StreamLink::Conversation::stop_reading() {
    boost::system::error_code ignored;
    socket_.shutdown(Socket::shutdown_receive, ignored);
}

void StreamLink::Conversation::abandon() {
    handler = nullptr;
    exit_reason = nullptr;
    if (!ended_) end({Errc::agent_lost, "the connection to the agent was dropped"});
    boost::system::error_code ignored;
    socket_.close(ignored);
}

} // namespace mediarig::agent
