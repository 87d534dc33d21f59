// SPDX-License-Identifier: GPL-3.0-or-later
/// Metrics and limits in people's words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::report {

/// "MB/s", "ops/s", "s", "µs".
[[nodiscard]] std::string_view unit_of(suites::Value value);

/// What a limit asked for and what was measured, without a full stop: "writes 4.4 MB/s in blocks of 1024 KB under
/// exFAT, at least 6 wanted"; "p99 of random read under exFAT is 21.3 ms, at most 20.0 ms wanted". Not escaped.
[[nodiscard]] std::string limit_text(const measure::LimitResult& result);

/// The one way in which a figure of several passes is said, on cards, in tables and in charts. Pure.
struct FigureText {
    std::string value;  ///< "31.1", or "–" if there is none
    std::string spread; ///< "±0.6", "to 4.6", or empty
};

/// One pass: its value with `decimals`. Two or three: the smallest value, "to" the largest. From four on: the mean, and
/// half the 95 % interval of the mean, both as precise as that interval is: to its first digit, to its second where the
/// first is a 1.
[[nodiscard]] FigureText figure_text(const std::vector<double>& passes, int decimals);

/// "31.1 ±0.6", "4.4 to 4.6", "4.428".
[[nodiscard]] std::string text_of(const FigureText& figure);
/// With three significant digits, however few or many passes there were: for sentences.
[[nodiscard]] std::string short_figure_text(const std::vector<double>& passes);
/// Three significant digits: "0.0123", "4.40", "31.1", "2210".
[[nodiscard]] std::string three_digits(double value);

/// "1 pass", "2 passes".
[[nodiscard]] std::string passes_text(std::size_t passes);
/// "1 round", "4 rounds".
[[nodiscard]] std::string rounds_text(std::size_t rounds);

/// Whether a figure in it has a spread.
[[nodiscard]] bool has_spread(std::string_view text);
/// What “±” and “to” mean, to be said once where a figure has a spread.
[[nodiscard]] std::string note_on_figures();

} // namespace mediarig::report
