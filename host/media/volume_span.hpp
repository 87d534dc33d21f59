// SPDX-License-Identifier: GPL-3.0-or-later
/// Where on a medium a volume lies.
#pragma once

#include <cstdint>
#include <string>

#include "common/units.hpp"

namespace mediarig::media {

/// GPT tables hold 128 entries, rarely more; the inspector reads up to so many.
inline constexpr std::uint32_t highest_partition = 1024;

struct VolumeSpan {
    Bytes start, length;
    std::uint32_t partition{}; ///< its number in the table, from 1; 0: the volume has the medium to itself
    bool operator==(const VolumeSpan&) const = default;
};

/// "partition 2", "the whole medium".
[[nodiscard]] std::string name_of(const VolumeSpan& span);

} // namespace mediarig::media
