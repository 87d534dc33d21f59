// SPDX-License-Identifier: GPL-3.0-or-later
/// The sections of the page; each returns HTML, or nothing where it has nothing to say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/cards/card.hpp"
#include "host/report/charts/charts.hpp"
#include "host/report/output/html/html.hpp"
#include "host/report/tables/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report::html {

/// A whole page; `title` and `body` are HTML.
[[nodiscard]] std::string document(const std::string& title, const std::string& body);
/// Name, time, host, state; how many devices got which grade, and how many were never begun.
[[nodiscard]] std::string head_of(const store::CampaignView& campaign, const PageOptions& options);
/// The answer about one device.
[[nodiscard]] std::string card_html(const store::DeviceRecord& device, const Card& card);
/// What the cards have in common, behind them.
[[nodiscard]] std::string shared_html(const CardRow& row, std::size_t cards, std::size_t media);
/// All devices of an outline as one lot: how their headline figures are spread, then a line for each, worst first.
/// Those that could not be identified are whole.
[[nodiscard]] std::string lot_of(const store::CampaignView& outline);
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
