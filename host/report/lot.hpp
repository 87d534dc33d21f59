// SPDX-License-Identifier: GPL-3.0-or-later
/// All devices of a campaign seen as one lot. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// From the worst to the best; unset is a device without a verdict.
inline constexpr std::array<std::optional<measure::Grade>, 6> grades_worst_first{
    measure::Grade::fake, measure::Grade::fail,     measure::Grade::inconclusive,
    std::nullopt,         measure::Grade::marginal, measure::Grade::pass};

/// "PASS", …; "no verdict".
[[nodiscard]] std::string grade_words(std::optional<measure::Grade> grade);

struct GradeCount {
    std::optional<measure::Grade> grade;
    std::size_t devices{};
};
/// Of the grades that occur, worst first.
[[nodiscard]] std::vector<GradeCount> counts_of(const store::CampaignView& campaign);

/// Indices of all devices, worst grade first, otherwise in the campaign's order.
[[nodiscard]] std::vector<std::size_t> worst_first(const store::CampaignView& campaign);

/// What became of those behind the first `shown` of `order`: "12 more: 2 MARGINAL, 10 PASS".
[[nodiscard]] std::string others_words(const store::CampaignView& campaign, const std::vector<std::size_t>& order,
                                       std::size_t shown);

} // namespace mediarig::report
