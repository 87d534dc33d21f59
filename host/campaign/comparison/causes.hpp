// SPDX-License-Identifier: GPL-3.0-or-later
/// Describes further causes that affected a comparison, in sentences. Each sentence gives the size of the effect, and
/// whether the decision would change without the effect. The sentences only explain and correct no figure. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/campaign/comparison/recorded_comparison.hpp"

namespace mediarig::comparison_campaign {

/// Returns an empty list if nothing was found or too little was measured.
[[nodiscard]] std::vector<std::string> causes_of(const Course& course, const plan::Plan& plan);

} // namespace mediarig::comparison_campaign
