// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/lab_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <random>
#include <utility>

#include "host/agent/client/stream_link.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/async/as_values.hpp"
#include "host/base/async/event.hpp"
#include "host/base/async/line_framer.hpp"
#include "host/lab/qmp/unix_socket.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using agent::RequestId;
using nlohmann::json;
using std::chrono::milliseconds;

namespace {

/// Id of the last request: above every number that a client reaches.
constexpr RequestId last_request{std::uint64_t{1} << 62};
/// QEMU closes its end of a socket shortly after the controller closes its end.
constexpr auto between_tries = std::chrono::milliseconds(200);
constexpr auto socket_closes = std::chrono::seconds(10);
/// Time for the agent to clean up after a forced close.
constexpr milliseconds hurried_release{200};

/// Random, so that the id differs from requests of an earlier controller.
std::string fresh_start_id() {
    std::random_device random;
    return fmt::format("start-over-{:08x}{:08x}", random(), random());
}

std::optional<Result<void>> answer_to(const std::string& id, const agent::FramedLine& frame) {
    if (frame.kind != agent::FramedLine::Kind::line) return std::nullopt;
    const auto message = agent::parse_message(frame.text);
    const auto* response = message ? std::get_if<agent::Response>(&*message) : nullptr;
    if (response == nullptr || response->id != id) return std::nullopt;
    if (response->outcome) return Result<void>{};
    return fail(agent::from_rpc(response->outcome.error()));
}

/// Skips all pending output for an earlier controller. Cleanup failures of that controller's session are reported, but
/// the agent keeps working.
asio::awaitable<Result<void>> start_over(UnixSocket& socket, milliseconds within) {
    bool late = false;
    asio::steady_timer patience(socket.get_executor(), within);
    patience.async_wait([&](boost::system::error_code stopped) {
        if (stopped) return;
        late = true;
        boost::system::error_code ignored;
        socket.close(ignored);
    });
    const std::string id = fresh_start_id();
    const std::string request = "\n" + agent::serialise(agent::RpcRequest{id, "start_over", json::object()});
    const auto [not_sent, sent] = co_await asio::async_write(socket, asio::buffer(request), as_values);
    agent::LineFramer framer;
    std::array<char, 65536> buffer{};
    std::optional<Result<void>> answer;
    bool lost = static_cast<bool>(not_sent);
    while (!answer && !lost) {
        if (const auto frame = framer.next()) {
            answer = answer_to(id, *frame);
            continue;
        }
        const auto [stopped, count] = co_await socket.async_read_some(asio::buffer(buffer), as_values);
        lost = static_cast<bool>(stopped);
        framer.push({buffer.data(), count});
    }
    // The handler refers to this frame: let it run, or be cancelled, before the frame ends.
    patience.cancel();
    co_await asio::post(socket.get_executor(), asio::use_awaitable);
    if (answer) co_return std::move(*answer);
    if (late)
        co_return fail(Errc::timed_out,
                       fmt::format("the guest's agent did not answer within {} s", within.count() / 1000));
    co_return fail(Errc::agent_lost, "the connection to the guest's agent was closed before the answer");
}

/// Closes the connection when the agent has ended: pending requests would wait for ever.
asio::awaitable<void> watch_agent(std::shared_ptr<agent::StreamLink> line, std::function<std::size_t()> ends,
                                  std::shared_ptr<bool> watching) {
    const std::size_t before = ends();
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (*watching && ends() == before) {
        pause.expires_after(between_tries);
        co_await pause.async_wait(as_values);
    }
    if (*watching) (void)co_await line->close();
}

class LabLink final : public agent::AgentLink {
public:
    LabLink(asio::any_io_executor executor, LabLinkOptions options)
        : executor_(std::move(executor)), options_(std::move(options)), closing_ended_(executor_) {}
    LabLink(const LabLink&) = delete;
    LabLink& operator=(const LabLink&) = delete;
    ~LabLink() override { *watching_ = false; }

    asio::awaitable<Result<void>> start() override;
    asio::awaitable<Result<json>> call(RequestId id, std::string method, json params) override;
    void on_notification(NotificationHandler handler) override { handler_ = std::move(handler); }
    asio::awaitable<Result<void>> close() override;
    void expedite_close() override {
        options_.release = std::min(options_.release, hurried_release);
        if (line_) line_->expedite_close();
        if (wait_anew_) wait_anew_();
    }
    std::string description() const override { return "lab"; }

private:
    asio::any_io_executor executor_;
    LabLinkOptions options_;
    NotificationHandler handler_;
    std::shared_ptr<agent::StreamLink> line_;
    std::shared_ptr<bool> watching_ = std::make_shared<bool>(true);
    std::function<void()> wait_anew_; ///< restarts the timer of a pending close()
    Event closing_ended_;
    std::optional<Result<void>> closed_;
    bool closing_{false};
};

asio::awaitable<Result<void>> LabLink::start() {
    if (closed_) co_return fail(Errc::agent_lost, "the connection to the agent was closed");
    if (line_) co_return Result<void>{};
    auto socket = co_await connect_to(options_.socket_path, options_.open, options_.over);
    if (!socket) co_return fail(std::move(socket.error()));
    if (auto fresh = co_await start_over(*socket, options_.open); !fresh) {
        if (fresh.error().code == Errc::agent_lost && options_.exit_reason) {
            auto words = co_await options_.exit_reason();
            co_return fail(std::move(words));
        }
        co_return fresh;
    }
    line_ = std::make_shared<agent::StreamLink>(std::move(*socket), description(), socket_closes);
    line_->on_notification(std::move(handler_));
    if (options_.exit_reason) line_->on_connection_lost(options_.exit_reason);
    auto started = co_await line_->start();
    if (started && options_.agent_ends)
        asio::co_spawn(executor_, watch_agent(line_, options_.agent_ends, watching_), asio::detached);
    co_return started;
}

asio::awaitable<Result<json>> LabLink::call(RequestId id, std::string method, json params) {
    if (!line_) co_return fail(Errc::agent_lost, "the connection to the agent has not been started");
    co_return co_await line_->call(id, std::move(method), std::move(params));
}

asio::awaitable<Result<void>> LabLink::close() {
    if (closed_) {
        while (closing_) co_await closing_ended_.wait();
        co_return *closed_;
    }
    closed_ = Result<void>{};
    *watching_ = false;
    if (!line_) co_return *closed_;
    closing_ = true;
    const auto line = line_;
    const auto late = std::make_shared<bool>(false);
    asio::steady_timer patience(executor_);
    wait_anew_ = [&] {
        patience.expires_after(options_.release);
        patience.async_wait([line, late, executor = executor_](boost::system::error_code stopped) {
            if (stopped) return;
            *late = true;
            asio::co_spawn(
                executor, [line]() -> asio::awaitable<void> { co_await line->close(); }, asio::detached);
        });
    };
    wait_anew_();
    json nothing = json::object();
    auto clean_up = co_await line->call(last_request, "start_over", std::move(nothing));
    wait_anew_ = nullptr;
    patience.cancel();
    co_await line->close();
    if (*late)
        closed_ = fail(Errc::agent_lost, "the guest's agent did not release the media in time");
    else if (!clean_up)
        closed_ = fail(Errc::agent_lost, clean_up.error().detail);
    closing_ = false;
    closing_ended_.notify();
    // After this return the second caller of close() may destroy this object.
    co_return *closed_;
}

} // namespace

std::unique_ptr<agent::AgentLink> make_lab_link(asio::any_io_executor executor, LabLinkOptions options) {
    return std::make_unique<LabLink>(std::move(executor), std::move(options));
}

} // namespace mediarig::lab
