// SPDX-License-Identifier: GPL-3.0-or-later
/// The bytes of a fork, wherever its extents put them; and all extents of a fork, however many it has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/media/format/hfsplus/complaints.hpp"
#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media::hfsplus {

enum class ForkType : std::uint8_t { data = 0x00, resource = 0xFF };

struct ForkName {
    std::uint32_t file{}; ///< catalog node ID; 3 to 8 are the special files
    ForkType type{};
    auto operator<=>(const ForkName&) const = default;
};

/// Records of the extents overflow file: per fork, the extents by the fork's block at which they begin.
using Overflow = std::map<ForkName, std::map<std::uint32_t, HfsPlusExtents>>;

/// Where a volume lies on a medium.
struct Place {
    const MediumReader& medium;
    Bytes start, length;
    Bytes block_size;
    std::uint32_t total_blocks{};
};

/// Every extent of a fork, in order: those in its own record, and those in `overflow`, which are taken out of it.
/// Complains of extents outside the volume, of a sum that is not the fork's, and of a size that its blocks cannot hold.
[[nodiscard]] std::vector<HfsPlusExtent> extents_of(const HfsPlusFork& fork, const ForkName& name,
                                                    const std::string& title, const Place& place, Overflow& overflow,
                                                    Complaints& complaints);

class ForkReader {
public:
    /// Borrows `place`. Extents must lie in the volume.
    ForkReader(const Place& place, const std::vector<HfsPlusExtent>& extents);
    /// What the extents have room for.
    [[nodiscard]] Bytes size() const { return size_; }
    /// Fails like MediumReader::read, and with bad_format beyond the last extent.
    [[nodiscard]] Result<std::vector<std::byte>> read(Bytes offset, Bytes length) const;

private:
    struct Part {
        Bytes offset; ///< in the fork
        HfsPlusExtent extent;
    };
    const Place& place_;
    std::vector<Part> parts_;
    Bytes size_;
};

} // namespace mediarig::media::hfsplus
