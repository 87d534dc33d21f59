// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/async/ask_line.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <thread>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace std::chrono_literals;

namespace {

void send(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(to, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

/// The answer that a client receives from a peer that has read the request. The connection closes when `peer` returns.
Result<std::string> answer_of(const std::function<void(int)>& peer, AnswerLimit limit = {.bytes = 1000, .time = 1min}) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    std::thread other([&] {
        std::array<char, 100> request{};
        (void)!::recv(ends[1], request.data(), request.size(), 0);
        peer(ends[1]);
        ::close(ends[1]);
    });
    boost::asio::io_context io(1);
    auto socket = as_socket(io.get_executor(), Descriptor(ends[0]));
    REQUIRE(socket);
    Result<std::string> answer = fail(Errc::io_failed, "no request was sent");
    boost::asio::co_spawn(
        io,
        [&]() -> boost::asio::awaitable<void> { answer = co_await ask_line(*socket, "status\n", limit, "the lab"); },
        boost::asio::detached);
    io.run();
    socket->close();
    other.join();
    return answer;
}

} // namespace

TEST_CASE("ask_line() returns the line of the answer") {
    const auto answer = answer_of([](int to) { send(to, "{\"ok\":true}\n"); });
    REQUIRE(answer);
    CHECK(*answer == "{\"ok\":true}");
    CHECK(answer_of([](int to) {
              for (const char* part : {"in ", "three ", "parts\n"}) send(to, part);
          }) == "in three parts");
}

TEST_CASE("ask_line() reports each fault of its peer as a one-line error") {
    CHECK(answer_of([](int) {}).error() == Error{Errc::agent_lost, "the lab ended before it had answered"});
    CHECK(answer_of([](int to) { send(to, "{\"ok\":tr"); }).error() ==
          Error{Errc::agent_lost, "the lab ended before it had answered"});
    CHECK(answer_of([](int to) { send(to, std::string(5000, 'x')); }).error() ==
          Error{Errc::bad_format, "the answer of the lab is longer than 1000 bytes"});
    CHECK(answer_of([](int to) { send(to, "one\ntwo\n"); }).error() ==
          Error{Errc::bad_format, "the lab sent more than one line in answer to one request"});
    // A peer that sends nothing until the client closes the connection.
    const auto waits = [](int to) {
        char byte{};
        while (::recv(to, &byte, 1, 0) > 0) {
        }
    };
    CHECK(answer_of(waits, {.bytes = 1000, .time = 20ms}).error().code == Errc::timed_out);
    CHECK(answer_of(
              [&](int to) {
                  send(to, "half");
                  waits(to);
              },
              {.bytes = 1000, .time = 20ms})
              .error()
              .code == Errc::timed_out);
}

TEST_CASE("ask_line() stops reading an answer that never ends") {
    std::size_t sent = 0;
    const auto floods = [&](int to) {
        const std::string block(1 << 16, 'x');
        while (::send(to, block.data(), block.size(), MSG_NOSIGNAL) > 0) sent += block.size();
    };
    CHECK(answer_of(floods).error().code == Errc::bad_format);
    CHECK(sent < (64U << 20U)); // socket buffers, not memory of this process
}
