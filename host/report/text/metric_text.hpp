// SPDX-License-Identifier: GPL-3.0-or-later
/// Metrics and limits as text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::report {

/// Returns "MB/s", "ops/s", "s" or "µs".
[[nodiscard]] std::string_view unit_of(suites::Value value);

/// Returns the required and the measured value without a full stop: "writes 4.4 MB/s in blocks of 1024 KB under exFAT,
/// at least 6 wanted"; "p99 of random read under exFAT is 21.3 ms, at most 20.0 ms wanted". The text is not escaped.
[[nodiscard]] std::string limit_text(const measure::LimitResult& result);

/// The text of a figure from several passes. Cards, tables and charts use the same text. Pure.
struct FigureText {
    std::string value;  ///< "31.1", or "–" without a value
    std::string spread; ///< "±0.6", "to 4.6", or empty
};

/// One pass: its value with `decimals`. Two or three: the smallest value, "to" the largest. Four or more: the mean and
/// half the 95 % interval of the mean, both with the precision of that interval: to its first digit, or to its second
/// if the first is 1.
[[nodiscard]] FigureText figure_text(const std::vector<double>& passes, int decimals);

/// Returns "31.1 ±0.6", "4.4 to 4.6", "4.428".
[[nodiscard]] std::string text_of(const FigureText& figure);
/// Returns the figure with three significant digits, independent of the number of passes: for sentences.
[[nodiscard]] std::string short_figure_text(const std::vector<double>& passes);
/// Returns three significant digits: "0.0123", "4.40", "31.1", "2210".
[[nodiscard]] std::string three_digits(double value);

/// Returns "1 pass", "2 passes".
[[nodiscard]] std::string passes_text(std::size_t passes);
/// Returns "1 round", "4 rounds".
[[nodiscard]] std::string rounds_text(std::size_t rounds);

/// Returns true if a figure in the text has a spread.
[[nodiscard]] bool has_spread(std::string_view text);
/// Returns the meaning of “±” and “to”, to be shown once if a figure has a spread.
[[nodiscard]] std::string note_on_figures();

} // namespace mediarig::report
