// SPDX-License-Identifier: GPL-3.0-or-later
/// Warnings about differences between formats whose cause may not be the format.
#pragma once

#include <string>
#include <vector>

#include "host/plan/plan.hpp"
#include "host/report/figures/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Returns one paragraph that names each format whose driver has a limit that affects rates, or that used a different
/// cache than the others. If all formats used the same driver with such a limit, the paragraph names only that driver.
/// Returns an empty text if no such condition was recorded or no device was measured under two formats. Plain text
/// without escaping.
[[nodiscard]] std::string caveat_about(const store::CampaignView& campaign, const std::vector<Subject>& compared);

/// Returns one sentence for each difference in the conditions under which passes of a comparison met the medium;
/// `titles` are those of the plan's formats.
[[nodiscard]] std::vector<std::string> condition_notes(const plan::Plan& plan, const std::vector<std::string>& titles,
                                                       const store::DeviceView& device);

} // namespace mediarig::report
