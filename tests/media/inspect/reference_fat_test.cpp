// SPDX-License-Identifier: GPL-3.0-or-later
/// Volumes of mkfs.fat, compared with its own output and read by fsstat and blkid.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

struct FatRow {
    Bytes size;
    const char* width;
    std::vector<std::string> more{};
};

void agrees_with_mkfs(const InspectedVolume& volume, const std::string& said, const std::string& width) {
    CHECK(volume.file_system == "fat" + width);
    CHECK(width == match(said, R"(filesystem has \d+ (\d+)-bit FATs)"));
    const Bytes sector{std::stoull(match(said, R"(logical sector size is (\d+))"))};
    CHECK(value(volume, "sector_size") == std::to_string(sector.count));
    CHECK(value(volume, "volume_length") == in_bytes(match(said, R"(with (\d+) sectors)"), sector));
    CHECK(value(volume, "cluster_size") == in_bytes(match(said, R"(and (\d+) sectors? per cluster)"), sector));
    CHECK(value(volume, "number_of_fats") == match(said, R"(filesystem has (\d+) )"));
    CHECK(value(volume, "fat_length") == in_bytes(match(said, R"(FAT size is (\d+) sector)"), sector));
    CHECK(value(volume, "cluster_count") == match(said, R"(provides (\d+) cluster)"));
    CHECK(value(volume, "reserved_sectors") == match(said, R"(There (?:is|are) (\d+) reserved sector)"));
    CHECK(value(volume, "fat_offset") == in_bytes(value(volume, "reserved_sectors"), sector));
    CHECK(value(volume, "media") == match(said, R"(using (0x[0-9a-f]+) media descriptor)"));
    const std::string hidden = match(said, R"(hidden sectors 0x([0-9a-f]+))");
    CHECK(value(volume, "hidden_sectors") == std::to_string(std::stoul(hidden, nullptr, 16)));
    CHECK(value(volume, "serial_number") == "1234-5678");
    CHECK(match(said, R"(Volume ID is ([0-9a-f]+))") == "12345678");
    CHECK(volume.label == match(said, R"(volume label (\w+)\.)"));
    if (width != "32") CHECK(value(volume, "root_entries") == match(said, R"(Root directory contains (\d+) slots)"));
}

void fat_agrees_with_fsstat(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("fsstat", {"-f", "fat", path});
    INFO(said.substr(0, 2000));
    const bool fat32 = volume.file_system == "fat32";
    const auto sectors = [&](const char* pattern) { return in_bytes(match(said, pattern), 512_B); };
    CHECK("fat" + match(said, R"(File System Type: FAT(\d+))") == volume.file_system);
    CHECK(value(volume, "oem_name") == field(said, "OEM Name:"));
    CHECK(value(volume, "sector_size") == field(said, "Sector Size:"));
    CHECK(value(volume, "cluster_size") == field(said, "Cluster Size:"));
    CHECK(value(volume, "hidden_sectors") == field(said, "Sectors before file system:"));
    CHECK(volume.label == field(said, "Volume Label (Root Directory):"));
    CHECK(value(volume, "fat_offset") == sectors(R"(\* FAT 0: (\d+) -)"));
    const std::uint64_t second = std::stoull(match(said, R"(\* FAT 1: (\d+) -)"));
    const std::uint64_t first = std::stoull(match(said, R"(\* FAT 0: (\d+) -)"));
    CHECK(value(volume, "fat_length") == std::to_string((second - first) * 512));
    CHECK(value(volume, "data_offset") == sectors(R"(\*\* Cluster Area: (\d+) -)"));
    const std::uint64_t last = std::stoull(match(said, R"(Total Cluster Range: 2 - (\d+))"));
    CHECK(value(volume, "cluster_count") == std::to_string(last - 1));
    const std::uint64_t end = std::stoull(match(said, R"(Total Range: 0 - (\d+))"));
    CHECK(value(volume, "volume_length") == std::to_string((end + 1) * 512));
    if (!fat32) return;
    CHECK(value(volume, "info_sector") == match(said, R"(FS Info Sector: (\d+))"));
    CHECK(value(volume, "backup_sector") == match(said, R"(Backup Boot Sector: (\d+))"));
    CHECK(value(volume, "root_cluster") == "2");
    // fsstat reports the free clusters in sectors.
    const std::uint64_t per_cluster = std::stoull(value(volume, "cluster_size")) / 512;
    const std::uint64_t free = std::stoull(field(said, "Free Sector Count (FS Info):"));
    CHECK(value(volume, "free_clusters_hint") == std::to_string(free / per_cluster));
}

void fat_agrees_with_blkid(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("blkid", {"-p", "-o", "export", path});
    INFO(said);
    CHECK(field(said, "\nTYPE=") == "vfat");
    CHECK(field(said, "VERSION=FAT") == volume.file_system.substr(3));
    CHECK(field(said, "\nUUID=") == value(volume, "serial_number"));
    CHECK(field(said, "\nLABEL=") == volume.label);
    CHECK(field(said, "BLOCK_SIZE=") == value(volume, "sector_size"));
}

} // namespace

TEST_CASE("FAT reference checkers: mkfs.fat -v, fsstat and blkid agree at 34 layouts from 2 MiB to 2 TB") {
    MEDIARIG_NEEDS("mkfs.fat", "fsstat", "blkid");
    const FatRow rows[] = {{2_MiB, "12"},
                           {8_MiB, "12"},
                           {Bytes{31'000'064}, "12"},
                           {16_MiB, "16"},
                           {64_MiB, "16"},
                           {Bytes{100'000'256}, "16"}, // not a multiple of 4096
                           {128_MiB - 512_B, "16"},
                           {128_MiB + 512_B, "16"},
                           {256_MiB, "16"},
                           {511_MiB, "16"},
                           {1_GiB, "16"},
                           {2_GiB - 512_B, "16"},
                           {64_MiB, "32", {"-s", "1"}},
                           {Bytes{100'000'256}, "32", {"-s", "1"}},
                           {260_MiB - 512_B, "32"},
                           {260_MiB, "32"},
                           {260_MiB + 512_B, "32"},
                           {512_MiB, "32"},
                           {1_GiB, "32"},
                           {Bytes{3'965'190'144}, "32", {"-a", "-s", "64", "-R", "6304", "-f", "2"}},
                           {8_GiB - 512_B, "32"},
                           {8_GiB, "32"},
                           {8_GiB + 512_B, "32"},
                           {16_GiB - 512_B, "32"},
                           {16_GiB + 512_B, "32"},
                           {32_GiB - 512_B, "32"},
                           {32_GiB, "32"},
                           {32_GiB + 512_B, "32"},
                           {64_GiB, "32"},
                           {Bytes{127'999'999'488}, "32", {"-s", "128"}},
                           {512_GiB, "32", {"-s", "128"}},
                           {1024_GiB, "32", {"-s", "128"}},
                           {Bytes{1'500'000'000'512}, "32", {"-s", "64"}},
                           {Bytes{2'000'000'000'000}, "32", {"-s", "128"}}};
    for (const FatRow& row : rows) {
        CAPTURE(row.size.count, row.width);
        const CheckedImage image(row.size);
        std::vector<std::string> arguments{"-v", "-n", "FATTEST", "-i", "12345678", "-F", row.width};
        arguments.insert(arguments.end(), row.more.begin(), row.more.end());
        arguments.push_back(image.path());
        const std::string said = said_by("mkfs.fat", arguments);
        INFO(said);
        const InspectedVolume volume = image.only_volume();
        agrees_with_mkfs(volume, said, row.width);
        fat_agrees_with_fsstat(volume, image.path());
        fat_agrees_with_blkid(volume, image.path());
        // A FAT of up to 16 MiB is counted. All other reads take less than 256 KiB.
        const Bytes fat{std::stoull(value(volume, "fat_length"))};
        const Bytes read = image.look().read;
        CHECK(read.count <= (std::min(fat, 16_MiB) + 256_KiB).count);
        // A FAT32 has its root directory in a cluster.
        const std::uint64_t used = volume.file_system == "fat32" ? 1 : 0;
        const std::uint64_t free = std::stoull(value(volume, "cluster_count")) - used;
        if (fat <= 16_MiB) CHECK(value(volume, "free_clusters") == std::to_string(free));
        CHECK(volume.usable.count == free * std::stoull(value(volume, "cluster_size")));
    }
}

TEST_CASE("FAT reference checkers: mkfs.fat -v and blkid agree on 4096-byte sectors from 64 MiB to 1 TB") {
    MEDIARIG_NEEDS("mkfs.fat", "blkid");
    // fsstat 4.11.1 calls such a volume invalid without checking its sector size.
    for (const FatRow& row :
         {FatRow{64_MiB, "16"}, FatRow{512_MiB, "32", {"-s", "1"}}, FatRow{1_GiB, "32", {"-s", "1"}},
          FatRow{8_GiB, "32"}, FatRow{Bytes{15'999'995'904}, "32"}, FatRow{64_GiB, "32"},
          FatRow{512_GiB, "32", {"-s", "16"}}, FatRow{Bytes{1'000'000'000'512}, "32", {"-s", "16"}}}) {
        CAPTURE(row.size.count, row.width);
        const CheckedImage image(row.size);
        std::vector<std::string> arguments{"-v", "-n", "FATTEST", "-i", "12345678", "-F", row.width, "-S", "4096"};
        arguments.insert(arguments.end(), row.more.begin(), row.more.end());
        arguments.push_back(image.path());
        const std::string said = said_by("mkfs.fat", arguments);
        INFO(said);
        const InspectedVolume volume = image.only_volume();
        agrees_with_mkfs(volume, said, row.width);
        fat_agrees_with_blkid(volume, image.path());
    }
}
