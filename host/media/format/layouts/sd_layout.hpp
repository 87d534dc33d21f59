// SPDX-License-Identifier: GPL-3.0-or-later
/// The layout of SD cards, used by the formatter and by the rules of inspect. Pure.
///
/// The SD Association's file system specification is not public. Sources: the table in the manual page of mkfs.exfat,
/// SdFat (FatFormatter, ExFatFormatter), and dumps of cards formatted by cameras; the three agree. See
/// docs/reference/formats.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// A capacity class of cards. The limits are binary.
struct SdLayout {
    Bytes up_to; ///< capacity, inclusive
    Bytes cluster_size, boundary_unit;
    FileSystem file_system{};
};
/// Empty above 2 TiB: the requirements of SDUC are not public.
[[nodiscard]] std::optional<SdLayout> sd_layout_for(Bytes capacity);

/// Layout of a card of one capacity. Sectors are 512 bytes, as on every SD card.
struct SdVolume {
    SdLayout layout;
    Bytes start, length; ///< position of the only partition on the medium; whole clusters up to its end
    Bytes fat_offset;    ///< offset of the first FAT, from the start of the volume
    Bytes fat_length;    ///< length of one FAT; on exFAT longer than the clusters need
    Bytes data_offset;   ///< offset of cluster 2, from the start of the volume; a multiple of the boundary unit on the
                         ///< medium
    std::uint64_t clusters{};
};
/// Fails with bad_request if the capacity is above 2 TiB, or if the file system of the capacity class does not fit
/// because the capacity is too small or too close above the limit of a class.
[[nodiscard]] Result<SdVolume> sd_volume_for(Bytes capacity);

} // namespace mediarig::media
