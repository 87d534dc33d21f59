// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/place_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/base/text.hpp"

namespace mediarig::report {
namespace {

using workload::CheckedPlace, workload::PlaceState;

/// Fits next to the title of a row on a terminal with 80 columns.
constexpr std::size_t parts_of_line = 64;

struct StateSign {
    PlaceState state;
    std::string_view sign, title;
};
/// From the best to the worst.
constexpr std::array state_signs{StateSign{PlaceState::good, "█", "good"}, StateSign{PlaceState::slow, "▒", "slow"},
                                 StateSign{PlaceState::unreadable, "x", "unreadable"},
                                 StateSign{PlaceState::unwritten, "w", "unwritten"},
                                 StateSign{PlaceState::not_kept, "!", "not kept"}};
constexpr std::string_view not_checked = "·";

const StateSign& sign_of(PlaceState state) {
    return *std::ranges::find(state_signs, state, &StateSign::state);
}

} // namespace

std::vector<std::optional<PlaceState>> map_parts(Bytes medium, const std::vector<CheckedPlace>& places,
                                                 std::size_t parts) {
    std::vector<std::optional<PlaceState>> map(parts);
    if (medium == 0_B || parts == 0) return map;
    const double part = static_cast<double>(medium.count) / static_cast<double>(parts);
    for (const CheckedPlace& place : places) {
        const auto index = static_cast<std::size_t>(static_cast<double>(place.offset.count) / part);
        std::optional<PlaceState>& worst = map[std::min(index, parts - 1)];
        // The enumerators are ordered from the best to the worst.
        if (!worst || *worst < place.state) worst = place.state;
    }
    return map;
}

std::string_view title_of(PlaceState state) {
    return sign_of(state).title;
}

std::vector<std::string> map_lines(const workload::VerifyOutcome& outcome) {
    if (outcome.places.empty()) return {};
    std::string map;
    for (const auto& state : map_parts(outcome.claimed, outcome.places, parts_of_line))
        map += state ? sign_of(*state).sign : not_checked;
    std::string legend;
    for (const StateSign& each : state_signs) {
        const auto count = std::ranges::count(outcome.places, each.state, &CheckedPlace::state);
        if (count > 0) legend += fmt::format("{}{} {} {}", legend.empty() ? "" : ", ", each.sign, count, each.title);
    }
    return {map,
            fmt::format("places from 0 to {}: {}; {} not checked", size_text(outcome.claimed), legend, not_checked)};
}

} // namespace mediarig::report
