// SPDX-License-Identifier: GPL-3.0-or-later
/// Apple partition map. Trusts no byte. Source: Inside Macintosh, Devices, "The Partition Map"; Linux,
/// block/partitions/mac.c.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct AppleEntry {
    std::uint32_t number{1}; ///< position in the map, from 1
    std::string name;        ///< pmPartName
    std::string type;        ///< pmParType: "Apple_HFS"
    std::uint32_t first{}, blocks{};
    std::uint32_t status{};
    Bytes at; ///< offset of the entry on the medium
    bool operator==(const AppleEntry&) const = default;
};

struct AppleMap {
    Bytes block;           ///< unit of all numbers: sbBlkSize of the driver descriptor
    std::uint32_t count{}; ///< pmMapBlkCnt: number of entries, including those of the map itself and of free space
    std::vector<AppleEntry> entries; ///< without the map itself and without free space
    std::string problem;             ///< problem of the map; empty for a sound map
    /// Length of the driver descriptor and the map together.
    [[nodiscard]] Bytes length() const { return block * (std::uint64_t{count} + 1); }
    bool operator==(const AppleMap&) const = default;
};

/// True for an entry that describes the map itself.
[[nodiscard]] bool is_apple_map_entry(Raw entry);

/// Reads a map whose first entry follows the driver descriptor. Empty without a map, or if it cannot be read.
[[nodiscard]] std::optional<AppleMap> read_apple_map(const MediumReader& medium);

} // namespace mediarig::media
