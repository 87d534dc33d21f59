// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the sections of a plan, one by one. Each function returns one entry per entry of its list, including faulty
/// entries, so an index always equals the index in the text. Internal to host/plan.
#pragma once

#include <string>
#include <vector>

#include "host/base/json/reader.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::plan {

using namespace strict_json;

inline constexpr std::size_t most_media = 1000, most_formats = 64, most_suites = 64, most_limits = 1000,
                             most_lab_slots = 32;
inline constexpr std::size_t longest_line = 200; ///< bytes of a name, lot, label or confirmation
inline constexpr std::uint32_t most_repeats = 1000;
inline constexpr std::uint64_t least_lab_uplink = 65'536, most_lab_uplink = 1'000'000'000'000; ///< bytes per second

[[nodiscard]] std::vector<MediumRef> read_media(const Node& node);
/// The alternative to `media` in a plan. `all`: every slot of the lab, or every slot of a rig that is not yet known.
struct SlotChoice {
    bool all{};
    std::vector<SlotId> slots;
    std::string lot, label;
};
[[nodiscard]] SlotChoice read_slots(const Node& node);
[[nodiscard]] MediumRef medium_in(SlotId slot, const std::string& lot, const std::string& label);
[[nodiscard]] std::vector<FormatEntry> read_formats(const Node& node);
[[nodiscard]] FormatEntry read_format(const Node& node);
/// Reads the compared formats into plan.formats, the budget into plan.repeats, and the other members into plan.compare.
/// complete_compare() reads `orders` and `headlines`.
void read_compare(const Node& node, Plan& plan);
/// Called when formats, suites and order are known: reads operations and orders, or sets their defaults.
void complete_compare(const Node& node, Plan& plan);
[[nodiscard]] std::vector<SuiteEntry> read_suites(const Node& node);
[[nodiscard]] std::vector<measure::Limit> read_limits(const Node& node);
[[nodiscard]] std::vector<EmulatedMedium> read_lab(const Node& node);
[[nodiscard]] std::optional<Order> read_order(const Node& node);

} // namespace mediarig::plan
