// SPDX-License-Identifier: GPL-3.0-or-later
/// Samples the clusters that a file system marks as free. Data there is left by deleted files or earlier formats.
#pragma once

#include <optional>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/read_exfat.hpp"
#include "host/media/inspect/read_fat.hpp"

namespace mediarig::media {

/// Largest number of sampled places of a volume, and bytes read at the start of each free cluster. With the parts of
/// the allocation table, a sample reads at most 64 KiB.
inline constexpr std::uint32_t free_space_places = 64;
inline constexpr Bytes free_space_place{512};

/// `start`: position of the volume on the medium. Empty if the allocation table or the bitmap cannot be read, or if the
/// read limit of the inspection is nearly reached. Stops after four unreadable places, because each takes seconds on a
/// worn card.
[[nodiscard]] std::optional<FreeSpaceSample> sample_free_space(const MediumReader& medium, Bytes start,
                                                               const FatVolume& volume);
[[nodiscard]] std::optional<FreeSpaceSample> sample_free_space(const MediumReader& medium, Bytes start,
                                                               const ExfatVolume& volume);

} // namespace mediarig::media
