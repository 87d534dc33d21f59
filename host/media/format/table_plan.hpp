// SPDX-License-Identifier: GPL-3.0-or-later
/// Which partitions a table gets, before anything is written. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// An MBR counts sectors in 32 bits.
inline constexpr std::uint64_t most_mbr_sectors = 0xFFFF'FFFF;

struct PlannedPartition {
    Bytes start, length;   ///< whole sectors, on the medium
    std::string_view type; ///< as the parameter partition_type
    std::string_view name; ///< GPT only; empty = none
    bool operator==(const PlannedPartition&) const = default;
};

struct TablePlan {
    TableScheme scheme{};
    Bytes sector;
    std::vector<PlannedPartition> partitions; ///< the last one holds the file system
    bool operator==(const TablePlan&) const = default;
    [[nodiscard]] const PlannedPartition& main() const { return partitions.back(); }
};

/// `sector` is the medium's logical one. Fails with bad_request: the partition does not lie in whole sectors within
/// what the table leaves, the table cannot address it, or has no type for the file system.
[[nodiscard]] Result<TablePlan> plan_table(const PartitionSpec& partition, FileSystem fs, Bytes medium, Bytes sector);

/// Of the whole medium, by the table: behind a GPT's first copy, and in front of its second one.
struct TableRoom {
    Bytes first, end;
};
[[nodiscard]] TableRoom room_in(TableScheme scheme, Bytes medium, Bytes sector);

} // namespace mediarig::media
