// SPDX-License-Identifier: GPL-3.0-or-later
/// Requests of an observer to a campaign: one JSON object per line, {"do": "stop"}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::events {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(ControlRequest, std::uint8_t,
                              stop,  ///< stops at once; results are kept, and the campaign can be resumed
                              pause, ///< running steps finish; no new step begins
                              resume ///< ends a pause
)
[[nodiscard]] constexpr auto other_names(ControlRequest** /*type*/) {
    return std::array{Name<ControlRequest>{ControlRequest::resume, "continue"}};
}

/// Maximum length of a request line; a client that sends a longer line is disconnected.
inline constexpr std::size_t longest_request = 4096;

/// `line` must not contain its line feed. Fails with bad_request and a list of the valid requests.
[[nodiscard]] Result<ControlRequest> parse_request(std::string_view line);
/// Returns the line with its line feed.
[[nodiscard]] std::string line_of(ControlRequest request);

} // namespace mediarig::events
