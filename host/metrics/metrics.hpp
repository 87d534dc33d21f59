// SPDX-License-Identifier: GPL-3.0-or-later
/// The names under which measured values are limited, compared and exported. docs/plan-metrics.md lists them; a name
/// says its unit and never changes its meaning. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {

/// As a metric's name writes a block: "4KB", "1024KB", or "512B" where it is no whole KB.
[[nodiscard]] std::string name_of_block(Bytes block);

/// What the names of a cell's metrics begin with, without the final dot: "seq_read.4KB", "large.seq_read.2048KB",
/// "iops.random_read", "verify.write".
[[nodiscard]] std::string stem_of(const workload::CellSpec& cell);

/// The block sizes of a published table ("standard", "large", "extended"), ascending; empty for any other table.
[[nodiscard]] std::vector<Bytes> published_blocks(std::string_view table);

/// Whether the cell gives numbers at all: it moved data in some time and was neither cancelled nor broken off.
[[nodiscard]] bool counts(const workload::CellResult& cell);

/// Named metrics of the cells of one pass, or of several passes one after the other (a repeated cell id starts the next
/// pass; each pass adds one value). Cells that were cancelled or broken off give none; an average exists only where
/// the pass has every row of the published table.
[[nodiscard]] std::vector<measure::Measured> metrics_of(const std::string& suite, const std::string& format,
                                                        const std::vector<workload::CellResult>& cells);

using measure::merge;

/// Whether metrics_of can give a metric of this name.
[[nodiscard]] bool is_metric(std::string_view name);

} // namespace mediarig::metrics
