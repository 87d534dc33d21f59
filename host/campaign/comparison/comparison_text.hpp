// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the text of a comparison: names of formats, result sentences, and lines for a running comparison. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/campaign/comparison/recorded_comparison.hpp"

namespace mediarig::comparison_campaign {

/// Returns the usual name of each format of the plan: "exFAT", "HFS+ Journaled". A deviation from a baseline is named
/// by its difference from the baseline: "cluster size 4 KiB".
[[nodiscard]] std::vector<std::string> titles_of(const plan::Plan& plan);

/// Names such as "sequential write" and "exFAT against HFS+".
[[nodiscard]] std::string_view operation_text(const measure::comparison::PairResult& pair_result,
                                              const plan::Plan& plan);
[[nodiscard]] std::string pair_text(const std::vector<std::string>& titles, std::size_t first, std::size_t second);

/// Returns one sentence per pair and operation: "sequential write, exFAT against HFS+: exFAT faster by 5.6 % [3.2,
/// 8.1], 12 passes, overall p 0.006".
[[nodiscard]] std::vector<std::string> sentences_of(const Course& course, const plan::Plan& plan);

/// Returns the decisions as a line of JSON for the journal, with which a replay is compared. Each pair and operation
/// gives {"operation": "seq_write", "first": "exfat", "second": "hfs+j", "decision": "faster", "format": "exfat"};
/// "format" is present only if a format is faster.
[[nodiscard]] std::string decisions_of(const Course& course, const plan::Plan& plan);
/// True if a line of the journal was written by decisions_of(). Earlier versions of mediarig kept sentences instead.
[[nodiscard]] bool is_decision_line(const std::string& line);

/// Returns the decision in one line: for each headline the fastest format, or the known part of the result. Includes
/// reservations about figures that do not depend on the format alone.
[[nodiscard]] std::string answer_of(const Course& course, const plan::Plan& plan);

/// Returns the comparison after its last block: one line per pair and operation, with the interval on an axis and the
/// condition for which the decision waits.
[[nodiscard]] std::vector<std::string> running_lines(const Course& course, const plan::Plan& plan);

/// "|···(··<==o==>)···|": an interval on an axis of ratios from -4 to +4 margins; brackets around the middle show the
/// margin. `from` and `to` are logarithms. Parts outside the axis are clipped.
[[nodiscard]] std::string drawn_interval(double from, double to, double margin);

} // namespace mediarig::comparison_campaign
