// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds effects in single passes of a comparison: stalls, a change of level, a deviating first pass, figures in steps.
/// Reports each effect with its size and the answer without the effect. Internal to host/campaign/comparison. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/measure/comparison/effects.hpp"

namespace mediarig::comparison_campaign {

using Observations = std::vector<measure::comparison::Observation>;

/// `passes` are the passes of one headline in time order; blocks are indexes into Course::blocks. Adds a line for each
/// effect that is found, and returns the blocks that contain outliers.
std::vector<std::size_t> add_of_passes(const Course& course, std::size_t headline, const Observations& passes,
                                       const std::vector<std::string>& titles, std::string_view operation,
                                       std::vector<std::string>& lines);

/// The logarithms of both rates, for the blocks that have both.
struct Pairs {
    std::vector<double> first, second, values;
    std::vector<std::size_t> blocks; ///< indexes into Course::blocks
};
[[nodiscard]] Pairs pairs_of(const Course& course, const measure::comparison::PairResult& pair_result);

/// Returns "Without block 5 the answer would be the same: exFAT faster.", for the blocks with these indexes.
[[nodiscard]] std::string answer_without(const Course& course, const measure::comparison::PairResult& pair_result,
                                         const std::vector<std::size_t>& blocks,
                                         const std::vector<std::string>& titles);

/// Returns "the answer would be different: HFS+ faster", compared with the last look of `pair_result`. The sign of
/// `value`, a logarithm, selects the faster format.
[[nodiscard]] std::string alternative_answer(const measure::comparison::PairResult& pair_result,
                                             measure::comparison::Call then, double value,
                                             const std::vector<std::string>& titles);

/// direction_of() returns "slower" or "faster".
[[nodiscard]] std::string_view direction_of(double logarithm);
[[nodiscard]] double percent_of(double logarithm);

} // namespace mediarig::comparison_campaign
