// SPDX-License-Identifier: GPL-3.0-or-later
/// Sizes as people write them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "common/units.hpp"

namespace mediarig::strict_json {

inline constexpr Bytes largest_size{std::uint64_t{1}
                                    << 50}; ///< 1 PiB: no medium is near, and the sums over a job stay below 2^64

/// "4096", "4096 B", "32KiB", "4 MiB", "2GiB", "1TiB": a whole number, at most one space, a binary unit. Decimal units
/// ("4MB") are refused: rates in this field are decimal, transfer sizes are not, and a plan should not leave it open.
/// The error is a reason for people.
[[nodiscard]] tl::expected<Bytes, std::string> parse_size(std::string_view text);

} // namespace mediarig::strict_json
