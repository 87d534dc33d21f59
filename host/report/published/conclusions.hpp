// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks published conclusions that the published tables do not support. Uses only the tables. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/plausibility.hpp"
#include "host/report/published/tables.hpp"

namespace mediarig::published {

struct ClaimCheck {
    std::string claim;              ///< paraphrased
    std::string source;             ///< PublishedTable::source
    bool said{false};               ///< true if the source states the claim and does not refute it
    std::string origin;             ///< origin of the claim: the article, a comment, a program, or an assumption
    std::string rule;               ///< method that detects the contradiction in the data
    std::vector<std::string> found; ///< evidence in the tables; empty: no evidence against the claim
};

/// Returns Blogbench's reads of 10 s (articles, pictures, comments) in thousands, the mean over the rows with more than
/// `above` and at most `up_to` blogs. NaN if there is no such row.
[[nodiscard]] double reads_at(const PublishedTable& blogbench, double above, double up_to);
/// Returns the geometric mean of the ratios of the values of `one` to those of the other table, over the rows with
/// equal labels; nothing without such rows.
[[nodiscard]] std::optional<double> geometric_mean_ratio(const PublishedTable& one, const PublishedTable& other,
                                                         std::size_t column);
/// sweep_of(): the rows of a sweep whose label is a size ("4 KB"), in their order.
[[nodiscard]] std::vector<measure::SweepPoint> sweep_of(const PublishedTable& table, std::size_t column);

[[nodiscard]] std::vector<ClaimCheck> conclusions();

} // namespace mediarig::published
