// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison in words: its formats, its sentences, and the lines that show it running. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/trial/trial.hpp"

namespace mediarig::trial {

/// What people call each format of the plan: "exFAT", "HFS+ Journaled"; of a baseline's deviations what differs:
/// "cluster size 4 KiB".
[[nodiscard]] std::vector<std::string> titles_of(const plan::Plan& plan);

/// "sequential write, exFAT against HFS+: exFAT faster by 5.6 % [3.2, 8.1], 12 passes, overall p 0.006", one for each
/// standing.
[[nodiscard]] std::vector<std::string> sentences_of(const Course& course, const plan::Plan& plan);

/// The decision in one line, for each headline the fastest or what is known of it: the journal keeps it, and a replay
/// is held against it. What keeps figures from being the formats' own stands in the sentences.
[[nodiscard]] std::string answer_of(const Course& course, const plan::Plan& plan);

/// The comparison after its last block: a line for each standing, with its interval on an axis and what it waits for.
[[nodiscard]] std::vector<std::string> running_lines(const Course& course, const plan::Plan& plan);

/// "|···(··<==o==>)···|": an interval on an axis of ratios from -4 to +4 margins, the margin as brackets around the
/// middle. `from` and `to` are logarithms; what lies beyond the axis is cut off.
[[nodiscard]] std::string drawn_interval(double from, double to, double margin);

} // namespace mediarig::trial
