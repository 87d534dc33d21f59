// SPDX-License-Identifier: GPL-3.0-or-later
/// Boot sectors that no driver reads, volumes that end early, and values with which a checker fails a volume.
#include <algorithm>

#include "host/base/process/run_process.hpp"
#include "tests/media/inspect/damaged.hpp"
#include "tests/media/inspect/tables.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

InspectReport seen(const Image& image, std::uint32_t sector = 512) {
    auto report = inspect(image.descriptor(), image.size(), sector);
    REQUIRE(reason(report) == "success");
    return std::move(*report);
}

/// Copies a volume of mkfs.fat to byte `at` of an image.
void put_fat(Image& image, std::uint64_t at, const std::vector<std::string>& arguments) {
    Image volume(64_MiB);
    std::vector<std::string> words = arguments;
    words.push_back(volume.path());
    const auto made = process::run_process({.program = "mkfs.fat", .arguments = words});
    REQUIRE(reason(made) == "success");
    REQUIRE(made->succeeded());
    image.write(at, volume.read(0, (2_MiB).count));
}

struct Field {
    const char* name;
    std::uint64_t offset;
    std::vector<int> bytes;
};

const std::vector<Field>& fields_of_fat32() {
    static const std::vector<Field> fields{{"BPB_SecPerClus", 0x0D, {0}},
                                           {"BPB_SecPerClus", 0x0D, {3}},
                                           {"BPB_BytsPerSec", 0x0B, {0, 0}},
                                           {"BPB_BytsPerSec", 0x0B, {1, 2}},
                                           {"BPB_NumFATs", 0x10, {0}},
                                           {"BPB_RsvdSecCnt", 0x0E, {0, 0}},
                                           {"BPB_TotSec", 0x20, {0, 0, 0, 0}},
                                           {"BPB_FATSz", 0x24, {0, 0, 0, 0}},
                                           {"BPB_TotSec", 0x24, {0, 0, 0, 0x7F}},
                                           {"BPB_Media", 0x15, {0}}};
    return fields;
}

std::vector<int> le16(unsigned value) {
    return {static_cast<int>(value & 0xFF), static_cast<int>(value >> 8 & 0xFF)};
}

std::vector<int> numbers(std::string_view text) {
    std::vector<int> bytes;
    for (const char byte : text) bytes.push_back(static_cast<unsigned char>(byte));
    return bytes;
}

} // namespace

TEST_CASE("a damaged boot sector on the whole medium is damage, not an empty table") {
    for (const Field& field : fields_of_fat32()) {
        CAPTURE(field.name, field.offset);
        Image image(64_MiB);
        put_fat(image, 0, {"-F", "32"});
        image.write(field.offset, field.bytes);
        const InspectReport report = seen(image);
        CHECK(report.scheme == "none");
        CHECK(report.volumes.empty());
        CHECK(report.problem == fmt::format("boot sector at byte 0: {}: no file system is recognised", field.name));
    }
    Image fat16(64_MiB);
    put_fat(fat16, 0, {"-F", "16"});
    fat16.write(0x16, le16(0));
    CHECK_THAT(seen(fat16).problem, StartsWith("boot sector at byte 0: BPB_"));
    for (const std::uint64_t damaged : {3u, 5u, 10u}) {
        Image exfat = image_from_hex("exfat_1gib.hex", 1_GiB);
        exfat.write(damaged, std::vector<int>{0x01});
        CHECK(seen(exfat).scheme == "none");
        CHECK(seen(exfat).problem == "boot sector at byte 0: FileSystemName: no file system is recognised");
        Image ntfs(64_MiB);
        ntfs.write(0, numbers("\xEB\x52\x90NTFS    "));
        ntfs.write(510, std::vector<int>{0x55, 0xAA});
        ntfs.write(damaged, std::vector<int>{0x01});
        CHECK(seen(ntfs).problem == "boot sector at byte 0: OEM ID: no file system is recognised");
    }
}

TEST_CASE("a damaged boot sector in a partition is damage of its volume") {
    for (const Field& field : fields_of_fat32()) {
        CAPTURE(field.name, field.offset);
        Image image(128_MiB);
        put_entry(image, 0, 1, 0x0C, 2048, 131072);
        put_fat(image, 1 << 20, {"-F", "32"});
        image.write((1 << 20) + field.offset, field.bytes);
        const InspectReport report = seen(image);
        CHECK(report.scheme == "mbr");
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].file_system.empty());
        CHECK(report.volumes[0].problem ==
              fmt::format("boot sector at byte 1048576: {}: no file system is recognised", field.name));
    }
}

TEST_CASE("a table without entries is a table with any boot code of an MBR, and a label of PC-98 is none") {
    for (const std::string_view code : {std::string_view("", 0), std::string_view("\x33\xC0\x8E\xD0\xBC\x00\x7C", 7),
                                        std::string_view("\xFA\xB8\x00\x10", 4), std::string_view("\xEB\x63\x90", 3)}) {
        Image image(8_MiB);
        image.write(0, numbers(code));
        image.write(510, std::vector<int>{0x55, 0xAA});
        CHECK(seen(image).scheme == "mbr");
        CHECK(seen(image).problem.empty());
    }
    Image pc98(8_MiB);
    pc98.write(0, numbers("\xEB\x0A\x90\x90IPL1"));
    pc98.write(510, std::vector<int>{0x55, 0xAA});
    CHECK(seen(pc98).scheme == "none");
    CHECK_THAT(seen(pc98).problem, StartsWith("boot sector at byte 0: "));
}

TEST_CASE("a volume that is shorter than its superblock states is truncated") {
    struct Superblock {
        const char* file_system;
        std::vector<Field> fields; ///< a volume of 16 MiB
        const char* field;
        std::uint64_t at;
    };
    const Superblock superblocks[] = {
        {"ext4",
         {{"", 1024, le32(1)},
          {"", 1028, le32(4096)},
          {"", 1024 + 0x18, le32(2)},
          {"", 1024 + 0x38, {0x53, 0xEF}},
          {"", 1024 + 0x60, {0x40}}},
         "s_blocks_count",
         1028},
        {"ext2",
         {{"", 1024, le32(1)}, {"", 1028, le32(16384)}, {"", 1024 + 0x38, {0x53, 0xEF}}},
         "s_blocks_count",
         1028},
        {"xfs", {{"", 0, numbers("XFSB")}, {"", 4, be32(4096)}, {"", 8, be64(4096)}}, "sb_dblocks", 8},
        {"ntfs",
         {{"", 3, numbers("NTFS    ")}, {"", 11, le16(512)}, {"", 0x28, le64(32768)}},
         "sectors_per_volume",
         0x28},
        {"f2fs",
         {{"", 1024, {0x10, 0x20, 0xF5, 0xF2}}, {"", 1040, le32(12)}, {"", 1060, le64(4096)}},
         "block_count",
         1060},
        {"btrfs",
         {{"", 0x10040, numbers("_BHRfS_M")}, {"", 0x10000 + 0xD1, le64(16 << 20)}},
         "dev_item.total_bytes",
         0x10000 + 0xD1},
        {"iso9660",
         {{"", 32768, {1}},
          {"", 32769, numbers("CD001")},
          {"", 32768 + 80, le32(8192 + 150)},
          {"", 32768 + 128, le16(2048)}},
         "Volume Space Size",
         32768 + 80},
    };
    for (const Superblock& block : superblocks) {
        CAPTURE(block.file_system);
        for (const Bytes size : {16_MiB, 24_MiB, 16_MiB - 4_KiB, 8_MiB}) {
            Image image(size);
            for (const Field& field : block.fields) image.write(field.offset, field.bytes);
            const InspectReport report = seen(image);
            REQUIRE(report.volumes.size() == 1);
            CHECK(report.volumes[0].file_system == block.file_system);
            CHECK(report.volumes[0].problem ==
                  (size >= 16_MiB
                       ? ""
                       : fmt::format("{} at byte {}: the {} of 16777216 bytes is larger than its partition or "
                                     "medium of {} bytes",
                                     block.field, block.at, block.file_system, size.count)));
        }
    }
    Image partitioned(24_MiB); // a partition of 8 MiB
    put_entry(partitioned, 0, 1, 0x83, 2048, 16384);
    for (const Field& field : superblocks[2].fields) partitioned.write((1 << 20) + field.offset, field.bytes);
    CHECK_THAT(seen(partitioned).volumes.at(0).problem, StartsWith("sb_dblocks at byte 1048584: the xfs of 16777216"));
}

TEST_CASE("FAT12 and FAT16: a root directory that is empty or fills no whole sector is a defect") {
    for (const unsigned entries : {0u, 1u, 15u, 500u, 65535u}) {
        CAPTURE(entries);
        Image image(64_MiB);
        put_fat(image, 0, {"-F", "16"});
        image.write(0x11, le16(entries));
        CHECK_THAT(complaints(image),
                   ContainsSubstring(fmt::format("BPB_RootEntCnt is {}, a multiple of 16", entries)));
    }
    Image fat32(64_MiB);
    put_fat(fat32, 0, {"-F", "32"});
    fat32.write(0x11, le16(16));
    CHECK_THAT(complaints(fat32), ContainsSubstring("BPB_RootEntCnt is 16, 0 expected on FAT32"));
}

TEST_CASE("FAT32: the chain of the root directory is followed to its end") {
    const auto damaged = [](std::uint32_t second, std::uint32_t third) {
        Image image(64_MiB);
        put_fat(image, 0, {"-F", "32", "-s", "1", "-R", "32"});
        const auto low = image.read(0x24, 4);
        std::uint64_t fat_length = 0;
        for (std::size_t i = 0; i < 4; ++i) fat_length |= std::to_integer<std::uint64_t>(low[i]) << (8 * i);
        for (const std::uint64_t fat : {std::uint64_t{32}, 32 + fat_length}) {
            image.write(fat * 512 + 8, le32(second));
            image.write(fat * 512 + 12, le32(third));
        }
        return complaints(image);
    };
    CHECK(damaged(0x0FFFFFF8, 0).empty());
    CHECK(damaged(3, 0x0FFFFFFF).empty());
    CHECK_THAT(damaged(0, 0), ContainsSubstring("root directory: the FAT entry of cluster 2 at byte 16392 is 0x0"));
    CHECK_THAT(damaged(0x0FFFFFF7, 0), ContainsSubstring("the FAT entry of cluster 2 at byte 16392 is 0xffffff7"));
    CHECK_THAT(damaged(3, 0), ContainsSubstring("the FAT entry of cluster 3 at byte 16396 is 0x0"));
    CHECK_THAT(damaged(2, 0), ContainsSubstring("its chain in the FAT at byte 16384 returns to cluster 2"));
    CHECK_THAT(damaged(3, 2), ContainsSubstring("its chain in the FAT at byte 16384 returns to cluster 2"));
}

TEST_CASE("FAT: a root directory of meaningless bytes is damage, and gives no label") {
    Image image(64_MiB);
    put_fat(image, 0, {"-F", "16", "-n", "CARD"});
    REQUIRE(seen(image).volumes.at(0).label == "CARD");
    const auto report = seen(image);
    const auto place = std::ranges::find(report.volumes[0].places, "label_in_root_directory", &FieldLocation::name);
    REQUIRE(place != report.volumes[0].places.end());
    const std::uint64_t root = place->at.count;
    struct Entry {
        const char* name;
        std::uint64_t at;
        std::vector<int> bytes;
    };
    for (const Entry& entry :
         {Entry{"a control character", 32, {'A', 1, 'B', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', 0x20}},
          Entry{"reserved attributes", 32, {'A', 'B', 'C', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', 0xE0}},
          Entry{"a long name with a type", 32, {0x41, 'A', 0, 'B', 0, 0, 0, 0, 0, 0, 0, 0x0F, 7}}}) {
        CAPTURE(entry.name);
        Image damaged(64_MiB);
        damaged.write(0, image.read(0, (2_MiB).count));
        damaged.write(root + entry.at, entry.bytes);
        CHECK(complaints(damaged) == fmt::format("\nroot directory: the entry at byte {} is invalid", root + 32));
        CHECK(seen(damaged).volumes.at(0).label.empty());
    }
}

TEST_CASE("exFAT: a revision other than 1.00 to 1.99 is a defect") {
    for (const unsigned revision : {0x0200u, 0x0000u, 0x0164u, 0x6300u}) {
        CAPTURE(revision);
        Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
        image.write(104, le16(revision));
        CHECK_THAT(complaints(image),
                   ContainsSubstring(fmt::format("FileSystemRevision is {:#06x}, 0x0100 expected", revision)));
    }
}

TEST_CASE("an image file has the sector size of its table or volume") {
    Image table(64_MiB);
    put_gpt(table, 4096);
    put_entry(table, 0, 1, 0xEE, 1, 0xFFFFFFFF);
    Image volume(1_GiB);
    const auto made =
        process::run_process({.program = "mkfs.fat", .arguments = {"-F", "32", "-S", "4096", volume.path()}});
    REQUIRE(reason(made) == "success");
    for (const Image* image : {&table, &volume}) {
        const auto report = inspect_image(image->descriptor(), image->size());
        REQUIRE(reason(report) == "success");
        CHECK(report->sector_size == 4096);
        CHECK(report->problem.empty());
    }
    Image usual(64_MiB);
    put_gpt(usual);
    CHECK(inspect_image(usual.descriptor(), usual.size())->sector_size == 512);
    CHECK(inspect_image(Image(8_MiB).descriptor(), 8_MiB)->sector_size == 512);
    CHECK(!inspect_image(-1, 8_MiB));
}

TEST_CASE("an extended boot record with two links is reported, and the first is followed") {
    for (const int other : {2, 3, 4}) {
        CAPTURE(other);
        Image image(64_MiB);
        put_entry(image, 0, 1, 0x05, 16384, 98304);
        put_entry(image, 16384 * 512, 1, 0x05, 8192, 2048);
        put_entry(image, 16384 * 512, other, 0x05, 32768, 8192);
        put_entry(image, (16384 + 8192) * 512, 1, 0x83, 1024, 1024);
        put_entry(image, (16384 + 32768) * 512, 1, 0x83, 2048, 2048);
        const InspectReport report = seen(image);
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].start == Bytes{(16384 + 8192 + 1024) * 512});
        CHECK(report.problem ==
              "extended boot record in sector 16384 (byte 8388608): it links 2 records: systems follow only the first");
    }
}
