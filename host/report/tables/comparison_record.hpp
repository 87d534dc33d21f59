// SPDX-License-Identifier: GPL-3.0-or-later
/// Which of its formats a campaign found to be faster, decided anew from its passes. docs/guide/comparison.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/comparison/cells.hpp"
#include "host/campaign/comparison/trial.hpp"
#include "host/plan/plan.hpp"
#include "host/report/tables/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

struct DeviceComparison {
    std::size_t device{}; ///< index into CampaignView::devices
    trial::Course course;
    std::vector<trial::CellStanding> cells;
    std::vector<std::string> sentences; ///< the answer, one for each of course.comparison.standings()
    std::string caution;                ///< drivers and caches that keep a difference from being the formats' own
    /// What must be known to read it: how it was measured, and what changes with a format without having been asked
    /// about; a sentence each.
    std::vector<std::string> notes;
};

struct CampaignComparison {
    plan::Plan plan;
    std::vector<std::string> titles; ///< of the formats, as in the plan
    std::vector<DeviceComparison> devices;
};

/// Nothing where the campaign compares none.
[[nodiscard]] std::optional<CampaignComparison> comparison_of(const store::CampaignView& campaign);

/// For each device the answer, its cells, and the course of the decision.
[[nodiscard]] std::vector<Table> comparison_tables_of(const store::CampaignView& campaign);
/// The answer about each device in sentences, with what bears on it; empty where the campaign compares nothing.
[[nodiscard]] std::vector<std::string> comparison_answers_of(const store::CampaignView& campaign);

/// As in docs/schemas/results.schema.json.
[[nodiscard]] nlohmann::json to_json(const DeviceComparison& device, const CampaignComparison& of);

/// A row for each device, operation, pair of formats and block, with what was decided by then (RFC 4180, CRLF); the
/// head alone where nothing is compared.
[[nodiscard]] std::string render_comparison_csv(const store::CampaignView& campaign);

} // namespace mediarig::report
