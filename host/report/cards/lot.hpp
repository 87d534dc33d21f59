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

/// The grades from the worst to the best; unset: a device without a verdict.
inline constexpr std::array<std::optional<measure::Grade>, 6> grades_worst_first{
    measure::Grade::fake, measure::Grade::fail,     measure::Grade::inconclusive,
    std::nullopt,         measure::Grade::marginal, measure::Grade::pass};

/// Returns "PASS", …, or "no verdict".
[[nodiscard]] std::string grade_text(std::optional<measure::Grade> grade);

struct GradeCount {
    std::optional<measure::Grade> grade;
    std::size_t devices{};
};
/// Counts the grades that occur, worst first.
[[nodiscard]] std::vector<GradeCount> counts_of(const store::CampaignView& campaign);

/// Returns the indices of all devices, worst grade first. Within a grade, devices that could not be identified come
/// first, the others in the order of the campaign.
[[nodiscard]] std::vector<std::size_t> worst_first(const store::CampaignView& campaign);

/// Returns a device in one line: "PASS  card-07, 63.9 GB, exFAT: sequential read 92.1 MB/s (…)"; without a speed, the
/// reason why it is not PASS.
[[nodiscard]] std::string line_of_device(const store::CampaignView& campaign, std::size_t device);

/// Returns the number of media in the campaign's plan, including those never begun; 0 if the plan cannot be read.
[[nodiscard]] std::size_t media_of_plan(const store::CampaignRecord& campaign);

/// Removes the notes that two or more cards all have in common, and returns them as one row, which may have no lines:
/// notes that apply to all media of a campaign are given once. Warnings and faults stay on their cards, because each
/// concerns its own medium.
[[nodiscard]] CardRow take_shared_notes(std::vector<ReportCard>& cards);

/// Returns "All 3 media", or "Each of these 8 media" if only a part of the media has cards.
[[nodiscard]] std::string shared_title(std::size_t cards, std::size_t media);

/// Returns true if a figure on a card has a spread, which needs an explanation.
[[nodiscard]] bool have_spread(const std::vector<ReportCard>& cards);

} // namespace mediarig::report
