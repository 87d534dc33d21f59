// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison as a picture of two parts. Pure.
#pragma once

#include <string>

#include "host/report/tables/comparison_record.hpp"

namespace mediarig::report {

/// Returns two <svg>: the interval of each operation and cell on one axis of ratios, with the margin as a band; and the
/// blocks of each comparison as points in time order, with the interval of the rule after each. The page's style sheet
/// defines the colours. Returns an empty text if no comparison has an interval yet.
[[nodiscard]] std::string comparison_svg(const DeviceComparison& device, const CampaignComparison& of);

} // namespace mediarig::report
