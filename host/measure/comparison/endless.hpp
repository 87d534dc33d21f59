// SPDX-License-Identifier: GPL-3.0-or-later
/// An interval that may be watched for ever, for a comparison without a budget (endurance). It costs about 1.8 times
/// as wide as Student's. Pure.
/// Source: Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance",
/// arXiv 2310.03722: the Gaussian mixture in closed form.
#pragma once

#include <optional>
#include <span>

namespace mediarig::measure::comparison {

/// With a probability of 1 - alpha the centre lies within it around the mean at every number of values at once. Nothing
/// while so few values bound nothing.
[[nodiscard]] std::optional<double> endless_half_width(std::span<const double> values, double alpha);

/// Evidence (an e-value) against the centre being 0; 1 over it is a p that holds at every number of values.
[[nodiscard]] double endless_evidence(std::span<const double> values);

} // namespace mediarig::measure::comparison
