// SPDX-License-Identifier: GPL-3.0-or-later
/// The controller's side in tests: a client, and an io_context that runs until one answer has arrived.
#pragma once

#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "host/agent/client/agent_client.hpp"
#include "host/agent/client/stream_link.hpp"

namespace mediarig::agent {

class ClientHarness {
public:
    boost::asio::io_context io;
    std::chrono::minutes patience{2}; ///< for one answer

    /// Starts `call` without waiting for it.
    template <class T>
    std::shared_ptr<std::optional<Result<T>>> begin(boost::asio::awaitable<Result<T>> call) {
        auto slot = std::make_shared<std::optional<Result<T>>>();
        boost::asio::co_spawn(io, std::move(call), [slot](const std::exception_ptr& thrown, Result<T> result) {
            if (thrown) std::rethrow_exception(thrown);
            *slot = std::move(result);
        });
        return slot;
    }
    /// Runs until the answer has arrived.
    template <class T>
    Result<T> finish(const std::shared_ptr<std::optional<Result<T>>>& slot) {
        const auto until = std::chrono::steady_clock::now() + patience;
        io.restart();
        while (!*slot) {
            if (io.run_one_until(until) == 0) throw std::runtime_error("no answer came");
        }
        return **slot;
    }
    template <class T>
    Result<T> ask(boost::asio::awaitable<Result<T>> call) {
        return finish(begin(std::move(call)));
    }
};

/// A link over one end of a new socket pair, and the descriptor of the other end.
inline std::pair<std::unique_ptr<StreamLink>, int> make_stream_link(boost::asio::io_context& io) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::runtime_error("socketpair");
    StreamLink::Socket socket(io, boost::asio::local::stream_protocol(), ends[0]);
    return {std::make_unique<StreamLink>(std::move(socket), "test", std::chrono::seconds(60)), ends[1]};
}

} // namespace mediarig::agent
