// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the bytes of a fork through its extents, and lists all extents of a fork.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/media/inspect/hfsplus.hpp"
#include "host/media/inspect/hfsplus_errors.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media::hfsplus {

enum class ForkType : std::uint8_t { data = 0x00, resource = 0xFF };

struct ForkName {
    std::uint32_t file{}; ///< catalog node ID; 3 to 8 are the special files
    ForkType type{};
    auto operator<=>(const ForkName&) const = default;
};

/// Records of the extents overflow file: the extents of each fork, keyed by the fork block at which they begin.
using Overflow = std::map<ForkName, std::map<std::uint32_t, HfsPlusExtents>>;

/// Position of a volume on a medium.
struct VolumeLocation {
    const MediumReader& medium;
    Bytes start, length;
    Bytes block_size;
    std::uint32_t total_blocks{};
};

/// Returns all extents of a fork, in order: the extents in its own record and those in `overflow`, which the function
/// removes from `overflow`. Reports extents outside the volume, a sum that differs from the fork's block count, and a
/// size that exceeds the blocks.
[[nodiscard]] std::vector<HfsPlusExtent> extents_of(const HfsPlusFork& fork, const ForkName& name,
                                                    const std::string& title, const VolumeLocation& place,
                                                    Overflow& overflow, CheckErrors& errors);

class ForkReader {
public:
    /// Keeps a reference to `place`. Extents must be in the volume.
    ForkReader(const VolumeLocation& place, const std::vector<HfsPlusExtent>& extents);
    /// Capacity of the extents in bytes.
    [[nodiscard]] Bytes size() const { return size_; }
    /// Position on the medium of a byte of the fork; empty after the last extent.
    [[nodiscard]] std::optional<Bytes> position_of(Bytes offset) const;
    /// Fails like MediumReader::read, and with bad_format for a range after the last extent.
    [[nodiscard]] Result<std::vector<std::byte>> read(Bytes offset, Bytes length) const;

private:
    struct Part {
        Bytes offset; ///< offset in the fork
        HfsPlusExtent extent;
    };
    /// The part with this byte; needs offset < size_.
    [[nodiscard]] std::vector<Part>::const_iterator part_of(Bytes offset) const;

    const VolumeLocation& place_;
    std::vector<Part> parts_;
    Bytes size_;
};

} // namespace mediarig::media::hfsplus
