// SPDX-License-Identifier: GPL-3.0-or-later
/// Decides from the recorded passes of a campaign which formats are faster; see docs/guide/comparison.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/comparison/cells.hpp"
#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/plan/plan.hpp"
#include "host/report/tables/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

struct DeviceComparison {
    std::size_t device{}; ///< index into CampaignView::devices
    comparison_campaign::Course course;
    std::vector<comparison_campaign::CellPairResult> cells;
    std::vector<std::string> sentences; ///< one for each element of course.comparison.pair_results()
    std::string caveat;                 ///< drivers and caches that affect a difference between formats
    /// Information required to interpret the result, one sentence each: how it was measured, and properties that
    /// changed with a format unintentionally.
    std::vector<std::string> notes;
};

struct CampaignComparison {
    plan::Plan plan;
    std::vector<std::string> titles; ///< titles of the formats in the plan
    std::vector<DeviceComparison> devices;
};

/// Returns nothing if the campaign compares no formats.
[[nodiscard]] std::optional<CampaignComparison> comparison_of(const store::CampaignView& campaign);

/// Returns tables for each device: the result, its cells and the course of the decision.
[[nodiscard]] std::vector<Table> comparison_tables_of(const store::CampaignView& campaign);
/// Returns the result about each device in sentences, with its caveats; empty if the campaign compares no formats.
[[nodiscard]] std::vector<std::string> comparison_answers_of(const store::CampaignView& campaign);

/// Returns the comparisons as JSON according to docs/schemas/results.schema.json.
[[nodiscard]] nlohmann::json to_json(const DeviceComparison& device, const CampaignComparison& of);

/// Returns a row for each device, operation, pair of formats and block, with the decision at that time (RFC 4180,
/// CRLF); only the header line if no formats are compared.
[[nodiscard]] std::string render_comparison_csv(const store::CampaignView& campaign);

} // namespace mediarig::report
