// SPDX-License-Identifier: GPL-3.0-or-later
// The controller's connection through QEMU's socket to the agent's port, with the agent's server at the other end.
#include <poll.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <thread>
#include <tuple>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/base/async/as_values.hpp"
#include "host/lab/machine/lab_link.hpp"
#include "host/lab/qmp/unix_socket.hpp"
#include "tests/agent/client_harness.hpp"
#include "tests/agent/port.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

using agent::AgentClient;
using agent::ClientHarness;

/// QEMU's end: a socket that accepts one connection after another and forwards bytes.
class Socket {
public:
    Socket(const tests::Scratch& scratch, agent::Port* port) : path(scratch.path("agent")) {
        listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(listener_, 4) == 0);
        thread_ = std::thread([this, port] { serve(port); });
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        ending_ = true;
        thread_.join();
        ::close(listener_);
    }
    const std::string path;

private:
    static bool hand_on(int from, int to) {
        std::array<char, 4096> buffer{};
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        return got > 0 && ::write(to, buffer.data(), static_cast<std::size_t>(got)) == got;
    }
    void serve(agent::Port* port) {
        while (!ending_) {
            pollfd waiting{listener_, POLLIN, 0};
            if (::poll(&waiting, 1, 20) != 1) continue;
            const int connection = ::accept(listener_, nullptr, nullptr);
            const int writer = port != nullptr ? port->connect() : -1;
            bool open = true;
            while (open && !ending_) {
                std::array<pollfd, 2> polled{pollfd{connection, POLLIN, 0},
                                             pollfd{port != nullptr ? port->output() : -1, POLLIN, 0}};
                ::poll(polled.data(), polled.size(), 20);
                if (polled[0].revents != 0) open = port != nullptr ? hand_on(connection, writer) : false;
                if (open && polled[1].revents != 0) open = hand_on(port->output(), connection);
            }
            ::close(connection);
            if (writer >= 0) ::close(writer);
        }
    }
    int listener_{};
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

std::unique_ptr<agent::AgentLink> link_to(ClientHarness& talk, const Socket& socket,
                                          std::chrono::milliseconds open = std::chrono::minutes(1)) {
    return make_lab_link(talk.io.get_executor(),
                         {.socket_path = socket.path, .open = open, .release = std::chrono::minutes(1)});
}

/// An agent that no longer answers after its hello.
boost::asio::awaitable<void> answer_once(boost::asio::local::stream_protocol::acceptor& listener) {
    auto [failed, socket] = co_await listener.async_accept(as_values);
    std::string heard;
    co_await boost::asio::async_read_until(socket, boost::asio::dynamic_buffer(heard), "}\n", as_values);
    const auto request = agent::parse_message(std::string_view(heard).substr(1)); // the request follows an empty line
    const std::string answer =
        agent::serialise(agent::Response{std::get<agent::RpcRequest>(*request).id, nlohmann::json()});
    co_await boost::asio::async_write(socket, boost::asio::buffer(answer), as_values);
    boost::system::error_code open;
    std::array<char, 4096> ignored{};
    while (!open)
        std::tie(open, std::ignore) = co_await socket.async_read_some(boost::asio::buffer(ignored), as_values);
}

} // namespace

TEST_CASE("lab link: a client talks to the guest's agent, and close() releases everything") {
    const tests::Scratch scratch;
    agent::Port port;
    port.start();
    const Socket socket(scratch, &port);
    for (int visit = 0; visit < 3; ++visit) {
        ClientHarness talk;
        AgentClient client(link_to(talk, socket));
        CHECK(client.description() == "lab");
        REQUIRE(reason(talk.ask(client.hello("test 1"))) == "success");
        REQUIRE(reason(talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"}))) == "success");
        CHECK(port.backend.open_claims() == 1);
        CHECK(reason(talk.ask(client.close())) == "success");
        CHECK(port.backend.open_claims() == 0);
        CHECK(reason(talk.ask(client.close())) == "success");
        CHECK(!talk.ask(client.devices()).has_value());
    }
}

TEST_CASE("lab link: requests and answers of an earlier controller are dropped") {
    const tests::Scratch scratch;
    agent::Port port;
    port.start();
    const Socket socket(scratch, &port);
    for (int visit = 0; visit < 5; ++visit) {
        ClientHarness talk;
        {
            // Sends many requests, reads nothing, and stops in the middle of a message.
            AgentClient killed(link_to(talk, socket));
            REQUIRE(reason(talk.ask(killed.hello("test 1"))) == "success");
            REQUIRE(reason(talk.ask(killed.claim({"/dev/sdx", "S-/dev/sdx"}))) == "success");
            for (int i = 0; i < 20; ++i) (void)talk.begin(killed.devices());
            talk.io.restart();
            talk.io.poll();
            // Pending calls end before their client.
            (void)talk.begin(killed.close());
            (void)talk.ask(killed.close());
        }
        auto raw = talk.ask(shared(connect_to(socket.path, std::chrono::minutes(1))));
        REQUIRE(reason(raw) == "success");
        boost::system::error_code ignored;
        (*raw)->write_some(boost::asio::buffer(std::string(R"({"jsonrpc":"2.0","id":1,"method":"hel)")), ignored);
        (*raw)->close(ignored);

        AgentClient next(link_to(talk, socket));
        REQUIRE(reason(talk.ask(next.hello("test 2"))) == "success");
        CHECK(reason(talk.ask(next.claim({"/dev/sdx", "S-/dev/sdx"}))) == "success");
        CHECK(reason(talk.ask(next.close())) == "success");
    }
}

TEST_CASE("lab link: close() returns the error of an agent that failed to release its media") {
    const tests::Scratch scratch;
    agent::Port port;
    port.backend.failures["release"] = {Errc::io_failed, "the device hangs"};
    port.start();
    const Socket socket(scratch, &port);
    ClientHarness talk;
    AgentClient client(link_to(talk, socket));
    REQUIRE(reason(talk.ask(client.hello("test 1"))) == "success");
    REQUIRE(reason(talk.ask(client.claim({"/dev/sdx", "S-/dev/sdx"}))) == "success");
    const auto closed = talk.ask(client.close());
    REQUIRE(!closed.has_value());
    CHECK(closed.error().code == Errc::agent_lost);
    CHECK_THAT(reason(closed), ContainsSubstring("the device hangs"));
}

TEST_CASE("lab link: a forced close does not wait for a hanging agent in the guest") {
    const tests::Scratch scratch;
    ClientHarness talk;
    const std::string path = scratch.path("hanging");
    boost::asio::local::stream_protocol::acceptor listener(talk.io,
                                                           boost::asio::local::stream_protocol::endpoint(path));
    boost::asio::co_spawn(talk.io, answer_once(listener), boost::asio::detached);
    const auto link =
        make_lab_link(talk.io.get_executor(),
                      {.socket_path = path, .open = std::chrono::minutes(1), .release = std::chrono::minutes(1)});
    REQUIRE(reason(talk.ask(link->start())) == "success");
    const auto closing = talk.begin(link->close());
    const auto again = talk.begin(link->close());
    talk.io.restart();
    talk.io.run_for(std::chrono::milliseconds(300));
    REQUIRE(!*closing);
    const auto begun = std::chrono::steady_clock::now();
    link->expedite_close();
    const auto closed = talk.finish(closing);
    CHECK(reason(closed) == "the guest's agent did not release the media in time");
    CHECK(reason(talk.finish(again)) == reason(closed));
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(1));
}

TEST_CASE("lab link: a stopped machine and a silent agent give one clear error") {
    const tests::Scratch scratch;
    ClientHarness talk;
    {
        // Accepts the connection and closes it.
        const Socket socket(scratch, nullptr);
        const auto link = link_to(talk, socket);
        CHECK(reason(talk.ask(link->start())) == "the connection to the guest's agent was closed before the answer");
        const auto told =
            make_lab_link(talk.io.get_executor(), {.socket_path = socket.path,
                                                   .open = std::chrono::minutes(1),
                                                   .release = std::chrono::minutes(1),
                                                   .exit_reason = []() -> boost::asio::awaitable<Error> {
                                                       co_return Error{Errc::rig_fault, "the guest's kernel crashed"};
                                                   }});
        const auto started = talk.ask(told->start());
        REQUIRE(!started.has_value());
        CHECK(started.error() == Error{Errc::rig_fault, "the guest's kernel crashed"});
    }
    // The socket accepts the connection, but no lab answers, so the start ends with its time limit.
    const std::string silent = scratch.path("silent");
    boost::asio::local::stream_protocol::acceptor listener(talk.io,
                                                           boost::asio::local::stream_protocol::endpoint(silent));
    const auto late =
        make_lab_link(talk.io.get_executor(),
                      {.socket_path = silent, .open = std::chrono::seconds(2), .release = std::chrono::minutes(1)});
    const auto started = talk.ask(late->start());
    REQUIRE(!started.has_value());
    CHECK(started.error() == Error{Errc::timed_out, "the guest's agent did not answer within 2 s"});
    CHECK(!talk.ask(late->call(agent::RequestId{1}, "devices", nlohmann::json::object())).has_value());
}

} // namespace mediarig::lab
