// SPDX-License-Identifier: GPL-3.0-or-later
/// The tables of a campaign, in the shapes that users of QuickBench and DiskTester know; drawn by terminal.hpp and
/// html.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/report/figures/figures.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Plain text, not yet made safe: it holds what people and media say.
using TableCell = FigureText;

/// Columns that belong together and are never torn apart.
struct TableBlock {
    std::string title;
    std::size_t device{}; ///< index of the device that the block is about; 0 where it is about several
    std::vector<std::string> columns;
};

enum class RowKind : std::uint8_t {
    body,
    detail, ///< summed up by a summary row; left out where space is short
    summary,
};
struct TableRow {
    std::string label;
    RowKind kind{};
    std::vector<TableCell> cells; ///< of all blocks, one block after the other
};

struct Table {
    std::string title;
    std::string caution;            ///< stands above everything else; empty where there is none
    std::string label_title;        ///< heads the labels
    std::vector<std::string> notes; ///< what must be known to read it, a sentence each
    std::vector<TableBlock> blocks;
    std::vector<TableRow> rows;
};

[[nodiscard]] std::vector<Table> tables_of(const store::CampaignView& campaign, const Figures& figures);

/// Where formats were compared: for each device, each format's headline figures, or where a suite ran in part the rows
/// that two formats have in common, and how far they are from the first format's. A difference is called one only where
/// both have two passes or more, whose ranges do not overlap. Empty with fewer than two formats.
[[nodiscard]] std::vector<Table> comparisons_of(const store::CampaignView& campaign, const Figures& figures);

/// A caution that an earlier table has said is taken from the later ones.
void say_cautions_once(std::vector<Table>& tables);

/// Of a suite's passes on one device under one format, which are all of one job; nullptr where there are none.
[[nodiscard]] const workload::JobSpec* job_of(const store::CampaignView& campaign, const Subject& subject,
                                              const std::string& suite);

/// Whether a process (FUSE) served the file system that the device had under this format.
[[nodiscard]] bool served_by_process(const store::DeviceView& device, const std::string& format);

/// What a suite makes of its own numbers (suites::Suite::view), a table for each device and format.
[[nodiscard]] std::vector<Table> views_of(const store::CampaignView& campaign, const Figures& figures,
                                          const std::string& suite);

/// What others published of the programs whose protocols were run, as it was printed; each says how it differs.
[[nodiscard]] std::vector<Table> published_tables_of(const Figures& figures);

} // namespace mediarig::report
