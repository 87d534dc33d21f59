// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison in words: its formats, its sentences, and the lines that show it running. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/campaign/comparison/trial.hpp"

namespace mediarig::trial {

/// What people call each format of the plan: "exFAT", "HFS+ Journaled"; of a baseline's deviations what differs:
/// "cluster size 4 KiB".
[[nodiscard]] std::vector<std::string> titles_of(const plan::Plan& plan);

/// "sequential write"; "exFAT against HFS+".
[[nodiscard]] std::string_view operation_text(const measure::comparison::Standing& standing, const plan::Plan& plan);
[[nodiscard]] std::string pair_text(const std::vector<std::string>& titles, std::size_t first, std::size_t second);

/// "sequential write, exFAT against HFS+: exFAT faster by 5.6 % [3.2, 8.1], 12 passes, overall p 0.006", one for each
/// standing.
[[nodiscard]] std::vector<std::string> sentences_of(const Course& course, const plan::Plan& plan);

/// What is decided, as a line of JSON for the journal, which a replay is held against: for each standing
/// {"operation": "seq_write", "first": "exfat", "second": "hfs+j", "decision": "faster", "format": "exfat"}, the last
/// one where a format is faster.
[[nodiscard]] std::string decisions_of(const Course& course, const plan::Plan& plan);
/// Whether a line of the journal is one of those. Versions of mediarig that kept sentences left others.
[[nodiscard]] bool tells_decisions(const std::string& line);

/// The decision in one line, for each headline the fastest or what is known of it. What keeps figures from being the
/// formats' own stands in the sentences.
[[nodiscard]] std::string answer_of(const Course& course, const plan::Plan& plan);

/// The comparison after its last block: a line for each standing, with its interval on an axis and what it waits for.
[[nodiscard]] std::vector<std::string> running_lines(const Course& course, const plan::Plan& plan);

/// "|···(··<==o==>)···|": an interval on an axis of ratios from -4 to +4 margins, the margin as brackets around the
/// middle. `from` and `to` are logarithms; what lies beyond the axis is cut off.
[[nodiscard]] std::string drawn_interval(double from, double to, double margin);

} // namespace mediarig::trial
