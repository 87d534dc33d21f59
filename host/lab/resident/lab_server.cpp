// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/lab_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <type_traits>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/base/local_socket.hpp"
#include "host/lab/resident/agent_relay.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// A script is sent in one line.
constexpr std::size_t longest_request = std::size_t{1} << 20;
/// Time to write the answer to "stop" after the lab has ended.
constexpr milliseconds for_goodbyes = std::chrono::seconds(5);

std::string user_of(UnixSocket& socket) {
    return fmt::format("process {}", peer_of(socket.native_handle()).process);
}

json to_json(const SlotChange& moved) {
    return {{"slot", moved.slot.number},
            {"took_ms", moved.took.count()},
            {"node", moved.node},
            {"confirm", moved.confirm},
            {"unseen", moved.unseen}};
}

json to_json(const CardAnswer& answer) {
    const CardStats& stats = answer.stats;
    return {{"bad_sectors", stats.bad_sectors},
            {"bytes_read", stats.of(BlockRequest::read).bytes},
            {"bytes_written", stats.of(BlockRequest::write).bytes},
            {"storage_failures", stats.storage_failures}};
}

template <class T>
Result<json> as_answer(const Result<T>& result) {
    if (!result) return fail(result.error());
    return to_json(*result);
}

} // namespace

LabServer::LabServer(const asio::any_io_executor& executor, ResidentLab& lab, json facts,
                     std::optional<milliseconds> idle)
    : executor_(executor), lab_(lab), facts_(std::move(facts)), idle_(idle), acceptor_(executor), changed_(executor) {}

void LabServer::end() {
    ending_ = true;
    changed_.notify();
}

Result<void> LabServer::listen(const std::filesystem::path& socket) {
    boost::system::error_code failed;
    acceptor_.open(asio::local::stream_protocol(), failed);
    if (!failed) acceptor_.bind(asio::local::stream_protocol::endpoint(socket.string()), failed);
    if (!failed) acceptor_.listen(asio::socket_base::max_listen_connections, failed);
    if (!failed) return {};
    return fail(Errc::io_failed, fmt::format("cannot listen at {}: {}", socket.string(), failed.message()));
}

asio::awaitable<Result<void>> LabServer::serve() {
    asio::co_spawn(executor_, accept_clients(), asio::detached);
    if (idle_) asio::co_spawn(executor_, watch_idleness(*idle_), asio::detached);
    const auto watching = std::make_shared<bool>(true);
    asio::co_spawn(executor_, watch_storage(watching, lab_.machine(), lab_.media(), [this] { return lab_.at_work(); }),
                   asio::detached);
    while (!ending_) co_await changed_.wait();
    *watching = false;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    // Stop the devices before their cards: a guest that still writes must not see errors that were not requested.
    ended_ = co_await lab_.machine().stop();
    co_await lab_.clean_up();
    changed_.notify();
    asio::steady_timer pause(executor_);
    const auto until = steady_clock::now() + for_goodbyes;
    while (clients_ > 0 && steady_clock::now() < until) {
        pause.expires_after(milliseconds(10));
        co_await pause.async_wait(as_values);
    }
    co_return *ended_;
}

asio::awaitable<void> LabServer::watch_idleness(milliseconds limit) {
    asio::steady_timer pause(executor_);
    while (!ending_) {
        if (clients_ == 0 && steady_clock::now() - last_asked_ >= limit) end();
        pause.expires_after(std::min<milliseconds>(limit, std::chrono::seconds(1)));
        co_await pause.async_wait(as_values);
    }
}

asio::awaitable<void> LabServer::accept_clients() {
    while (true) {
        auto [failed, socket] = co_await acceptor_.async_accept(as_values);
        if (failed) co_return;
        if (!peer_of(socket.native_handle()).is_trusted) continue;
        asio::co_spawn(executor_, converse(std::move(socket)), asio::detached);
    }
}

asio::awaitable<void> LabServer::converse(UnixSocket socket) {
    ++clients_;
    std::string received;
    while (true) {
        const auto [ended, length] =
            co_await asio::async_read_until(socket, asio::dynamic_buffer(received, longest_request), '\n', as_values);
        if (ended) break;
        auto request = parse_request(std::string_view(received).substr(0, length - 1));
        received.erase(0, length);
        last_asked_ = steady_clock::now();
        if (request && std::holds_alternative<UseAgent>(*request)) {
            co_await lend_agent(socket);
            break;
        }
        Result<json> outcome = json();
        if (request)
            outcome = co_await answer(std::move(*request));
        else
            outcome = fail(request.error());
        const std::string line = answer_line(outcome);
        const auto [unsent, count] = co_await asio::async_write(socket, asio::buffer(line), as_values);
        last_asked_ = steady_clock::now();
        if (unsent) break;
    }
    last_asked_ = steady_clock::now();
    --clients_;
}

asio::awaitable<void> LabServer::lend_agent(UnixSocket& socket) {
    std::string user = user_of(socket);
    auto turn = co_await lab_.take_agent(std::move(user));
    std::shared_ptr<AgentRelay> relay;
    Result<json> outcome = json::object();
    if (!turn) {
        outcome = fail(turn.error());
    } else {
        relay = std::make_shared<AgentRelay>(executor_, lab_.machine().agent_link());
        auto opened = co_await relay->open();
        if (!opened) outcome = fail(std::move(opened.error()));
    }
    const std::string line = answer_line(outcome);
    const auto [unsent, count] = co_await asio::async_write(socket, asio::buffer(line), as_values);
    if (outcome && !unsent) co_await relay->serve(std::move(socket));
}

asio::awaitable<Result<json>> LabServer::answer(LabRequest request) {
    if (std::holds_alternative<StatusRequest>(request)) co_return status();
    if (std::holds_alternative<StopLab>(request)) {
        end();
        while (!ended_) co_await changed_.wait();
        if (!*ended_) co_return fail(ended_->error());
        co_return json::object();
    }
    if (auto* plug = std::get_if<PlugCard>(&request)) {
        const auto moved = co_await lab_.plug(std::move(*plug));
        co_return as_answer(moved);
    }
    if (const auto* unplug = std::get_if<UnplugCard>(&request)) {
        const auto moved = co_await lab_.unplug(unplug->slot);
        co_return as_answer(moved);
    }
    if (const auto* cut = std::get_if<CutPower>(&request)) {
        const auto sectors = co_await lab_.cut_power(*cut);
        if (!sectors) co_return fail(sectors.error());
        co_return json{{"sectors_kept", sectors->kept}, {"sectors_lost", sectors->lost}};
    }
    if (auto* order = std::get_if<OrderCard>(&request)) {
        const auto answered = co_await lab_.order(*order);
        co_return as_answer(answered);
    }
    auto& run = std::get<RunScript>(request);
    const auto said = co_await lab_.run(std::move(run.script));
    if (!said) co_return fail(said.error());
    co_return json{{"exit_status", said->exit_status}, {"output", said->output}};
}

json LabServer::status() const {
    json now = facts_;
    now["slots"] = lab_.slots();
    now["agent_works_for"] = lab_.agent_user();
    const auto why = lab_.machine().failure();
    now["failure"] = why ? why->detail : std::string();
    return now;
}

} // namespace mediarig::lab
