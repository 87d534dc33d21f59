// SPDX-License-Identifier: GPL-3.0-or-later
/// A finished campaign as loaded from a store: three USB card readers with one card each, exFAT and APFS, two passes of
/// quickbench and disktester each, one raw verify first. Deterministic, without files, clock or devices.
#pragma once

#include "host/store/record.hpp"

namespace mediarig::fakes {

/// Devices in this order: "fast" (PASS), "slow" (MARGINAL: its random writes are near the limit), "bargain" (FAKE: it
/// claims 64 GB and has 8).
[[nodiscard]] store::CampaignView sample_campaign();

/// Limits of the sample's verdicts.
[[nodiscard]] std::vector<measure::Limit> sample_limits();

/// One cell with a plausible histogram and series: `megabytes_per_second` for `volume` in transfers of `block`.
[[nodiscard]] workload::CellResult sample_cell(const std::string& table, workload::Access access, Bytes block,
                                               Bytes volume, double megabytes_per_second);

} // namespace mediarig::fakes
