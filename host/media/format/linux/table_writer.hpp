// SPDX-License-Identifier: GPL-3.0-or-later
/// Puts a planned partition table on a claimed medium, through sfdisk on the held descriptor. Why sfdisk:
/// docs/development/decisions/media.md.
#pragma once

#include <string>
#include <vector>

#include "host/media/format/linux/tool.hpp"
#include "host/media/format/table_plan.hpp"

namespace mediarig::media {

/// What sfdisk reads: every start, size and type said, nothing left to its alignment. Pure.
[[nodiscard]] std::string sfdisk_script(const TablePlan& plan);

/// What writing a table lacks, as Formatter::lacks().
[[nodiscard]] std::vector<std::string> table_writer_lacks(const ToolSetting& setting);

/// Fails with no_driver (names the package).
[[nodiscard]] Result<std::string> table_tool_version(const ToolSetting& setting);

/// Writes the table, brings it to the medium, reads it back, and says which partition holds the file system. The kernel
/// is not told: whoever opens a partition asks it to look again. `node` is for error texts. Fails with no_driver,
/// io_failed (sfdisk failed, or the medium holds another table), timed_out, cancelled.
[[nodiscard]] Result<MadePartition> write_table(int descriptor, Bytes medium, const std::string& node,
                                                const TablePlan& plan, const ToolSetting& setting);

} // namespace mediarig::media
