// SPDX-License-Identifier: GPL-3.0-or-later
/// Recomputes published figures from others in the same table: scores from rates, averages from rows, rates from times.
/// A printed figure fits if it is within the range that the rounding of the printed inputs allows. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/report/published/tables.hpp"

namespace mediarig::published {

struct Check {
    std::string table; ///< PublishedTable::name
    std::string what;  ///< "score of sequential write 4K"
    double printed{};
    double least{}, most{}; ///< range of figures that may have been printed
    [[nodiscard]] bool fits() const { return least <= printed && printed <= most; }
};

/// Checks of one Xbench table. Cells that were not printed give no check. A part's score is 100 * rate / reference; a
/// section's score is the harmonic mean of its parts' scores.
[[nodiscard]] std::vector<Check> check_xbench(const PublishedTable& table);
/// QuickBench: "Average" is the arithmetic mean of the nine rows.
[[nodiscard]] std::vector<Check> check_quickbench(const PublishedTable& table);
/// DiskTester: 256 MiB in 32,768 operations of 8 KiB within the printed time.
[[nodiscard]] std::vector<Check> check_disktester_iops(const PublishedTable& table);
/// Blogbench: the write score is the number of blogs in the last row, the read score about R articles / 50.5.
[[nodiscard]] std::vector<Check> check_blogbench(const PublishedTable& table);
/// Video: bytes per frame times frames per second, in whole MiB/s.
[[nodiscard]] std::vector<Check> check_video(const PublishedTable& table);

/// All checks of all tables: 78.
[[nodiscard]] std::vector<Check> check_all();

/// Returns the rate in MB/s for which Xbench gives this part a score of 100, as inferred from four tables; 0 for a
/// section.
[[nodiscard]] double xbench_reference(std::string_view part);

} // namespace mediarig::published
