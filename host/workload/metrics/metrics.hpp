// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of measured values in limits, comparisons and exports. docs/guide/plan.md lists them. A name contains its unit
/// and never changes its meaning. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/suites/suite.hpp"

namespace mediarig::metrics {

/// The block size in a metric's name: "4KB", "1024KB", or "512B" if it is no multiple of 1 KB.
[[nodiscard]] std::string name_of_block(Bytes block);

/// E.g. "seq_read.4KB.mb_per_s", "large.seq_read.2048KB.p99_us", "iops.random_read.ops_per_s",
/// "standard.seq_read.average_mb_per_s".
[[nodiscard]] std::string name_of(const suites::Metric& metric);

/// Returns true if the cell gives numbers: it moved data in a non-zero time and was neither cancelled nor interrupted.
[[nodiscard]] bool counts(const workload::CellResult& cell);
/// Returns true if the time of the cell ended after fewer than workload::few_operations.
[[nodiscard]] bool has_few_operations(const workload::CellResult& cell);

/// Returns a value of one cell; empty if the cell has none, or if the value is that of a whole column.
[[nodiscard]] std::optional<double> value_of(const workload::CellResult& cell, suites::Value what);

/// Named metrics of the cells of one pass, or of several consecutive passes (a repeated cell id starts the next pass;
/// each pass adds one value). Cancelled and interrupted cells give no values. An average exists only if the pass has
/// every row of the published table.
[[nodiscard]] std::vector<measure::MetricValues> metrics_of(const std::string& suite, const std::string& format,
                                                            const std::vector<workload::CellResult>& cells);

using measure::merge;

/// The metrics of `measured` that are headline figures of their suite.
[[nodiscard]] std::vector<measure::MetricValues> headlines_of(const std::vector<measure::MetricValues>& measured);

/// Parses a name; empty if metrics_of can give no metric of this name. If tables of several suites share a form of
/// names, `table` is one of them.
[[nodiscard]] std::optional<suites::Metric> metric_from(std::string_view name);

} // namespace mediarig::metrics
