// SPDX-License-Identifier: GPL-3.0-or-later
/// Collects the owners of the blocks of a volume and compares them with the allocation file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/media/inspect/hfsplus_fork.hpp"

namespace mediarig::media::hfsplus {

enum class OwnerKind : std::uint8_t { volume_headers, data_fork, resource_fork, attribute, bad_blocks };
struct Owner {
    OwnerKind kind{};
    std::uint32_t file{}; ///< catalog node ID
};
/// "the data fork of file 18", "the catalog file", …
[[nodiscard]] std::string text_of(Owner owner);

class Space {
public:
    /// Extents must be inside the volume.
    void add(Owner owner, const std::vector<HfsPlusExtent>& extents);
    /// Reports blocks with two owners and each wrong bit of the allocation file. Returns the number of blocks that the
    /// allocation file marks as used. Call this function once, after the last add().
    std::uint64_t settle(const ForkReader& allocation_file, const VolumeLocation& place, CheckErrors& errors);

private:
    struct Run {
        HfsPlusExtent extent;
        Owner owner;
    };
    void find_overlaps(CheckErrors& errors);
    std::vector<Run> runs_;
};

} // namespace mediarig::media::hfsplus
