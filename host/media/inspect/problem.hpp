// SPDX-License-Identifier: GPL-3.0-or-later
/// What is wrong with a structure: one sentence after the other, in the order in which they were met.
#pragma once

#include <string>
#include <string_view>

namespace mediarig::media {

/// Enough for a person; a medium of noise must not fill the record.
inline constexpr std::size_t longest_problem = 2000;

/// Appends `found`, where it says anything that is not said there already.
inline void add_problem(std::string& problem, std::string_view found) {
    constexpr std::string_view more = "; and more";
    if (found.empty() || problem.ends_with(more)) return;
    if (problem.size() > longest_problem) {
        problem += more;
        return;
    }
    constexpr std::string_view next = "; ";
    const auto as_part = [next](std::string_view text) { return std::string(next).append(text).append(next); };
    if (as_part(problem).find(as_part(found)) != std::string::npos) return;
    if (!problem.empty()) problem += next;
    problem += found;
}

} // namespace mediarig::media
