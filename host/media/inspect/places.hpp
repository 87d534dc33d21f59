// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the bytes of each of a volume's parameters stand.
#pragma once

#include "host/media/inspect/place.hpp"
#include "host/media/inspect/read_apfs.hpp"
#include "host/media/inspect/read_exfat.hpp"
#include "host/media/inspect/read_fat.hpp"
#include "host/media/inspect/read_hfsplus.hpp"

namespace mediarig::media {

/// One for each of parameters_of(volume), in the same order. `start`: of the volume on the medium.
[[nodiscard]] Places places_of(const ExfatVolume& volume, Bytes start);
[[nodiscard]] Places places_of(const FatVolume& volume, Bytes start);
[[nodiscard]] Places places_of(const HfsPlusVolume& volume, Bytes start);
[[nodiscard]] Places places_of(const ApfsContents& contents, Bytes start);

} // namespace mediarig::media
