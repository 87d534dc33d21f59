// SPDX-License-Identifier: GPL-3.0-or-later
/// Sends one request line over a connected Unix socket and reads one answer line, with limits of size and time.
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
    std::size_t bytes{};              ///< length of the answer, including the end of the line
    std::chrono::milliseconds time{}; ///< from the call to the end of the answer
};

/// Takes over a descriptor of connect_in(). Fails with io_failed.
[[nodiscard]] Result<LocalSocket> as_socket(const boost::asio::any_io_executor& executor, Descriptor connected);

/// Sends `line`, which includes its newline, and returns the answer without its newline. Errors name `peer` as their
/// subject: timed_out, bad_format (too long, or followed by more data) and agent_lost (closed before the end of the
/// line). Closes the socket after a failure.
[[nodiscard]] boost::asio::awaitable<Result<std::string>> ask_line(LocalSocket& socket, std::string line,
                                                                   AnswerLimit limit, std::string peer);

} // namespace mediarig
