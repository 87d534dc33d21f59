// SPDX-License-Identifier: GPL-3.0-or-later
/// A map of the checked places of a medium as text. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/workload/outcome.hpp"

namespace mediarig::report {

/// Returns the state of each of `parts` equal parts of a medium, from its first to its last byte: the worst state of
/// the places that begin in the part; nothing where no place was checked.
[[nodiscard]] std::vector<std::optional<workload::PlaceState>> map_parts(
    Bytes medium, const std::vector<workload::CheckedPlace>& places, std::size_t parts);

/// Returns "good", "slow", "unreadable", "unwritten", "not kept".
[[nodiscard]] std::string_view title_of(workload::PlaceState state);

/// Returns the map, then its legend with the number of places of each state; empty without places.
[[nodiscard]] std::vector<std::string> map_lines(const workload::VerifyOutcome& outcome);

} // namespace mediarig::report
