// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/client/stream_link.hpp"

#include <utility>

#include "host/agent/client/conversation.hpp"

namespace mediarig::agent {
namespace asio = boost::asio;

StreamLink::StreamLink(Socket socket, std::string description, std::chrono::milliseconds close_within)
    : conversation_(std::make_shared<Conversation>(std::move(socket), close_within)),
      description_(std::move(description)) {}

StreamLink::~StreamLink() {
    conversation_->abandon();
}

void StreamLink::on_lost(WhyItEnded why_it_ended) {
    conversation_->why_it_ended = std::move(why_it_ended);
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

void StreamLink::hurry() {
    conversation_->hurry();
}

asio::awaitable<Result<void>> StreamLink::close() {
    return conversation_->close();
}

} // namespace mediarig::agent
