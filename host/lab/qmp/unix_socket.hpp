// SPDX-License-Identifier: GPL-3.0-or-later
/// Connects to a socket that another process is about to create.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "host/base/result.hpp"

namespace mediarig::lab {

using UnixSocket = boost::asio::local::stream_protocol::socket;

/// Maximum length of a Unix socket's path, in bytes, without its NUL. Source: unix(7), sun_path.
inline constexpr std::size_t longest_socket_path = 107;

/// Tries until the socket exists. Calls `give_up` (may be empty) between two tries and fails with the error that
/// `give_up` returns. Also fails with bad_request (the path is too long), refused (a process of another user listens),
/// timed_out.
[[nodiscard]] boost::asio::awaitable<Result<UnixSocket>> connect_to(std::string path, std::chrono::milliseconds within,
                                                                    std::function<std::optional<Error>()> give_up = {});

} // namespace mediarig::lab
