// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium as a sequence of regions, for diagrams. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

struct Region {
    Bytes start, length;
    std::string what; ///< "free", "unknown", "partition table", "exfat: FAT", "hfs+j: journal", …
    /// The largest power of two that divides the start of the region, at most 64 MiB; 0 for a region at byte 0.
    Bytes alignment;
    bool operator==(const Region&) const = default;
};

/// Regions without gaps or overlaps, in ascending order, from 0 to the end of the medium. If a partition overlaps
/// another partition, its region is shortened to the remainder.
[[nodiscard]] std::vector<Region> layout_of(const InspectReport& report);

/// The largest power of two that divides `at`, at most 64 MiB; 0 for 0.
[[nodiscard]] Bytes alignment_of(Bytes at);

} // namespace mediarig::media
