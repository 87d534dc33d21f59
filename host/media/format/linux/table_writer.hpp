// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a planned partition table to a claimed medium, with sfdisk on the held descriptor. Reasons for sfdisk:
/// docs/development/decisions/media.md.
#pragma once

#include <string>
#include <vector>

#include "host/media/format/linux/tool.hpp"
#include "host/media/format/table_plan.hpp"

namespace mediarig::media {

/// Input of sfdisk with explicit start, size and type for each partition, so that sfdisk aligns nothing. Pure.
[[nodiscard]] std::string sfdisk_script(const TablePlan& plan);

/// Missing tools for writing a table, as in Formatter::lacks().
[[nodiscard]] std::vector<std::string> table_writer_lacks(const ToolSetting& setting);

/// Checks that the tools are installed. Fails with no_driver (names the package).
[[nodiscard]] Result<std::string> table_tool_version(const ToolSetting& setting);

/// Writes the table, flushes it to the medium, reads it back, and returns the partition for the file system. Does not
/// notify the kernel: the kernel rereads the table when a partition is opened. `node` is for error messages. Fails with
/// no_driver, io_failed (sfdisk failed, or the medium contains another table), timed_out, cancelled.
[[nodiscard]] Result<CreatedPartition> write_table(int descriptor, Bytes medium, const std::string& node,
                                                   const TablePlan& plan, const ToolSetting& setting);

} // namespace mediarig::media
