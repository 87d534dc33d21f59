// SPDX-License-Identifier: GPL-3.0-or-later
/// The sections of the page. Each function returns HTML, or an empty text if there is no content.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/cards/card.hpp"
#include "host/report/cards/summary.hpp"
#include "host/report/charts/charts.hpp"
#include "host/report/tables/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report::html {

/// Returns a complete page; `title` and `body` are HTML.
[[nodiscard]] std::string document(const std::string& title, const std::string& body);
/// Returns name, time and state, the number of devices per grade, and the number of media never begun. `made`,
/// `media`: see PageOptions.
[[nodiscard]] std::string head_of(const store::CampaignView& campaign, store::TimePoint made, std::size_t media);
/// Returns the host, the versions and the connection to the agent.
[[nodiscard]] std::string station_of(const store::CampaignRecord& campaign);
/// Returns the card of one device.
[[nodiscard]] std::string card_html(const store::DeviceRecord& device, const ReportCard& card, std::size_t index);
/// Returns the common notes, which follow the cards.
[[nodiscard]] std::string shared_html(const CardRow& row, std::size_t cards, std::size_t media);
/// Returns the id of a device's card on the page.
[[nodiscard]] std::string card_id(std::size_t device);
/// Returns the table of all media and the ranking. The names of the devices in `with_cards` are links.
[[nodiscard]] std::string summary_html(const ResultSummary& summary, const std::vector<std::size_t>& with_cards);
/// Returns the origin and the units of the figures.
[[nodiscard]] std::string note_on_summary(const ResultSummary& summary);
/// limits_of(): each limit with the measured values.
[[nodiscard]] std::string limits_of(const store::CampaignView& campaign);
[[nodiscard]] std::string findings_of(const store::CampaignView& campaign);
/// Returns the damaged ranges of verified media.
[[nodiscard]] std::string damage_of(const store::CampaignView& campaign);
/// Returns the identity that each device reports, its connection, and signs of a fake.
[[nodiscard]] std::string identity_of(const store::CampaignView& campaign);
/// Returns the initial content of each medium and its formats: drawing, relevant parameters, deviations; usable bytes
/// by format.
[[nodiscard]] std::string layout_of(const store::CampaignView& campaign);
/// Returns how each figure was measured, one fold per pass.
[[nodiscard]] std::string method_of(const store::CampaignView& campaign);
/// table_of(): block-size tables are split by device, so that each fits on paper.
[[nodiscard]] std::string table_of(const Table& table);
[[nodiscard]] std::string charts_of(const std::vector<Chart>& charts);

/// Returns "<span class=…>✓ PASS</span>"; unset: no verdict.
[[nodiscard]] std::string badge(std::optional<measure::Grade> grade);

} // namespace mediarig::report::html
