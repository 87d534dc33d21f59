// SPDX-License-Identifier: GPL-3.0-or-later
/// What else was at work in a comparison, in sentences: each with its size, and whether the decision changes without
/// what it names. It explains and corrects nothing. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/campaign/comparison/trial.hpp"

namespace mediarig::trial {

/// Empty where nothing was at work, or too little was measured to tell.
[[nodiscard]] std::vector<std::string> causes_of(const Course& course, const plan::Plan& plan);

} // namespace mediarig::trial
