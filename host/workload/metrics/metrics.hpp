// SPDX-License-Identifier: GPL-3.0-or-later
/// The names under which measured values are limited, compared and exported. docs/guide/plan.md lists them; a name
/// says its unit and never changes its meaning. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::metrics {

/// As a metric's name writes a block: "4KB", "1024KB", or "512B" where it is no whole KB.
[[nodiscard]] std::string name_of_block(Bytes block);

/// "seq_read.4KB.mb_per_s", "large.seq_read.2048KB.p99_us", "iops.random_read.ops_per_s",
/// "standard.seq_read.average_mb_per_s".
[[nodiscard]] std::string name_of(const suites::Metric& metric);

/// Whether the cell gives numbers at all: it moved data in some time and was neither cancelled nor broken off.
[[nodiscard]] bool counts(const workload::CellResult& cell);
/// Whether its time was over after fewer operations than this: one pause of the medium makes such a figure.
inline constexpr std::uint64_t few_operations = 8;
[[nodiscard]] bool is_of_few_operations(const workload::CellResult& cell);

/// A number of one cell; nothing where it has none, or where the value is one of a column.
[[nodiscard]] std::optional<double> value_of(const workload::CellResult& cell, suites::Value what);

/// Named metrics of the cells of one pass, or of several passes one after the other (a repeated cell id starts the next
/// pass; each pass adds one value). Cells that were cancelled or broken off give none; an average exists only where
/// the pass has every row of the published table.
[[nodiscard]] std::vector<measure::MetricValues> metrics_of(const std::string& suite, const std::string& format,
                                                            const std::vector<workload::CellResult>& cells);

using measure::merge;

/// Those of `measured` that are headline figures of their suite.
[[nodiscard]] std::vector<measure::MetricValues> headlines_of(const std::vector<measure::MetricValues>& measured);

/// What a name means; nothing where metrics_of can give no metric of this name. Where tables of several suites share a
/// form of names, `table` is one of them.
[[nodiscard]] std::optional<suites::Metric> metric_from(std::string_view name);

} // namespace mediarig::metrics
