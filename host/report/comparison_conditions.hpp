// SPDX-License-Identifier: GPL-3.0-or-later
/// Under which conditions the passes of a comparison met the medium, and where they were not alike. Inner part of
/// host/report. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/plan/plan.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// A sentence each; `titles` of the plan's formats.
[[nodiscard]] std::vector<std::string> condition_notes(const plan::Plan& plan, const std::vector<std::string>& titles,
                                                       const store::DeviceView& device);

} // namespace mediarig::report
