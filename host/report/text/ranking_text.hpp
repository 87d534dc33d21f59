// SPDX-License-Identifier: GPL-3.0-or-later
/// One sentence that orders media or formats by their rates. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/comparison/ranking.hpp"

namespace mediarig::report {

struct RankedItem {
    std::string name;
    std::vector<double> passes; ///< one positive rate per pass, at least one
};
struct RankedOperation {
    std::string title; ///< "sequential read"
    std::string unit;  ///< "MB/s"
    std::vector<RankedItem> items;
    measure::comparison::Ranking ranking{}; ///< of `items`
};
/// Fills in the ranking by comparing all pairs of the items.
[[nodiscard]] RankedOperation ranked(std::string title, std::string unit, std::vector<RankedItem> items);

/// Returns "red is fastest under exFAT: 90.1 MB/s sequential read; blue and old cannot be distinguished." The first
/// operation decides the order; the others add their fastest item. With fewer than four passes of an item, the sentence
/// gives the order and the rates without a claim. `place`: " under exFAT", or empty. Operations with fewer than two
/// items do not count; empty if none is left.
[[nodiscard]] std::string ranking_text(std::span<const RankedOperation> operations, std::string_view place);

} // namespace mediarig::report
