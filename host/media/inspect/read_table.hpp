// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the partition table of a medium, including the second copy of a GPT, and cross-checks it.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/partition_table.hpp"

namespace mediarig::media {

struct ListedPartition {
    Bytes start, length; ///< limited to the size of the medium
    Parameters parameters;
    Places places;       ///< one position for each parameter
    std::string problem; ///< reports that the partition exceeds the medium or overlaps another partition
};

struct PartitionTable {
    std::string scheme; ///< "none", "mbr", "gpt", "apm"
    Parameters parameters;
    Places places; ///< one position for each parameter
    std::vector<ListedPartition> partitions;
    std::string problem; ///< empty, or a fault of the table itself
};

/// Describes the table that counts. An extended partition is described by the parameters of the table, its logical
/// partitions are listed. `sector` is the sector size of the medium. Fails with io_failed if sector 0 cannot be read
/// and nothing else describes the partitions.
[[nodiscard]] Result<PartitionTable> read_partition_table(const MediumReader& medium, Bytes sector,
                                                          const TableSectors& found);
[[nodiscard]] Result<PartitionTable> read_partition_table(const MediumReader& medium, Bytes sector);

} // namespace mediarig::media
