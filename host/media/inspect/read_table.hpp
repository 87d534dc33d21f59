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

/// Evidence for a partition table before the contents of a medium are known.
struct TableEvidence {
    bool valid_gpt{};        ///< valid header and entries after sector 0, in sectors of 512 or 4096 bytes
    bool protective_mbr{};   ///< sector 0 announces a GPT
    bool partition_inside{}; ///< an MBR entry is inside the medium; an entry of type EE need only begin inside
};
/// `head`: the beginning of the medium, at least 512 bytes. Unreadable data counts as no evidence.
[[nodiscard]] TableEvidence look_for_table(const MediumReader& medium, Bytes sector, Raw head);

struct PartitionTable {
    std::string scheme; ///< "none", "mbr", "gpt"
    Parameters parameters;
    Places places; ///< one position for each parameter
    std::vector<ListedPartition> partitions;
    std::string problem; ///< empty, or a fault of the table itself
};

/// Do not call this function if a file system begins in sector 0: its boot sector looks like an MBR. `sector` is the
/// sector size of the medium. Fails with io_failed if sector 0 cannot be read.
[[nodiscard]] Result<PartitionTable> read_partition_table(const MediumReader& medium, Bytes sector);

} // namespace mediarig::media
