// SPDX-License-Identifier: GPL-3.0-or-later
/// The sections of the page; each returns HTML, or nothing where it has nothing to say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/card.hpp"
#include "host/report/charts.hpp"
#include "host/report/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report::html {

/// Name, time, host, state; how many devices got which grade.
[[nodiscard]] std::string head_of(const store::CampaignView& campaign);
/// The answer about each device, and how its figures are to be read.
[[nodiscard]] std::string cards_of(const store::CampaignView& campaign, const std::vector<Card>& cards);
/// All devices as one lot: how their figures are spread, then a line for each, worst first.
[[nodiscard]] std::string lot_of(const store::CampaignView& campaign, const Figures& figures);
/// Each limit with what was measured against it.
[[nodiscard]] std::string limits_of(const store::CampaignView& campaign);
[[nodiscard]] std::string findings_of(const store::CampaignView& campaign);
/// Where a verified medium is damaged.
[[nodiscard]] std::string damage_of(const store::CampaignView& campaign);
/// What each device says of itself, how it is attached, and what hints at a fake.
[[nodiscard]] std::string identity_of(const store::CampaignView& campaign);
/// What each medium held when it came and what was made of it: drawing, parameters that matter, deviations; usable
/// bytes by format.
[[nodiscard]] std::string layout_of(const store::CampaignView& campaign);
/// How each number was made, a fold a pass.
[[nodiscard]] std::string method_of(const store::CampaignView& campaign);
/// Block-size tables are cut by device, so that each fits on paper.
[[nodiscard]] std::string table_of(const Table& table);
[[nodiscard]] std::string charts_of(const std::vector<Chart>& charts);

/// "<span class=…>✓ PASS</span>"; unset: no verdict.
[[nodiscard]] std::string badge(std::optional<measure::Grade> grade);

} // namespace mediarig::report::html
