// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/format/layouts/partition_types.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/format/table_plan.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

Bytes sectors(std::uint64_t count) {
    return Bytes{count * 512};
}

std::uint64_t in_sectors(Bytes bytes) {
    return bytes / 512_B;
}

} // namespace

TEST_CASE("SDXC: partition, FAT and heap are at boundary units, and whole clusters extend to the end") {
    struct Row {
        std::uint64_t card, start, fat_offset, fat_length, heap, length, clusters;
    };
    const Row rows[] = {
        // Layout of a Nikon camera on a card of 128 GB.
        {244285440, 32768, 16384, 16384, 32768, 244252672, 953984},
        // A factory format on a card of 64 GB.
        {125073408, 32768, 16384, 16384, 32768, 125040640, 488312},
        // Capacities of 256 and 512 GB, 1 TB, and the largest known card.
        {512000000, 65536, 32768, 32768, 65536, 511934464, 999744},
        {1073741824, 65536, 32768, 32768, 65536, 1073676288, 2096896},
        {2000000000, 131072, 65536, 65536, 131072, 1999868928, 1952869},
        {4294967295, 131072, 65536, 65536, 131072, 4294835200, 4194047},
    };
    for (const Row& row : rows) {
        CAPTURE(row.card);
        const auto volume = sd_volume_for(sectors(row.card));
        REQUIRE(reason(volume) == "success");
        CHECK(in_sectors(volume->start) == row.start);
        CHECK(in_sectors(volume->fat_offset) == row.fat_offset);
        CHECK(in_sectors(volume->fat_length) == row.fat_length);
        CHECK(in_sectors(volume->data_offset) == row.heap);
        CHECK(in_sectors(volume->length) == row.length);
        CHECK(volume->clusters == row.clusters);
    }
}

TEST_CASE("SDHC: reserved sectors align the data area to a boundary unit of the medium") {
    struct Row {
        std::uint64_t card, reserved, fat, data, clusters;
        const char* type;
    };
    const Row rows[] = {{7'744'512, 6304, 944, 16384, 120752, "0x0b"},
                        {15'523'840, 4404, 1894, 16384, 242304, "0x0b"},
                        {31'116'288, 598, 3797, 16384, 485936, "0x0c"},
                        {60'579'840, 1598, 7393, 24576, 946176, "0x0c"}};
    for (const Row& row : rows) {
        CAPTURE(row.card);
        const auto volume = sd_volume_for(sectors(row.card));
        REQUIRE(reason(volume) == "success");
        CHECK(in_sectors(volume->start) == 8192);
        CHECK(in_sectors(volume->fat_offset) == row.reserved);
        CHECK(in_sectors(volume->fat_length) == row.fat);
        CHECK(in_sectors(volume->start + volume->data_offset) == row.data);
        CHECK(volume->clusters == row.clusters);
        CHECK(in_sectors(volume->length) == 64 * row.clusters + row.data - 8192);
        CHECK(mbr_type_of(FileSystem::fat32, volume->start, volume->length) == row.type);
    }
}

TEST_CASE("SDSC: the start of the partition aligns the data area to a boundary unit") {
    struct Row {
        Bytes card;
        std::string_view file_system;
        Bytes unit;
        const char* type;
    };
    const Row rows[] = {
        {4_MiB, "fat12", 8_KiB, "0x01"},    {8_MiB, "fat12", 8_KiB, "0x01"},    {32_MiB, "fat12", 16_KiB, "0x01"},
        {64_MiB, "fat12", 16_KiB, "0x01"},  {128_MiB, "fat16", 32_KiB, "0x06"}, {256_MiB, "fat16", 32_KiB, "0x06"},
        {512_MiB, "fat16", 64_KiB, "0x06"}, {1_GiB, "fat16", 64_KiB, "0x06"},   {2_GiB, "fat16", 64_KiB, "0x06"}};
    for (const Row& row : rows) {
        CAPTURE(row.card.count);
        const auto volume = sd_volume_for(row.card);
        REQUIRE(reason(volume) == "success");
        CHECK(name_of(volume->layout.file_system) == row.file_system);
        CHECK((volume->start + volume->data_offset) % row.unit == 0_B);
        CHECK(volume->start >= row.unit);
        CHECK(volume->fat_offset == 512_B);
        // Boot sector, two FATs, 512 entries of the root directory.
        CHECK(volume->data_offset == 512_B + volume->fat_length * 2 + 16_KiB);
        CHECK(volume->start + volume->length <= row.card);
        // The cluster count determines the type for a driver.
        CHECK(volume->clusters <= (row.file_system == "fat12" ? 4084U : 65524U));
        CHECK(volume->clusters >= (row.file_system == "fat12" ? 1U : 4085U));
        const auto fs = file_system_from(row.file_system);
        REQUIRE(reason(fs) == "success");
        CHECK(mbr_type_of(*fs, volume->start, volume->length) == row.type);
    }
    // A card of 2 GB in the layout of SdFat's formatter.
    const auto card = sd_volume_for(sectors(3'862'528));
    REQUIRE(reason(card) == "success");
    CHECK(card->clusters == 60342);
    CHECK(in_sectors(card->fat_length) == 236);
    CHECK(in_sectors(card->start) == 135);
    CHECK(in_sectors(card->data_offset) == 505);
}

TEST_CASE("SD: a capacity without a public layout is refused") {
    CHECK(reason(sd_volume_for(2048_GiB + 512_B)) ==
          "the SD layout of a medium of 2.20 TB is not publicly known: the SDUC layout above 2 TiB is not published, "
          "choose another profile");
    // Just above 2 GiB there are too few clusters of 32 KiB for FAT32.
    CHECK(reason(sd_volume_for(2_GiB + 512_B)) ==
          "the SD layout requires, on a medium of 2.15 GB, the file system fat32 with clusters of 32768 bytes, which "
          "does not fit on the medium: choose another profile");
    CHECK(reason(sd_volume_for(16_KiB)) ==
          "the SD layout requires, on a medium of 16.4 kB, the file system fat12 with clusters of 8192 bytes, which "
          "does not fit on the medium: choose another profile");
}

TEST_CASE("partition table: the partition extends from 1 MiB to the last usable sector, or is exactly as requested") {
    const auto mbr = plan_table({}, FileSystem::exfat, 1_GiB, 512_B);
    REQUIRE(reason(mbr) == "success");
    CHECK(mbr->partitions == std::vector<PlannedPartition>{{1_MiB, 1_GiB - 1_MiB, "0x07", ""}});
    // The last sector of the partition is followed by 32 sectors of entries and the second header.
    const auto gpt = plan_table({.table = TableScheme::gpt}, FileSystem::hfs_plus, 1_GiB, 512_B);
    REQUIRE(reason(gpt) == "success");
    CHECK(gpt->main() ==
          PlannedPartition{1_MiB, 1_GiB - 1_MiB - sectors(33), "48465300-0000-11aa-aa11-00306543ecac", ""});
    const auto large = plan_table({.table = TableScheme::gpt}, FileSystem::apfs, 1_GiB, 4_KiB);
    REQUIRE(reason(large) == "success");
    CHECK(large->main().length == 1_GiB - 1_MiB - 20_KiB);
    const auto exact = plan_table({.start = sectors(63), .length = 64_MiB}, FileSystem::fat32, 1_GiB, 512_B);
    REQUIRE(reason(exact) == "success");
    CHECK(exact->main() == PlannedPartition{sectors(63), 64_MiB, "0x0b", ""});
    const auto mac = plan_table({.table = TableScheme::gpt, .start = sectors(409640), .efi_system_partition = true},
                                FileSystem::apfs, 8_GiB, 512_B);
    REQUIRE(reason(mac) == "success");
    CHECK(mac->partitions.size() == 2);
    CHECK(mac->partitions.front() == PlannedPartition{sectors(40), sectors(409600),
                                                      "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "EFI System Partition"});
    CHECK(mac->main().type == "7c3457ef-0000-11aa-aa11-00306543ecac");
}

TEST_CASE("partition table: an impossible partition is refused with one line") {
    const auto refused = [](const PartitionSpec& partition, FileSystem fs, Bytes medium, Bytes sector = 512_B) {
        const auto plan = plan_table(partition, fs, medium, sector);
        if (!plan) CHECK(plan.error().code == Errc::bad_request);
        return reason(plan);
    };
    CHECK(refused({.table = TableScheme::none}, FileSystem::exfat, 1_GiB) ==
          "a partition needs a table: use mbr or gpt");
    CHECK(
        refused({.start = 1000_B}, FileSystem::exfat, 1_GiB) ==
        "a partition of 1073740824 bytes at byte 1000: choose multiples of 512 bytes, the sector size of this medium");
    CHECK(refused({.start = sectors(63)}, FileSystem::exfat, 1_GiB, 4_KiB) ==
          "a partition of 1073709568 bytes at byte 32256: choose multiples of 4096 bytes, the sector size of this "
          "medium");
    CHECK(refused({.start = 0_B}, FileSystem::exfat, 1_GiB) ==
          "a partition of 1073741824 bytes at byte 0 does not fit: the table leaves bytes 512 to 1073741824 of this "
          "medium");
    CHECK(refused({.table = TableScheme::gpt, .length = 1_GiB - 1_MiB}, FileSystem::exfat, 1_GiB) ==
          "a partition of 1072693248 bytes at byte 1048576 does not fit: the table leaves bytes 17408 to 1073724928 of "
          "this medium");
    CHECK(refused({}, FileSystem::exfat, 1_MiB) ==
          "a partition of 0 bytes at byte 1048576 does not fit: the table leaves bytes 512 to 1048576 of this medium");
    CHECK(refused({}, FileSystem::exfat, 3072_GiB) ==
          "an MBR cannot address a partition of 3298533834752 bytes in sectors of 512: use gpt");
    CHECK(refused({.start = 1_MiB, .length = 2048_GiB - 512_B}, FileSystem::exfat, 3072_GiB) ==
          "a partition of 2199023255040 bytes at byte 1048576 ends after sector 4294967295, the last that every system "
          "finds by an MBR: use gpt");
    CHECK(refused({}, FileSystem::apfs, 1_GiB) == "APFS has no partition type in an MBR: use gpt, or no table");
    CHECK(refused({.efi_system_partition = true}, FileSystem::exfat, 1_GiB) ==
          "an EFI system partition belongs to a GPT: use gpt");
    CHECK(refused({.table = TableScheme::gpt, .efi_system_partition = true}, FileSystem::exfat, 1_GiB) ==
          "a partition at byte 1048576 overlaps the EFI partition: begin at byte 209735680 or after it");
    CHECK(refused({.table = TableScheme::gpt, .start = 256_MiB, .efi_system_partition = true}, FileSystem::exfat, 1_GiB,
                  4_KiB) ==
          "the position of the EFI partition of macOS on sectors of 4096 bytes is not publicly known: leave it out");
}

TEST_CASE("profiles: each profile gives an explicit format whose file system depends on the capacity") {
    const auto sdxc = spec_for(FormatProfile::sd, sectors(244285440), 512, {});
    REQUIRE(reason(sdxc) == "success");
    FormatSpec expected{.fs = FileSystem::exfat, .cluster_size = 128_KiB, .label = {}};
    expected.partition = PartitionSpec{.start = 16_MiB, .length = sectors(244252672)};
    expected.boundary = 8_MiB;
    expected.fat_length = 8_MiB;
    CHECK(*sdxc == expected);
    CHECK(spec_for(FormatProfile::sd, sectors(244285440), 512, FileSystem::exfat) == sdxc);

    const auto sdhc = spec_for(FormatProfile::sd, sectors(60'579'840), 512, {});
    REQUIRE(reason(sdhc) == "success");
    expected = {.fs = FileSystem::fat32, .cluster_size = 32_KiB, .label = {}};
    expected.partition = PartitionSpec{.start = 4_MiB, .length = sectors(60'571'648)};
    expected.reserved_sectors = 1598;
    CHECK(*sdhc == expected);
    CHECK(spec_for(FormatProfile::sd, 1_GiB, 512, {})->fs == FileSystem::fat16);
    CHECK(spec_for(FormatProfile::sd, 60'000'000_B, 512, {})->fs == FileSystem::fat12);

    for (const FormatProfile profile : {FormatProfile::windows, FormatProfile::linux}) {
        const auto plain = spec_for(profile, 64_GiB, 512, {});
        REQUIRE(reason(plain) == "success");
        expected = {.fs = FileSystem::exfat, .cluster_size = 128_KiB, .label = {}};
        expected.partition = PartitionSpec{.start = 1_MiB};
        if (profile == FormatProfile::linux) expected.boundary = 1_MiB;
        CHECK(*plain == expected);
        CHECK(spec_for(profile, 256_MiB, 512, {})->cluster_size == 4_KiB);
        CHECK(spec_for(profile, 3072_GiB, 512, {})->partition->table == TableScheme::gpt);
        CHECK(spec_for(profile, 3072_GiB, 4096, {})->partition->table == TableScheme::mbr);
        CHECK(spec_for(profile, 8_GiB, 512, FileSystem::fat32)->fs == FileSystem::fat32);
    }
}

TEST_CASE("profiles: the macOS profile has the figures of diskutil's logs") {
    struct Row {
        std::uint64_t volume;
        std::uint64_t fat_sectors;
        Bytes cluster;
    };
    // Length of the volume and FatLength, for 5, 15.8, 61.8, 126, 200 GB and 1 TB.
    const Row rows[] = {{5'000'000'000, 2048, 32_KiB},     {15'800'000'000, 4096, 32_KiB},
                        {61'800'000'000, 4096, 128_KiB},   {126'000'000'000, 8192, 128_KiB},
                        {200'000'000'000, 12288, 128_KiB}, {1'000'000'000'000, 61440, 128_KiB}};
    for (const Row& row : rows) {
        CAPTURE(row.volume);
        const auto spec = spec_for(FormatProfile::macos, Bytes{row.volume} + 202_MiB, 512, {});
        REQUIRE(reason(spec) == "success");
        CHECK(spec->fs == FileSystem::exfat);
        CHECK(spec->partition->efi_system_partition);
        CHECK(spec->partition->start == sectors(411648));
        CHECK(*spec->partition->length % 1_MiB == 0_B);
        CHECK(spec->cluster_size == row.cluster);
        CHECK(spec->fat_length == sectors(row.fat_sectors));
        CHECK(spec->boundary == 1_MiB);
    }
    const auto hfs = spec_for(FormatProfile::macos, 64_GiB, 512, FileSystem::hfs_plus_journaled);
    REQUIRE(reason(hfs) == "success");
    CHECK(hfs->partition->start == sectors(409640));
    CHECK(hfs->partition->length == 64_GiB - 128_MiB - sectors(409640) - 20_KiB);
    const auto apfs = spec_for(FormatProfile::macos, 64_GiB, 512, FileSystem::apfs);
    REQUIRE(reason(apfs) == "success");
    CHECK(apfs->partition->length == 64_GiB - sectors(409640) - 20_KiB);
    const auto fat = spec_for(FormatProfile::macos, 12_GiB, 512, FileSystem::fat32);
    REQUIRE(reason(fat) == "success");
    CHECK(fat->cluster_size == 8_KiB);
    CHECK(fat->reserved_sectors == 32);
}

TEST_CASE("profiles: missing and unpublished variants are refused with one line") {
    struct Row {
        FormatProfile profile;
        Bytes medium;
        std::uint32_t sector;
        std::optional<FileSystem> wanted;
        const char* why;
    };
    const Row rows[] = {
        {FormatProfile::sd, 16_GiB, 512, FileSystem::exfat,
         "the profile sd does not support exFAT on this medium, only FAT32 on a medium of 17.2 GB"},
        {FormatProfile::sd,
         16_GiB,
         4096,
         {},
         "the SD layout requires sectors of 512 bytes, but this medium has sectors of 4096: choose another profile"},
        {FormatProfile::windows, 16_GiB, 512, FileSystem::apfs,
         "the profile windows does not support APFS on this medium, only exFAT and FAT32"},
        {FormatProfile::windows, 64_GiB, 512, FileSystem::fat32,
         "the profile windows does not support FAT32 on this medium, only exFAT above 32 GiB"},
        {FormatProfile::linux,
         4_MiB,
         512,
         {},
         "a medium of 4.19 MB is too small for the profile linux, which takes at least 8.39 MB"},
        {FormatProfile::macos, 64_GiB, 512, FileSystem::hfs_plus,
         "the profile macos does not support HFS+ on this medium, only exFAT, FAT32, HFS+ Journaled and APFS"},
        {FormatProfile::macos,
         64_GiB,
         4096,
         {},
         "the format of macOS for sectors of 4096 bytes is not publicly known: choose another profile"},
        {FormatProfile::macos,
         2_GiB,
         512,
         {},
         "the format of macOS for a medium of 2.15 GB is not publicly known, only for media above 2.15 GB: choose "
         "another profile"},
    };
    for (const Row& row : rows) {
        const auto spec = spec_for(row.profile, row.medium, row.sector, row.wanted);
        CHECK(reason(spec) == row.why);
        if (!spec) CHECK(spec.error().code == Errc::bad_request);
    }
}
