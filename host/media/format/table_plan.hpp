// SPDX-License-Identifier: GPL-3.0-or-later
/// Plans the partitions of a table before the first write. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// Maximum number of sectors: an MBR has 32-bit sector counts.
inline constexpr std::uint64_t most_mbr_sectors = 0xFFFF'FFFF;

struct PlannedPartition {
    Bytes start, length;   ///< whole sectors, on the medium
    std::string_view type; ///< as the parameter partition_type
    std::string_view name; ///< GPT only; empty: no name
    bool operator==(const PlannedPartition&) const = default;
};

struct TablePlan {
    TableScheme scheme{};
    Bytes sector;
    std::vector<PlannedPartition> partitions; ///< the last one contains the file system
    bool operator==(const TablePlan&) const = default;
    [[nodiscard]] const PlannedPartition& main() const { return partitions.back(); }
};

/// `sector` is the logical sector size of the medium. Fails with bad_request: the partition is not in whole sectors
/// within the usable range, the table cannot address the partition, or the file system has no partition type.
[[nodiscard]] Result<TablePlan> plan_table(const PartitionSpec& partition, FileSystem fs, Bytes medium, Bytes sector);

/// Usable range of the medium: between the two copies of a GPT, or after an MBR.
struct UsableRange {
    Bytes first, end;
};
[[nodiscard]] UsableRange usable_range(TableScheme scheme, Bytes medium, Bytes sector);

} // namespace mediarig::media
