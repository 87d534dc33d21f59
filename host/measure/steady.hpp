// SPDX-License-Identifier: GPL-3.0-or-later
/// When what is measured in rounds has settled. Pure.
#pragma once

#include <optional>
#include <span>

namespace mediarig::measure {

/// How far the values of a window are from a constant; parts of their mean.
struct Steadiness {
    double mean{};
    double excursion{}; ///< largest less smallest value
    double slope{};     ///< what the fitted line rises or falls over the window; >= 0
    /// SNIA Solid State Storage Performance Test Specification, 2.0.1, 3.1: at most 20 % and at most 10 %.
    [[nodiscard]] bool steady() const { return excursion <= 0.20 && slope <= 0.10; }
};
/// Of the last `window` values, in the order in which they were measured; nothing while there are fewer, or where their
/// mean is 0. Needs window >= 2.
[[nodiscard]] std::optional<Steadiness> steadiness(std::span<const double> values, std::size_t window);

} // namespace mediarig::measure
