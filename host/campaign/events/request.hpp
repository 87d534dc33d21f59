// SPDX-License-Identifier: GPL-3.0-or-later
/// What a watcher may ask of a campaign: one JSON object a line, {"do": "stop"}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::events {

enum class Request : std::uint8_t {
    stop,  ///< now; what was measured stays, and the campaign can be resumed
    pause, ///< what runs is brought to its end, nothing new begins
    go_on  ///< after a pause
};
[[nodiscard]] std::string_view name_of(Request request);

/// The longest line of a request; a client that sends a longer one is let go.
inline constexpr std::size_t longest_request = 4096;

/// Without its line feed. Fails with bad_request, saying what a request is.
[[nodiscard]] Result<Request> parse_request(std::string_view line);
/// With its line feed.
[[nodiscard]] std::string line_of(Request request);

} // namespace mediarig::events
