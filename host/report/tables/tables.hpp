// SPDX-License-Identifier: GPL-3.0-or-later
/// Builds the tables of a campaign in the forms of QuickBench and DiskTester. terminal.hpp and html.hpp draw them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/figures/figures.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Plain text without escaping: it contains text from users and media.
using TableCell = FigureText;

/// Columns that are always kept together.
struct TableBlock {
    std::string title{};
    std::size_t device{}; ///< index of the device of the block; 0 if the block is about several devices
    std::vector<std::string> columns{};
};

enum class RowKind : std::uint8_t {
    body,
    detail, ///< included in a summary row; omitted if space is short
    summary,
};
struct TableRow {
    std::string label{};
    RowKind kind{};
    std::vector<TableCell> cells{}; ///< cells of all blocks in sequence
};

struct Table {
    std::string title{};
    std::string caveat{};             ///< shown above everything else; may be empty
    std::string label_title{};        ///< head of the column of labels
    std::vector<std::string> notes{}; ///< information required to interpret the table, one sentence each
    std::vector<TableBlock> blocks{};
    std::vector<TableRow> rows{};
};

/// Returns the tables of all suites, with the number of passes, and the suites' own views of their figures
/// (suites::Suite::view), one for each device and format.
[[nodiscard]] std::vector<Table> tables_of(const store::CampaignView& campaign, const Figures& figures);

/// Returns the comparisons of formats: for each device, the headline figures of each format, or, if a suite ran in
/// part, the rows that two formats have in common, with the difference from the first format. A difference is reported
/// only if both have two passes or more whose ranges do not overlap. Returns an empty list with fewer than two formats.
[[nodiscard]] std::vector<Table> comparisons_of(const store::CampaignView& campaign, const Figures& figures);

/// Removes a caveat that an earlier table already has.
void remove_repeated_caveats(std::vector<Table>& tables);

/// Returns the common job of a suite's passes on one device under one format; nullptr without passes.
[[nodiscard]] const workload::JobSpec* job_of(const store::CampaignView& campaign, const Subject& subject,
                                              const std::string& suite);

/// Returns true if a process (FUSE) served the file system of the device under this format.
[[nodiscard]] bool served_by_process(const store::DeviceView& device, const std::string& format);

/// Returns the published results of the programs whose protocols were run, as printed; each lists its differences.
/// Measured figures of the same cells are in the same rows, before the published ones and in their units.
[[nodiscard]] std::vector<Table> published_tables_of(const store::CampaignView& campaign, const Figures& figures);

} // namespace mediarig::report
