// SPDX-License-Identifier: GPL-3.0-or-later
/// The values of distributions that a comparison asks for.
#pragma once

namespace mediarig::measure::comparison {

/// The t that a two-sided test at `level` (0 … 1) must pass; `freedom` > 0, also a fraction.
[[nodiscard]] double t_critical(double level, double freedom);
/// How likely chance alone shows |t| or more.
[[nodiscard]] double t_two_sided(double t, double freedom);
/// How likely chance alone shows so large a ratio of two mean squares, of `above` and `below` degrees of freedom.
[[nodiscard]] double f_beyond(double ratio, double above, double below);
/// Of the standard normal distribution.
[[nodiscard]] double normal_cdf(double z);

} // namespace mediarig::measure::comparison
