// SPDX-License-Identifier: GPL-3.0-or-later
/// What keeps a difference between formats from being the formats' own.
#pragma once

#include <string>
#include <vector>

#include "host/report/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One paragraph that names each format whose driver has a limit that bears on rates, or that went through another
/// cache than the others did; where all went through one limited driver alike, that driver. Empty where nothing of that
/// kind was recorded, or where no device was measured under two formats. Plain text, not yet made safe.
[[nodiscard]] std::string caution_about(const store::CampaignView& campaign, const std::vector<Subject>& compared);

} // namespace mediarig::report
