// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the parts of a medium begin, against the units in which flash is written and erased. Pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/media/expect/rules.hpp"
#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

inline constexpr std::array<Bytes, 5> usual_units{1_MiB, 4_MiB, 16_MiB, 32_MiB, 64_MiB};

struct AlignmentPoint {
    std::string subject; ///< "volume 1"
    std::string name;    ///< "start", "fat_offset", "cluster_heap_offset" or "data_offset"
    Bytes at;            ///< from the beginning of the medium
    bool operator==(const AlignmentPoint&) const = default;
};

/// Of each volume: its start, its FAT, its cluster heap or data area, as far as it has them.
[[nodiscard]] std::vector<AlignmentPoint> alignment_points(const InspectReport& report);

/// Points that do not lie on a whole allocation unit of the card; units of 12 and 24 MiB are no powers of two.
/// Warnings, but notes where a layout that knows nothing of the card's unit puts the point there: the SD layout of the
/// medium's capacity, the start that macOS takes, an EFI partition, and all of a volume that begins where the layout
/// `expected` does. A FAT is always a note. Of a volume whose cluster heap or data area lies on a whole unit, and of
/// the FAT12 and FAT16 of the SD layout, the start is no deviation: what is written there is aligned.
[[nodiscard]] std::vector<Deviation> deviations_against_unit(const InspectReport& report, Bytes allocation_unit,
                                                             Expectation expected);

} // namespace mediarig::media
