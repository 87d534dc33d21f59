// SPDX-License-Identifier: GPL-3.0-or-later
/// Published results of other tools, as printed: tables.json, which the program contains. Pure.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::published {

/// The value of an empty cell.
inline constexpr double not_printed = std::numeric_limits<double>::quiet_NaN();
/// Bonnie++ prints "+++++" if a phase ended too soon to be measured. This is a lower bound, not a missing value.
inline constexpr double too_fast = std::numeric_limits<double>::infinity();

struct Row {
    std::string label;
    std::vector<double> values; ///< one per column of the table; in its units
};

struct PublishedTable {
    std::string name; ///< name on the command line: "xbench-sandisk-exfat"
    std::string tool;
    std::string suite;  ///< suite of mediarig that measures the same; may be empty
    std::string source; ///< title of the publication
    std::string place;  ///< place of publication, and the date if known
    std::string host;
    std::string device;
    std::string format;
    std::string unit; ///< unit of all columns; empty if the columns contain their units
    std::vector<std::string> columns;
    int decimals{}; ///< number of printed decimals
    std::vector<Row> rows;
    std::vector<double> scores; ///< write and read scores of Blogbench; otherwise empty
    std::string differs;        ///< differences to consider before a comparison
};

/// Printed figures that cannot be recomputed, with the reason.
struct UncheckedFigures {
    std::string table; ///< PublishedTable::name, or a prefix for several tables: "xbench-*"
    std::string what, why;
    [[nodiscard]] bool is_of(std::string_view name) const;
};

struct Publications {
    std::vector<PublishedTable> tables; ///< tables of one tool are adjacent
    std::vector<UncheckedFigures> unchecked;
};

/// Reads the form of tables.json. Fails with bad_format.
[[nodiscard]] Result<Publications> publications_from_json(std::string_view text);

[[nodiscard]] const std::vector<PublishedTable>& all_tables();
[[nodiscard]] const std::vector<UncheckedFigures>& unchecked();
/// Returns null for an unknown name.
[[nodiscard]] const PublishedTable* find_table(std::string_view name);
/// Returns null if the table has no such row.
[[nodiscard]] const Row* find_row(const PublishedTable& table, std::string_view label);

} // namespace mediarig::published
