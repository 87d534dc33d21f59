// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the allocation bitmap of an exFAT volume with the clusters of all its files and folders. Trusts no byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/load.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct ExfatClusters {
    std::uint64_t count{};
    std::uint32_t first{}; ///< lowest number; 0 if none
    bool operator==(const ExfatClusters&) const = default;
};

struct ExfatTree {
    /// True if the whole tree was read, within the read limit, and has no entries of unknown types that may own
    /// clusters.
    bool complete{};
    ExfatClusters leaked; ///< marked used without an owner, and not bad; counted only for a complete tree
    ExfatClusters freed;  ///< clusters with an owner that are marked free: the next write may overwrite them
    ExfatClusters shared; ///< clusters with several owners
    std::vector<std::string> defects; ///< chains that leave the heap or do not fit their length; at most 8
    std::uint64_t damaged_sets{};     ///< directory entry sets that are incomplete or have a wrong checksum
    Bytes first_damaged_set;          ///< offset on the medium; the first in the order of the walk
    bool operator==(const ExfatTree&) const = default;
};

/// `bitmap`: the bits of all clusters. Assumes contiguous bitmap and up-case table, as made by all formatters. A volume
/// of TexFAT is not compared.
[[nodiscard]] ExfatTree compare_exfat_tree(const MediumReader& medium, Bytes start, const ExfatBoot& boot,
                                           const ExfatRoot& root, Raw bitmap);

} // namespace mediarig::media
