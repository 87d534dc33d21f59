// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison as a picture of two parts. Pure.
#pragma once

#include <string>

#include "host/report/tables/comparison_record.hpp"

namespace mediarig::report {

/// Two <svg>: the interval of each operation and cell on one axis of ratios with the margin as a band; and for each
/// comparison its blocks as points in time order with the interval that the rule had after each. Colours come from the
/// page's style sheet. Empty where no comparison has an interval yet.
[[nodiscard]] std::string comparison_svg(const DeviceComparison& device, const CampaignComparison& of);

} // namespace mediarig::report
