// SPDX-License-Identifier: GPL-3.0-or-later
/// Cards in the SD layout, made with the given commands, with all their known values.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

TEST_CASE("ground truth: a 64 GB card in SDXC layout by sfdisk and mkfs.exfat -b 8M -c 128K has the known values") {
    MEDIARIG_NEEDS("sfdisk", "mkfs.exfat");
    const CheckedImage card(512_B * 124'735'488);
    write_table(card.path(), "32768,,7\n");
    // The volume is made in a separate file and copied to its position: no loop device is needed, and mkfs.exfat does
    // not know the start of its partition, as on a loop device with an offset.
    const CheckedImage volume_image(card.size() - 16_MiB);
    (void)said_by("mkfs.exfat", {"-b", "8M", "-c", "128K", volume_image.path()});
    card.put(volume_image, 16_MiB);

    CHECK(card.hex(446, 16) == "000a090207feffff0080000000d06e07");
    const InspectReport report = card.look();
    CHECK(report.scheme == "mbr");
    CHECK(report.problem.empty());
    REQUIRE(report.volumes.size() == 1);
    const InspectedVolume& volume = report.volumes[0];
    CHECK(volume.problem.empty());
    CHECK(volume.start == 512_B * 32768);
    CHECK(volume.length == 512_B * 124'702'720);
    CHECK(value(volume, "partition_type") == "0x07");
    CHECK(value(volume, "partition_chs_start") == "2/10/9");
    CHECK(value(volume, "partition_offset") == "0");
    CHECK(value(volume, "fat_offset") == in_bytes("16384", 512_B));
    // The FAT extends up to the heap in exfatprogs 1.2.0, but is only as long as needed in 1.2.9.
    const std::string fat_length = card.hex(volume.start.count + 0x54, 4);
    CHECK((fat_length == "000f0000" || fat_length == "de0e0000"));
    CHECK(value(volume, "fat_length") == in_bytes(fat_length == "000f0000" ? "3840" : "3806", 512_B));
    CHECK(value(volume, "cluster_heap_offset") == in_bytes("32768", 512_B));
    CHECK(value(volume, "cluster_size") == "131072");
    CHECK(value(volume, "cluster_count") == "486992");
    CHECK(card.hex(volume.start.count + 0x50, 4) == "00400000");
    CHECK(card.hex(volume.start.count + 0x58, 4) == "00800000");
    // The heap begins at twice the boundary unit on the medium.
    CHECK(volume.start + Bytes{std::stoull(value(volume, "cluster_heap_offset"))} == 32_MiB);
    CHECK(report.read <= 3_MiB); // including the FAT of 486992 clusters
}

TEST_CASE("ground truth: four SDHC cards by sfdisk and mkfs.fat -a -R follow the boundary unit rule") {
    MEDIARIG_NEEDS("sfdisk", "mkfs.fat");
    struct Row {
        std::uint64_t sectors;
        std::uint64_t reserved, fat, data, clusters;
        const char* type;
    };
    for (const Row& row :
         {Row{7'744'512, 6304, 944, 16384, 120752, "b"}, Row{15'523'840, 4404, 1894, 16384, 242304, "b"},
          Row{31'116'288, 598, 3797, 16384, 485936, "c"}, Row{60'579'840, 1598, 7393, 24576, 946176, "c"}}) {
        CAPTURE(row.sectors);
        const std::uint64_t start = 8192, total = 64 * row.clusters + row.data - start;
        const CheckedImage card(512_B * row.sectors), volume_image(512_B * total);
        write_table(card.path(), fmt::format("{},{},{}\n", start, total, row.type));
        (void)said_by("mkfs.fat", {"-a", "-F32", "-s", "64", "-R", std::to_string(row.reserved), "-f", "2", "-h",
                                   std::to_string(start), "-n", "SDCARD", volume_image.path()});
        card.put(volume_image, 512_B * start);

        const InspectReport report = card.look();
        CHECK(report.scheme == "mbr");
        REQUIRE(report.volumes.size() == 1);
        const InspectedVolume& volume = report.volumes[0];
        CHECK(volume.problem.empty());
        CHECK(volume.file_system == "fat32");
        CHECK(volume.start == 512_B * start);
        CHECK(volume.length == 512_B * total);
        CHECK(value(volume, "partition_type") == fmt::format("0x0{}", row.type));
        CHECK(value(volume, "partition_chs_start") == "0/130/3");
        CHECK(value(volume, "cluster_size") == "32768");
        CHECK(value(volume, "hidden_sectors") == std::to_string(start));
        CHECK(value(volume, "reserved_sectors") == std::to_string(row.reserved));
        CHECK(value(volume, "fat_length") == std::to_string(512 * row.fat));
        CHECK(value(volume, "number_of_fats") == "2");
        CHECK(value(volume, "cluster_count") == std::to_string(row.clusters));
        CHECK(value(volume, "volume_length") == std::to_string(512 * total));
        CHECK(value(volume, "free_clusters") == std::to_string(row.clusters - 1));
        CHECK(value(volume, "free_clusters_hint") == std::to_string(row.clusters - 1));
        CHECK(value(volume, "root_cluster") == "2");
        CHECK(value(volume, "info_sector") == "1");
        CHECK(value(volume, "backup_sector") == "6");
        CHECK(value(volume, "media") == "0xf8");
        // On the medium, the data begins on a whole boundary unit.
        CHECK(volume.start.count + std::stoull(value(volume, "data_offset")) == 512 * row.data);
        CHECK(row.data % 8192 == 0);
        const std::uint64_t boot = volume.start.count;
        CHECK(card.hex(boot + 0x0B, 3) == "000240");
        CHECK(card.hex(boot + 0x0E, 2) == fmt::format("{:02x}{:02x}", row.reserved & 0xFF, row.reserved >> 8));
        CHECK(card.hex(boot + 0x10, 1) == "02");
        CHECK(card.hex(boot + 0x15, 1) == "f8");
        CHECK(card.hex(boot + 0x1C, 4) == "00200000");
        CHECK(card.hex(boot + 0x24, 2) == fmt::format("{:02x}{:02x}", row.fat & 0xFF, row.fat >> 8));
        CHECK(card.hex(boot + 0x52, 5) == "4641543332");
        CHECK(card.hex(boot + 512, 4) == "52526141");
        CHECK(card.hex(boot + 512 + 0x1E4, 4) == "72724161");
        CHECK(card.hex(boot + 512 + 0x1FC, 4) == "000055aa");
        // The inspection reads the table, and a FAT of less than 4 MiB.
        CHECK(report.read <= 4_MiB + 256_KiB);
        if (row.sectors == 60'579'840) CHECK(card.hex(446, 16) == "008203000cfeffff0020000000409c03");
    }
}
