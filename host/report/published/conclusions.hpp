// SPDX-License-Identifier: GPL-3.0-or-later
/// What was concluded from published tables and does not follow from them, found from the tables alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/plausibility.hpp"
#include "host/report/published/tables.hpp"

namespace mediarig::published {

struct Conclusion {
    std::string claim;              ///< in our words
    std::string_view source;        ///< of `sources`
    bool said{true};                ///< there; else it is what somebody must assume who compares its tables
    std::string rule;               ///< how it is seen in the data
    std::vector<std::string> found; ///< what the tables say; empty: nothing against the claim
};

/// Blogbench's reads of 10 s (articles, pictures, comments) in thousands, mean over the rows with more than `above` and
/// at most `up_to` blogs. NaN where there is no such row.
[[nodiscard]] double reads_at(const Table& blogbench, double above, double up_to);
/// Geometric mean over the rows that both have by the same label of one's value over the other's; nothing without any.
[[nodiscard]] std::optional<double> geometric_mean_ratio(const Table& one, const Table& other, std::size_t column);
/// The rows of a sweep that are named by a size ("4 KB"), in their order.
[[nodiscard]] std::vector<measure::SweepPoint> sweep_of(const Table& table, std::size_t column);

[[nodiscard]] std::vector<Conclusion> conclusions();

} // namespace mediarig::published
