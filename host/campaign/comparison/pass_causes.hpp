// SPDX-License-Identifier: GPL-3.0-or-later
/// What single passes of a comparison show: stalls, a change of level, a first pass apart, figures in steps. Each with
/// its size, and what the answer would be without it. Inner part of host/campaign/comparison. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/campaign/comparison/trial.hpp"
#include "host/measure/comparison/effects.hpp"

namespace mediarig::trial {

using Observations = std::vector<measure::comparison::Observation>;

/// `passes` of one headline in time order; blocks are indexes into Course::blocks. Adds a line for each that is found,
/// and returns the blocks with passes that stand out.
std::vector<std::size_t> add_of_passes(const Course& course, std::size_t headline, const Observations& passes,
                                       const std::vector<std::string>& titles, std::string_view operation,
                                       std::vector<std::string>& lines);

/// Both logarithms of the blocks that have them.
struct Pairs {
    std::vector<double> first, second, values;
    std::vector<std::size_t> blocks; ///< indexes into Course::blocks
};
[[nodiscard]] Pairs pairs_of(const Course& course, const measure::comparison::Standing& standing);

/// "Without block 5 the answer would be the same one: exFAT faster.", of the blocks with these indexes.
[[nodiscard]] std::string answer_without(const Course& course, const measure::comparison::Standing& standing,
                                         const std::vector<std::size_t>& blocks,
                                         const std::vector<std::string>& titles);

/// "the answer would be another one: HFS+ faster", beside what the last look of `standing` says. `value`: the
/// logarithm whose sign says which is faster.
[[nodiscard]] std::string answer_would_be(const measure::comparison::Standing& standing, measure::comparison::Call then,
                                          double value, const std::vector<std::string>& titles);

/// "slower", "faster".
[[nodiscard]] std::string_view direction_of(double logarithm);
[[nodiscard]] double percent_of(double logarithm);

} // namespace mediarig::trial
