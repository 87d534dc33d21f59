// SPDX-License-Identifier: GPL-3.0-or-later
/// Published results of other tools, as printed. Pure data.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>

namespace mediarig::published {

/// An empty cell.
inline constexpr double not_printed = std::numeric_limits<double>::quiet_NaN();
/// Bonnie++ prints "+++++" if a phase ended too soon to be measured: a lower bound, not a missing value.
inline constexpr double too_fast = std::numeric_limits<double>::infinity();

inline constexpr std::size_t most_columns = 8;

struct Row {
    std::string_view label;
    std::array<double, most_columns> values; ///< one per column of the table; in its units
};

struct PublishedTable {
    std::string_view name; ///< for the command line: "xbench-sandisk-exfat"
    std::string_view tool;
    std::string_view suite;  ///< suite of mediarig that measures the same; may be empty
    std::string_view source; ///< one of `sources`
    std::string_view host;
    std::string_view device;
    std::string_view format;
    std::string_view unit{}; ///< unit of all columns; empty if the columns contain their units
    std::span<const std::string_view> columns;
    int decimals{}; ///< number of printed decimals
    std::span<const Row> rows;
    std::array<double, 2> scores{}; ///< write and read scores of Blogbench; otherwise 0
    std::string_view differs;       ///< differences to consider before a comparison
};

namespace sources {
inline constexpr std::string_view microsd =
    "128GB MicroSD: exFAT vs. HFS Performance on the MacBook Pro (and its comments)";
inline constexpr std::string_view high_sierra = "APFS vs HFS+: benchmarks on 2017 MacBook Pro with macOS High Sierra";
inline constexpr std::string_view lambdatest =
    "Apple's HFS vs APFS Filesystem - Which One We Chose For Our Customers, and Why !!";
inline constexpr std::string_view stibium = "Should you continue using HFS+?";
inline constexpr std::string_view ccc = "An analysis of APFS enumeration performance on rotational hard drives";
inline constexpr std::string_view decklink = "Blackmagic DeckLink manual, table of data rates";
} // namespace sources

/// Returns the place of publication of a source and its date if known; empty for no source.
[[nodiscard]] std::string_view place_of(std::string_view source);

/// In the order of their tools.
[[nodiscard]] std::span<const PublishedTable* const> all_tables();
/// Returns null for an unknown name.
[[nodiscard]] const PublishedTable* find_table(std::string_view name);
/// Returns null if the table has no such row.
[[nodiscard]] const Row* find_row(const PublishedTable& table, std::string_view label);

} // namespace mediarig::published
