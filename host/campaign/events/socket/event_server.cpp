// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/socket/event_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <deque>
#include <utility>
#include <vector>

#include "host/base/async/as_values.hpp"
#include "host/base/async/event.hpp"
#include "host/base/local_socket.hpp"

namespace mediarig::events {

namespace asio = boost::asio;

namespace {

using Acceptor = asio::basic_socket_acceptor<asio::local::stream_protocol, asio::any_io_executor>;

/// Limits of the bytes queued for a client in addition to its history. Progress is dropped first, because the next
/// progress event replaces it.
constexpr std::size_t most_bytes_for_progress = std::size_t{64} << 10;
constexpr std::size_t most_bytes = std::size_t{4} << 20;
/// A user's terminals and windows need fewer connections at a time.
constexpr std::size_t most_clients = 32;
constexpr std::chrono::milliseconds for_last_words = std::chrono::seconds(1);

} // namespace

struct EventServer::Client {
    Client(Socket connected, const asio::any_io_executor& executor, Peer who)
        : socket(std::move(connected)), changed(executor), peer(who) {}
    void send(EventLine line) {
        waiting_bytes += line->size();
        waiting.push_back(std::move(line));
        changed.notify();
    }
    void drop() {
        gone = true;
        boost::system::error_code ignored;
        socket.close(ignored);
        changed.notify();
    }

    Socket socket;
    Event changed;
    Peer peer;
    std::deque<EventLine> waiting; ///< the first one may be in transmission
    std::size_t waiting_bytes{}, history_bytes{};
    bool ending{false}, gone{false};
};

struct EventServer::State : std::enable_shared_from_this<State> {
    State(const asio::any_io_executor& on, std::string id, OnRequest heard)
        : executor(on), campaign(std::move(id)), on_request(std::move(heard)), acceptor(on) {}

    asio::any_io_executor executor;
    std::string campaign;
    OnRequest on_request;
    Acceptor acceptor;
    History history;
    std::list<std::shared_ptr<Client>> clients;

    void greet(const std::shared_ptr<Client>& client) {
        const std::vector<EventLine> past = history.lines();
        client->send(std::make_shared<const std::string>(line_of(Greeting{campaign, past.size()})));
        for (const EventLine& line : past) client->send(line);
        client->history_bytes = client->waiting_bytes;
    }

    static asio::awaitable<void> write(std::shared_ptr<State> self, std::shared_ptr<Client> client) {
        while (!client->gone) {
            if (client->waiting.empty()) {
                if (client->ending) break;
                co_await client->changed.wait();
                continue;
            }
            const EventLine line = client->waiting.front();
            const auto [failed, count] = co_await asio::async_write(client->socket, asio::buffer(*line), as_values);
            if (failed) break;
            client->waiting.pop_front();
            client->waiting_bytes -= line->size();
            client->history_bytes -= std::min(client->history_bytes, line->size());
        }
        client->drop();
        self->clients.remove(client);
    }

    static asio::awaitable<void> read(std::shared_ptr<State> self, std::shared_ptr<Client> client) {
        std::string received;
        while (!client->gone && !client->ending) {
            const auto [ended, length] = co_await asio::async_read_until(
                client->socket, asio::dynamic_buffer(received, longest_request + 1), '\n', as_values);
            if (client->gone) co_return;
            if (ended == asio::error::not_found) {
                refuse(*client, "a request is one short line");
                co_return;
            }
            if (ended) {
                client->drop();
                co_return;
            }
            const auto request = parse_request(std::string_view(received).substr(0, length - 1));
            received.erase(0, length);
            if (!request) {
                refuse(*client, request.error().detail);
                co_return;
            }
            if (self->on_request) self->on_request(*request, client->peer.process);
        }
    }

    static void refuse(Client& client, const std::string& why) {
        client.send(std::make_shared<const std::string>(line_of(Error{Errc::bad_request, why})));
        client.ending = true;
    }

    static asio::awaitable<void> accept(std::shared_ptr<State> self) {
        while (self->acceptor.is_open()) {
            auto [failed, socket] = co_await self->acceptor.async_accept(as_values);
            if (failed == asio::error::operation_aborted || !self->acceptor.is_open()) co_return;
            if (failed) {
                // The process may be out of descriptors: try again after a pause.
                asio::steady_timer pause(self->executor, std::chrono::seconds(1));
                co_await pause.async_wait(as_values);
                continue;
            }
            (void)::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
            const Peer peer = peer_of(socket.native_handle());
            if (!peer.is_trusted || self->clients.size() >= most_clients) continue;
            const auto client = std::make_shared<Client>(std::move(socket), self->executor, peer);
            self->clients.push_back(client);
            self->greet(client);
            asio::co_spawn(self->executor, write(self, client), asio::detached);
            asio::co_spawn(self->executor, read(self, client), asio::detached);
        }
    }

    void end() {
        boost::system::error_code ignored;
        acceptor.close(ignored);
        on_request = nullptr;
        for (const auto& client : clients) {
            client->ending = true;
            client->changed.notify();
        }
    }
};

EventServer::EventServer(const asio::any_io_executor& executor, std::string campaign, OnRequest on_request)
    : state_(std::make_shared<State>(executor, std::move(campaign), std::move(on_request))) {}

EventServer::~EventServer() {
    state_->end();
    for (const auto& client : state_->clients) client->drop();
}

Result<void> EventServer::listen(const std::string& path) {
    boost::system::error_code failed;
    remove_socket(path); // a killed process left this socket: this process holds the campaign's lock
    Acceptor& acceptor = state_->acceptor;
    acceptor.open(asio::local::stream_protocol(), failed);
    if (!failed) acceptor.bind(asio::local::stream_protocol::endpoint(path), failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (!failed) (void)::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot listen for watchers: {}", failed.message()));
    asio::co_spawn(state_->executor, State::accept(state_), asio::detached);
    return {};
}

void EventServer::publish(const campaign::SessionEvent& event) {
    const auto line = std::make_shared<const std::string>(line_of(event));
    state_->history.add(event, line);
    const bool progress = std::holds_alternative<campaign::StepProgress>(event.body);
    for (const auto& client : state_->clients) {
        if (client->gone || client->ending) continue;
        const std::size_t behind = client->waiting_bytes - client->history_bytes;
        if (progress && behind > most_bytes_for_progress) continue;
        if (behind > most_bytes)
            client->drop();
        else
            client->send(line);
    }
}

asio::awaitable<void> EventServer::close() {
    state_->end();
    asio::steady_timer pause(state_->executor);
    const auto until = std::chrono::steady_clock::now() + for_last_words;
    while (!state_->clients.empty() && std::chrono::steady_clock::now() < until) {
        pause.expires_after(std::chrono::milliseconds(10));
        co_await pause.async_wait(as_values);
    }
    for (const auto& client : state_->clients) client->drop();
}

std::size_t EventServer::clients() const {
    return state_->clients.size();
}

} // namespace mediarig::events
