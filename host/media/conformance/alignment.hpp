// SPDX-License-Identifier: GPL-3.0-or-later
/// Alignment of the parts of a medium to the units in which flash is written and erased. Pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/media/conformance/rules.hpp"
#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

inline constexpr std::array<Bytes, 5> usual_units{1_MiB, 4_MiB, 16_MiB, 32_MiB, 64_MiB};

struct AlignmentPoint {
    std::string subject; ///< "volume 1"
    std::string name;    ///< "start", "fat_offset", "cluster_heap_offset" or "data_offset"
    Bytes at;            ///< offset from the beginning of the medium
    bool operator==(const AlignmentPoint&) const = default;
};

/// For each volume: its start, its FAT, and its cluster heap or data area, if the volume has them.
[[nodiscard]] std::vector<AlignmentPoint> alignment_points(const InspectReport& report);

/// Returns the points that are not aligned to an allocation unit of the card; units of 12 and 24 MiB are not powers of
/// two. The severity is warning, or note if a layout that ignores the card's unit determines the point: the SD layout
/// for the medium's capacity, the start that macOS uses, an EFI partition, and all points of a volume whose start
/// equals that of the layout `expected`. A FAT is always a note. The start is not a deviation if the volume's cluster
/// heap or data area is aligned, nor for FAT12 and FAT16 in the SD layout, because their data is aligned.
[[nodiscard]] std::vector<Deviation> deviations_against_unit(const InspectReport& report, Bytes allocation_unit,
                                                             ConformanceStandard expected);

} // namespace mediarig::media
