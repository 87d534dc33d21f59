// SPDX-License-Identifier: GPL-3.0-or-later
/// An interval that is valid at any number of looks, for a comparison without a budget (endurance). It is about 1.8
/// times as wide as Student's. Pure. Source: Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for
/// Gaussian means with unknown variance", arXiv 2310.03722: the Gaussian mixture in closed form.
#pragma once

#include <optional>
#include <span>

namespace mediarig::measure::comparison {

/// With probability 1 - alpha the centre is within this distance of the mean at every number of values at once. Returns
/// nothing if the values are too few for a bound.
[[nodiscard]] std::optional<double> endless_half_width(std::span<const double> values, double alpha);

/// Evidence (an e-value) against a centre of 0. Its reciprocal is a p-value that is valid at every number of values.
[[nodiscard]] double endless_evidence(std::span<const double> values);

} // namespace mediarig::measure::comparison
