// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/endless.hpp"

#include <cmath>

#include "host/measure/comparison/estimate.hpp"

namespace mediarig::measure::comparison {
namespace {

/// Squared width of the mixture, in standard deviations of a value; chosen for effects of a third of a standard
/// deviation.
constexpr double mixture = 0.1;

/// The quantities that both formulas use.
struct Mixture {
    double n{}, mean{}, variance{}; ///< variance: sum of squares about the mean, divided by n
    double g{};
};

Mixture mixture_of(std::span<const double> values) {
    const Estimate mean = mean_of(values);
    const auto n = static_cast<double>(values.size());
    return {n, mean.value, mean.error * mean.error * (n - 1), mixture / (n + mixture)};
}

} // namespace

std::optional<double> endless_half_width(std::span<const double> values, double alpha) {
    if (values.size() < 2) return std::nullopt;
    const Mixture of = mixture_of(values);
    const double k = std::pow(1 / (alpha * alpha * of.g), 1 / of.n);
    if (of.g * k >= 1) return std::nullopt;
    return std::sqrt(of.variance * (k - 1) / (1 - of.g * k));
}

double endless_evidence(std::span<const double> values) {
    if (values.size() < 2) return 1;
    const Mixture of = mixture_of(values);
    const double squared = of.mean * of.mean;
    if (squared <= 0) return std::sqrt(of.g);
    const double k = (squared + of.variance) / (of.g * squared + of.variance);
    return std::sqrt(of.g * std::pow(k, of.n));
}

} // namespace mediarig::measure::comparison
