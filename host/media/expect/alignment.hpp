// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the parts of a medium begin, against the units in which flash is written and erased. Pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/media/expect/deviation.hpp"
#include "host/media/inspect/inspect.hpp"

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

/// Points that do not lie on a whole allocation unit of the card. Units of 12 and 24 MiB are no powers of two, so that
/// a place on a whole 16 MiB may well be off. A FAT that begins within the first unit of its volume is a note only: the
/// SD layout puts it there.
[[nodiscard]] std::vector<Deviation> deviations_against_unit(const InspectReport& report, Bytes allocation_unit);

} // namespace mediarig::media
