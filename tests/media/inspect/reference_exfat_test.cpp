// SPDX-License-Identifier: GPL-3.0-or-later
/// Volumes of mkfs.exfat, read by dump.exfat, fsstat and blkid.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

std::uint64_t serial_of(const InspectedVolume& volume) {
    std::string digits = value(volume, "serial_number");
    std::erase(digits, '-');
    return std::stoull(digits, nullptr, 16);
}

void agrees_with_dump(const InspectedVolume& volume, const std::string& path, Bytes sector) {
    const std::string said = said_by("dump.exfat", {path});
    INFO(said);
    const auto sectors = [&](const char* label) { return in_bytes(field(said, label), sector); };
    CHECK(value(volume, "volume_length") == sectors("Volume Length(sectors):"));
    CHECK(value(volume, "fat_offset") == sectors("FAT Offset(sector offset):"));
    CHECK(value(volume, "fat_length") == sectors("FAT Length(sectors):"));
    CHECK(value(volume, "cluster_heap_offset") == sectors("Cluster Heap Offset (sector offset):"));
    CHECK(value(volume, "cluster_count") == field(said, "Cluster Count:"));
    CHECK(value(volume, "cluster_count") == field(said, "Total Clusters:"));
    CHECK(value(volume, "root_cluster") == field(said, "Root Cluster (cluster offset):"));
    // exfatprogs 1.2.5 prints the exponent, 1.2.9 the size.
    const std::string bits = field(said, "Sector Size Bits:");
    CHECK((bits == "(none)" ? field(said, "Bytes per Sector:") : std::to_string(1u << std::stoul(bits))) ==
          value(volume, "sector_size"));
    CHECK(serial_of(volume) == std::stoull(field(said, "Volume Serial:"), nullptr, 16));
    CHECK(value(volume, "cluster_size") == field(said, "Cluster size:"));
    CHECK(value(volume, "bitmap_cluster") == field(said, "Bitmap start cluster:"));
    CHECK(value(volume, "bitmap_length") == field(said, "Bitmap size:"));
    // dump.exfat prints this value in hexadecimal.
    CHECK(fmt::format("{:x}", std::stoul(value(volume, "upcase_cluster"))) ==
          field(said, "Upcase table start cluster:"));
    CHECK(value(volume, "upcase_length") == field(said, "Upcase table size:"));
    CHECK(value(volume, "free_clusters") == field(said, "Free Clusters:"));
    CHECK(volume.label == field(said, "Volume label:"));
    CHECK(volume.usable.count ==
          std::stoull(field(said, "Free Clusters:")) * std::stoull(field(said, "Cluster size:")));
}

void exfat_agrees_with_fsstat(const InspectedVolume& volume, const std::string& path, Bytes sector) {
    const std::string said = said_by("fsstat", {"-f", "exfat", path});
    INFO(said);
    CHECK(field(said, "File System Type:") == "exFAT");
    // fsstat 4.11.1 prints each byte of the serial number without leading zeros.
    const std::uint64_t serial = serial_of(volume);
    CHECK(field(said, "Volume Serial Number:") ==
          fmt::format("{:x}{:x}-{:x}{:x}", serial >> 24, serial >> 16 & 0xFF, serial >> 8 & 0xFF, serial & 0xFF));
    CHECK(volume.label == field(said, "Volume Label (from root directory):"));
    // fsstat prints the minor version without its leading zero.
    CHECK(value(volume, "revision") == "1.00");
    CHECK(field(said, "File System Revision:") == "1.0");
    CHECK(value(volume, "partition_offset") == field(said, "Partition Offset:"));
    CHECK(value(volume, "number_of_fats") == field(said, "Number of FATs:"));
    CHECK(value(volume, "sector_size") == field(said, "Sector Size:"));
    CHECK(value(volume, "cluster_size") == field(said, "Cluster Size:"));
    CHECK(value(volume, "fat_offset") == in_bytes(match(said, R"(\* FAT 1: (\d+) -)"), sector));
    CHECK(value(volume, "cluster_heap_offset") == in_bytes(match(said, R"(\*\* Cluster Heap: (\d+) -)"), sector));
    const std::uint64_t last = std::stoull(match(said, R"(Cluster Range: 2 - (\d+))"));
    CHECK(value(volume, "cluster_count") == std::to_string(last - 1));
}

void exfat_agrees_with_blkid(const InspectedVolume& volume, const std::string& path) {
    const std::string said = said_by("blkid", {"-p", "-o", "export", path});
    INFO(said);
    CHECK(field(said, "\nTYPE=") == volume.file_system);
    CHECK(field(said, "\nUUID=") == value(volume, "serial_number"));
    CHECK(field(said, "LABEL=") == volume.label);
    CHECK(field(said, "BLOCK_SIZE=") == value(volume, "sector_size"));
}

/// The bitmap has one bit per cluster, and a FAT of up to 8 MiB is searched for bad clusters. All other reads take less
/// than 384 KiB.
void exfat_reads_little(const InspectReport& report) {
    const std::uint64_t clusters = std::stoull(value(report.volumes.at(0), "cluster_count"));
    const Bytes fat{(clusters + 2) * 4};
    CAPTURE(report.read.count, clusters, fat.count);
    CHECK(report.read <= Bytes{clusters / 8} + (fat <= 8_MiB ? fat : 0_B) + 448_KiB);
    CHECK(report.read <= 64_MiB);
}

struct ExfatRow {
    Bytes size;
    const char* cluster{""}; ///< empty: the tool's default
    const char* boundary{""};
};

} // namespace

TEST_CASE("exFAT reference checkers: dump.exfat, fsstat and blkid agree at 25 layouts from 64 MiB to 2 TiB") {
    MEDIARIG_NEEDS("mkfs.exfat", "dump.exfat", "fsstat", "blkid");
    const ExfatRow rows[] = {{64_MiB},
                             {Bytes{100'000'256}}, // not a multiple of 4096
                             {256_MiB - 512_B},
                             {256_MiB},
                             {256_MiB + 512_B},
                             {257_MiB},
                             {1_GiB},
                             {Bytes{8'010'000'384}},
                             {32_GiB - 512_B},
                             {32_GiB},
                             {32_GiB + 512_B},
                             {33_GiB},
                             {Bytes{63'864'569'856}}, // a card of 64 GB
                             {128_GiB},
                             {512_GiB + 1536_B},
                             {1024_GiB},
                             {Bytes{2'000'000'000'000}},
                             {2048_GiB},
                             {64_MiB, "512"},
                             {1_GiB, "4K"},
                             {4_GiB, "128K"},
                             {8_GiB, "32M"},
                             {Bytes{63'847'792'640}, "128K", "8M"},
                             {512_GiB, "256K", "16M"},
                             {1024_GiB, "512K", "32M"}};
    for (const ExfatRow& row : rows) {
        CAPTURE(row.size.count, row.cluster, row.boundary);
        const CheckedImage image(row.size);
        std::vector<std::string> arguments{"-L", "CARD-1"};
        if (*row.cluster != '\0') arguments.insert(arguments.end(), {"-c", row.cluster});
        if (*row.boundary != '\0') arguments.insert(arguments.end(), {"-b", row.boundary});
        arguments.push_back(image.path());
        (void)said_by("mkfs.exfat", arguments);
        if (field(said_by("dump.exfat", {image.path()}), "Volume Length(sectors):") == "(none)")
            MEDIARIG_SKIP("this dump.exfat writes in another form than 1.2.0");
        const InspectedVolume volume = image.only_volume();
        agrees_with_dump(volume, image.path(), 512_B);
        exfat_agrees_with_fsstat(volume, image.path(), 512_B);
        exfat_agrees_with_blkid(volume, image.path());
        exfat_reads_little(image.look());
    }
}

TEST_CASE("exFAT reference checkers: dump.exfat, fsstat and blkid agree on 4096-byte sectors from 64 MiB to 2 TB") {
    MEDIARIG_NEEDS("mkfs.exfat", "dump.exfat", "fsstat", "blkid");
    if (!may_make_loops()) MEDIARIG_SKIP("no right to make loop devices");
    for (const Bytes size : {64_MiB, 256_MiB, 260_MiB, 1_GiB, 32_GiB, 33_GiB, 1024_GiB, Bytes{1'999'999'995'904}}) {
        CAPTURE(size.count);
        const LoopMedium medium(size, 4096);
        (void)said_by("mkfs.exfat", {"-L", "EXTEST", medium.node()});
        const auto report = look_at(medium.node(), size, 4096);
        REQUIRE(report.volumes.size() == 1);
        const InspectedVolume& volume = report.volumes[0];
        CHECK(volume.problem.empty());
        CHECK(value(volume, "sector_size") == "4096");
        agrees_with_dump(volume, medium.node(), 4096_B);
        exfat_agrees_with_fsstat(volume, medium.node(), 4096_B);
        exfat_agrees_with_blkid(volume, medium.node());
        exfat_reads_little(report);
    }
}
