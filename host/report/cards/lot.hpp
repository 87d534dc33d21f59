// SPDX-License-Identifier: GPL-3.0-or-later
/// All devices of a campaign as one lot. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/report/cards/card.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// From the worst to the best; unset: a device without a verdict.
inline constexpr std::array<std::optional<measure::Grade>, 6> grades_worst_first{
    measure::Grade::fake, measure::Grade::fail,     measure::Grade::inconclusive,
    std::nullopt,         measure::Grade::marginal, measure::Grade::pass};

/// Returns "PASS", …, or "no verdict".
[[nodiscard]] std::string grade_text(std::optional<measure::Grade> grade);

struct GradeCount {
    std::optional<measure::Grade> grade;
    std::size_t devices{};
};
/// Of the grades that occur, worst first.
[[nodiscard]] std::vector<GradeCount> counts_of(const store::CampaignView& campaign);

/// Indices of all devices, worst grade first; within a grade those first that could not be identified, otherwise in the
/// campaign's order.
[[nodiscard]] std::vector<std::size_t> worst_first(const store::CampaignView& campaign);

/// A device in one line: "PASS  card-07, 63.9 GB, exFAT: sequential read 92.1 MB/s (…)"; of one that has no speed, why
/// it is not PASS.
[[nodiscard]] std::string line_of_device(const store::CampaignView& campaign, std::size_t device);

/// How many media the campaign's plan has, also those that were never begun; 0 where the plan cannot be read.
[[nodiscard]] std::size_t media_of_plan(const store::CampaignRecord& campaign);

/// What all media of a campaign have in common is said once, and not on each card. Pure.

/// Takes the notes that all of several cards have from them, and gives a row that says them of all: without lines
/// where there is none. Warnings and faults stay where they are: each is about its own medium.
[[nodiscard]] CardRow take_shared_notes(std::vector<Card>& cards);

/// "All 3 media"; where only some of the media have cards "Each of these 8 media".
[[nodiscard]] std::string shared_title(std::size_t cards, std::size_t media);

/// Whether a figure on one of them has a spread, which has to be explained.
[[nodiscard]] bool have_spread(const std::vector<Card>& cards);

} // namespace mediarig::report
