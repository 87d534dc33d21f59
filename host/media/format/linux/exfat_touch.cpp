// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/exfat_touch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/media/format/linux/clear.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {
namespace {

/// Offsets in the boot sector: exFAT specification, sections 3.1.3 and 3.1.6.
constexpr std::size_t partition_offset_field = 0x40, fat_length_field = 0x54;

template <class Number>
void store_le(std::vector<std::byte>& bytes, std::size_t at, Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
}

/// Writes one region of twelve sectors with the new values and their checksum.
Result<void> rewrite(const FormatTarget& target, const ExfatBoot& boot, const ExfatTouch& touch, Bytes at,
                     const std::string& what) {
    const std::size_t sector = boot.sector_size.count;
    auto region = MediumReader(target.descriptor, target.length).read(at, boot.sector_size * exfat_region_sectors);
    if (!region) return fail(region.error());
    store_le(*region, partition_offset_field, static_cast<std::uint64_t>(touch.partition_offset / boot.sector_size));
    const Bytes fat = touch.fat_length.value_or(boot.fat_length);
    store_le(*region, fat_length_field, static_cast<std::uint32_t>(fat / boot.sector_size));
    const std::size_t checked = (exfat_region_sectors - 1) * sector;
    const std::uint32_t checksum = exfat_boot_checksum(Raw(*region).first(checked));
    for (std::size_t i = checked; i < region->size(); i += sizeof checksum) store_le(*region, i, checksum);
    return write_at(target.descriptor, what, at, *region);
}

} // namespace

Result<void> check_fat_length(Bytes wanted, std::uint64_t clusters, Bytes sector, Bytes usable) {
    const Bytes least = align_up(Bytes{(clusters + 2) * 4}, sector);
    if (wanted >= least && wanted <= usable) return {};
    return fail(Errc::bad_request, fmt::format("FAT length {}: the clusters of this volume need {}, and {} are "
                                               "available before the cluster heap; choose a length between them",
                                               wanted.count, least.count, usable.count));
}

bool is_needed(const ExfatTouch& touch, const ExfatBoot& boot) {
    return boot.partition_offset != touch.partition_offset ||
           touch.fat_length.value_or(boot.fat_length) != boot.fat_length;
}

Result<void> patch_exfat(const FormatTarget& target, const ExfatBoot& boot, const ExfatTouch& touch) {
    if (touch.fat_length) {
        const Bytes usable = boot.heap_offset - boot.fat_offset;
        if (auto fits = check_fat_length(*touch.fat_length, boot.cluster_count, boot.sector_size, usable); !fits)
            return fits;
        const Bytes end = boot.fat_offset + boot.fat_length;
        if (*touch.fat_length > boot.fat_length)
            if (auto cleared =
                    clear_span(target.descriptor, "file allocation table", end, *touch.fat_length - boot.fat_length);
                !cleared)
                return cleared;
    }
    // Write the backup first: if the format is interrupted after that, the main region from mkfs.exfat still describes
    // a valid volume.
    const Bytes backup = boot.sector_size * exfat_region_sectors;
    if (auto put = rewrite(target, boot, touch, backup, "backup boot region"); !put) return put;
    if (auto put = rewrite(target, boot, touch, {}, "boot region"); !put) return put;
    if (::fsync(target.descriptor) != 0)
        return fail(Errc::io_failed,
                    fmt::format("cannot flush the boot regions to {}: {}", target.node, std::strerror(errno)));
    return {};
}

} // namespace mediarig::media
