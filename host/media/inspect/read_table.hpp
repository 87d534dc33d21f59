// SPDX-License-Identifier: GPL-3.0-or-later
/// The partition table of a medium, both copies of it where there are two, read and cross-checked.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/partition_table.hpp"

namespace mediarig::media {

struct ListedPartition {
    Bytes start, length; ///< cut to what the medium has
    Parameters parameters;
    Places places;       ///< one for each parameter
    std::string problem; ///< it reaches beyond the medium, or over another one
};

/// What speaks for a partition table before anything else is known of a medium.
struct TableEvidence {
    bool valid_gpt{};        ///< header and entries behind sector 0 hold together, in sectors of 512 or 4096 bytes
    bool protective_mbr{};   ///< sector 0 says that there is a GPT
    bool partition_inside{}; ///< an entry of the MBR lies on the medium; one of type EE: begins there
};
/// Takes the beginning of the medium, at least 512 bytes. What cannot be read speaks for nothing.
[[nodiscard]] TableEvidence look_for_table(const MediumReader& medium, Bytes sector, Raw head);

struct PartitionTable {
    std::string scheme; ///< "none", "mbr", "gpt"
    Parameters parameters;
    Places places; ///< one for each parameter
    std::vector<ListedPartition> partitions;
    std::string problem; ///< empty, or what is wrong with the table as such
};

/// Not to be asked where a file system begins in sector 0: its boot sector looks like an MBR. `sector` is that of the
/// medium. Fails with io_failed where sector 0 cannot be read.
[[nodiscard]] Result<PartitionTable> read_partition_table(const MediumReader& medium, Bytes sector);

} // namespace mediarig::media
