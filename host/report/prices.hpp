// SPDX-License-Identifier: GPL-3.0-or-later
/// What each deviation of a campaign with a price costs, reckoned from its passes. docs/measurement-method.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/measure/price.hpp"
#include "host/report/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One number that baseline and deviation have in common.
struct PricedMetric {
    std::string suite, metric;      ///< "quickbench", "random_write.64KB.iops": docs/plan-metrics.md
    std::string title;              ///< "random write 64 KB, ops/s"
    std::optional<double> baseline; ///< geometric means over the repeats that measured both
    std::optional<double> with;
    measure::Price price;
};

struct PricedDeviation {
    std::string words;  ///< "cluster size 4 KiB"
    std::string format; ///< what its passes are called: "exfat-2"
    std::vector<PricedMetric> metrics;
    /// What changes with it and is not what was asked about, a sentence each.
    std::vector<std::string> confounded;
};

struct DevicePrices {
    std::size_t device{};      ///< index into CampaignView::devices
    std::string baseline;      ///< what its passes are called: "exfat"
    std::size_t comparisons{}; ///< that were judged together
    std::size_t repeats{};     ///< of the plan
    /// The pairs of every comparison are whole cycles: in their repeats each format stood at each place equally often.
    bool balanced{};
    std::vector<PricedDeviation> deviations;
};

/// One for each device; empty where the plan asks for no price.
[[nodiscard]] std::vector<DevicePrices> prices_of(const store::CampaignView& campaign);

/// A table for each device and deviation.
[[nodiscard]] std::vector<Table> price_tables_of(const store::CampaignView& campaign);

/// As in docs/results.schema.json.
[[nodiscard]] nlohmann::json to_json(const DevicePrices& prices);

/// A row for each device, deviation and metric (RFC 4180, CRLF); the head alone where there is no price.
[[nodiscard]] std::string render_price_csv(const store::CampaignView& campaign);

} // namespace mediarig::report
