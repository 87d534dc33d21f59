// SPDX-License-Identifier: GPL-3.0-or-later
/// Under which conditions media were measured that are compared. Inner part of host/trial. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/trial/media.hpp"

namespace mediarig::trial {

/// The names of their plans; where several are called alike, with the campaign's id behind.
/// "17", its number; its id where nobody gave one.
[[nodiscard]] std::string campaign_of(const MeasuredMedium& medium);
[[nodiscard]] std::vector<std::string> media_titles(const std::vector<MeasuredMedium>& media);
/// The lot that the operator named; else vendor and model.
[[nodiscard]] std::string type_of(const store::DeviceView& device);
/// A sentence for each condition that was not the same for all: "The kernel differs: 6.1 (a, b), 6.6 (c)."
[[nodiscard]] std::vector<std::string> conditions_that_differ(const std::vector<MeasuredMedium>& media,
                                                              const std::vector<std::string>& titles);

} // namespace mediarig::trial
