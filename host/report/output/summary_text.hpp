// SPDX-License-Identifier: GPL-3.0-or-later
/// The summary of a campaign for a terminal. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "host/base/text_layout.hpp"
#include "host/report/cards/summary.hpp"

namespace mediarig::report {

/// Maximum number of lines of media on a terminal of 24 lines, so that the summary and the text after it fit.
inline constexpr std::size_t most_summary_lines = 12;

struct SummaryTextOptions {
    std::size_t width{100}; ///< columns
    Colour colour{Colour::plain};
    std::optional<std::size_t> most_lines; ///< of media, the worst; unset: all media
};

/// Returns the table, the origin of its figures, the ranking and the number of media by grade. UTF-8, ends with a line
/// feed; empty without media. A medium has one line for each format; if the lines would exceed the width, the cause
/// follows below the verdict.
[[nodiscard]] std::string render_summary(const ResultSummary& summary, const SummaryTextOptions& options);

/// Returns the name of the grade in its colour. The name alone identifies the grade.
[[nodiscard]] std::string coloured_grade(std::optional<measure::Grade> grade, Colour colour);

} // namespace mediarig::report
