// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the sections of a plan, one by one. Each keeps one entry for each entry of its list, faulty ones included, so
/// that an index is always the index in the text. Inner part of host/plan.
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
inline constexpr std::uint64_t least_lab_uplink = 65'536, most_lab_uplink = 1'000'000'000'000; ///< bytes a second

[[nodiscard]] std::vector<MediumRef> read_media(const Node& node);
/// What a plan may say in place of `media`. `all`: every slot of the lab, or of a rig that is not known yet.
struct SlotChoice {
    bool all{};
    std::vector<SlotId> slots;
    std::string lot, label;
};
[[nodiscard]] SlotChoice read_slots(const Node& node);
[[nodiscard]] MediumRef medium_in(SlotId slot, const std::string& lot, const std::string& label);
[[nodiscard]] std::vector<FormatEntry> read_formats(const Node& node);
[[nodiscard]] FormatEntry read_format(const Node& node);
/// What is compared becomes plan.formats, the budget plan.repeats, the rest plan.compare. `orders` and `headlines` are
/// left to complete_compare().
void read_compare(const Node& node, Plan& plan);
/// Once formats, suites and order are known: what the section says of operations and orders, or what follows where it
/// says nothing.
void complete_compare(const Node& node, Plan& plan);
[[nodiscard]] std::vector<SuiteEntry> read_suites(const Node& node);
[[nodiscard]] std::vector<measure::Limit> read_limits(const Node& node);
[[nodiscard]] std::vector<LabMedium> read_lab(const Node& node);
[[nodiscard]] std::optional<Order> read_order(const Node& node);

/// Checks what only shows when the sections are seen together. Skips what an earlier fault in `formats` or `suites`
/// would only repeat. `suites_given`: the plan has a member "suites", maybe an empty one.
struct Soundness {
    bool media{true}, formats{true}, suites{true}, lab{true};
    bool suites_given{true};
    bool to_run{true};            ///< false: it is only looked at, and needs no confirmation
    bool media_from_slots{false}; ///< `media` was written out from `slots`: nobody would find "/media/3"
};
void check_whole(const Plan& plan, const Soundness& sound, Faults& faults);

} // namespace mediarig::plan
