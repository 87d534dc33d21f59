// SPDX-License-Identifier: GPL-3.0-or-later
/// One request and one answer, a line each, over a connected Unix socket, within limits of size and time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstddef>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig {

using LocalSocket = boost::asio::local::stream_protocol::socket;

struct AnswerLimit {
    std::size_t bytes{};              ///< of the answer's line, with its end
    std::chrono::milliseconds time{}; ///< from the call to the end of the answer
};

/// Takes over a descriptor of connect_in(). Fails with io_failed.
[[nodiscard]] Result<LocalSocket> as_socket(const boost::asio::any_io_executor& executor, Descriptor connected);

/// Sends `line`, which has its end, and returns the answer without its end. `peer` is the subject of the failures:
/// timed_out, bad_format (too long, or more follows) and agent_lost (closed before the end of the line). After a
/// failure the socket is closed.
[[nodiscard]] boost::asio::awaitable<Result<std::string>> ask_line(LocalSocket& socket, std::string line,
                                                                   AnswerLimit limit, std::string peer);

} // namespace mediarig
