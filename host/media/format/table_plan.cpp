// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/table_plan.hpp"

#include <fmt/format.h>

#include "host/media/format/layouts/partition_types.hpp"
#include "host/media/format/layouts/system_layouts.hpp"

namespace mediarig::media {
namespace {

/// Size of 128 entries of 128 bytes, as in every GPT.
constexpr Bytes gpt_entries = 16_KiB;

Result<void> check_span(const PlannedPartition& main, TableScheme scheme, Bytes medium, Bytes sector) {
    const UsableRange usable = usable_range(scheme, medium, sector);
    if (main.start % sector != 0_B || main.length % sector != 0_B)
        return fail(
            Errc::bad_request,
            fmt::format(
                "a partition of {} bytes at byte {}: choose multiples of {} bytes, the sector size of this medium",
                main.length.count, main.start.count, sector.count));
    if (main.length == 0_B || main.start < usable.first || main.start >= usable.end ||
        main.length > usable.end - main.start)
        return fail(Errc::bad_request,
                    fmt::format("a partition of {} bytes at byte {} does not fit: the table leaves bytes {} to {} of "
                                "this medium",
                                main.length.count, main.start.count, usable.first.count, usable.end.count));
    if (scheme == TableScheme::mbr &&
        (main.start / sector > most_mbr_sectors || main.length / sector > most_mbr_sectors))
        return fail(Errc::bad_request,
                    fmt::format("an MBR cannot address a partition of {} bytes in sectors of {}: use gpt",
                                main.length.count, sector.count));
    // Linux computes the end in 64 bits; other systems refuse an end that 32 bits cannot hold.
    if (scheme == TableScheme::mbr && (main.start + main.length) / sector > most_mbr_sectors)
        return fail(Errc::bad_request,
                    fmt::format("a partition of {} bytes at byte {} ends after sector {}, the last that every system "
                                "finds by an MBR: use gpt",
                                main.length.count, main.start.count, most_mbr_sectors));
    return {};
}

/// The layout requires 512-byte sectors; the macOS layout for other sector sizes is not publicly known.
Result<void> check_efi(const PartitionSpec& partition, const PlannedPartition& main, Bytes sector) {
    if (partition.table != TableScheme::gpt)
        return fail(Errc::bad_request, "an EFI system partition belongs to a GPT: use gpt");
    if (sector != 512_B)
        return fail(
            Errc::bad_request,
            fmt::format(
                "the position of the EFI partition of macOS on sectors of {} bytes is not publicly known: leave it out",
                sector.count));
    if (main.start < macos_efi_start + macos_efi_length)
        return fail(Errc::bad_request,
                    fmt::format("a partition at byte {} overlaps the EFI partition: begin at byte {} or after it",
                                main.start.count, (macos_efi_start + macos_efi_length).count));
    return {};
}

} // namespace

UsableRange usable_range(TableScheme scheme, Bytes medium, Bytes sector) {
    const Bytes end = align_down(medium, sector);
    if (scheme == TableScheme::none) return {0_B, end};
    if (scheme == TableScheme::mbr) return {sector, end};
    const Bytes copy = sector + gpt_entries; // header and entries
    return {sector + copy, end < copy ? 0_B : end - copy};
}

Result<TablePlan> plan_table(const PartitionSpec& partition, FileSystem fs, Bytes medium, Bytes sector) {
    if (partition.table == TableScheme::none)
        return fail(Errc::bad_request, "a partition needs a table: use mbr or gpt");
    const Bytes start = partition.start.value_or(usual_start);
    const UsableRange usable = usable_range(partition.table, medium, sector);
    const Bytes rest = usable.end > start ? usable.end - start : 0_B;
    PlannedPartition main{.start = start, .length = partition.length.value_or(rest), .type = {}, .name = {}};
    if (auto fits = check_span(main, partition.table, medium, sector); !fits) return fail(fits.error());
    if (partition.efi_system_partition)
        if (auto possible = check_efi(partition, main, sector); !possible) return fail(possible.error());

    TablePlan plan{.scheme = partition.table, .sector = sector, .partitions = {}};
    if (partition.efi_system_partition)
        plan.partitions.push_back({.start = macos_efi_start,
                                   .length = macos_efi_length,
                                   .type = gpt_efi_system,
                                   .name = "EFI System Partition"});
    const auto type =
        partition.table == TableScheme::gpt ? std::optional(gpt_type_of(fs)) : mbr_type_of(fs, main.start, main.length);
    if (!type)
        return fail(Errc::bad_request,
                    fmt::format("{} has no partition type in an MBR: use gpt, or no table", title_of(fs)));
    main.type = *type;
    plan.partitions.push_back(main);
    return plan;
}

} // namespace mediarig::media
