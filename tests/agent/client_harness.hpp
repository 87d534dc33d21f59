// SPDX-License-Identifier: GPL-3.0-or-later
/// The controller in tests: runs the calls of a client.
#pragma once

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/stream_link.hpp"
#include "tests/runner.hpp"

namespace mediarig::agent {

struct ClientHarness : tests::Runner {
    template <class T>
    Result<T> ask(boost::asio::awaitable<Result<T>> call) {
        return run(std::move(call));
    }
};

/// A client connection over one end of a new socket pair, and the descriptor of the other end.
inline std::pair<std::unique_ptr<StreamLink>, int> make_stream_link(boost::asio::io_context& io) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::runtime_error("socketpair");
    StreamLink::Socket socket(io, boost::asio::local::stream_protocol(), ends[0]);
    return {std::make_unique<StreamLink>(std::move(socket), "test", std::chrono::seconds(60)), ends[1]};
}

} // namespace mediarig::agent
