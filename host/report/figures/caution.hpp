// SPDX-License-Identifier: GPL-3.0-or-later
/// What keeps a difference between formats from being the formats' own.
#pragma once

#include <string>
#include <vector>

#include "host/plan/plan.hpp"
#include "host/report/figures/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One paragraph that names each format whose driver has a limit that bears on rates, or that went through another
/// cache than the others did; where all went through one limited driver alike, that driver. Empty where nothing of that
/// kind was recorded, or where no device was measured under two formats. Plain text, not yet made safe.
[[nodiscard]] std::string caution_about(const store::CampaignView& campaign, const std::vector<Subject>& compared);

/// Under which conditions the passes of a comparison met the medium, and where they were not alike. Inner part of
/// host/report. Pure.

/// A sentence each; `titles` of the plan's formats.
[[nodiscard]] std::vector<std::string> condition_notes(const plan::Plan& plan, const std::vector<std::string>& titles,
                                                       const store::DeviceView& device);

} // namespace mediarig::report
