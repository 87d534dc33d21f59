// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/files_at.hpp"

#include <array>

#include "host/media/inspect/inspect.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

FileSearch search(const Image& image, std::vector<MediumRange> ranges) {
    const auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    return files_at({image.descriptor(), image.size()}, *report, ranges);
}
std::vector<std::string> paths_at(const Image& image, Bytes at) {
    return search(image, {{.start = at, .length = 512_B}}).ranges.at(0).paths;
}

void put16(Image& image, std::uint64_t at, std::uint32_t value) {
    image.write(at, std::vector<int>{static_cast<int>(value & 0xFF), static_cast<int>(value >> 8 & 0xFF)});
}

/// FAT16 with clusters of 2 KiB from sector 73 on.
struct FatImage {
    static constexpr std::uint64_t fat = 512, root = 41 * 512, heap = 73 * 512, cluster = 2048;
    Image image{Bytes{20'000 * 512}};

    FatImage() {
        image.write(0, std::vector<int>{0xEB, 0x3C, 0x90});
        image.write(3, bytes_of("MSDOS5.0"));
        put16(image, 11, 512);
        image.write(13, std::vector<int>{4}); // sectors per cluster
        put16(image, 14, 1);                  // reserved sectors
        image.write(16, std::vector<int>{2}); // FATs
        put16(image, 17, 512);                // root entries
        put16(image, 19, 20'000);             // sectors
        image.write(21, std::vector<int>{0xF8});
        put16(image, 22, 20); // sectors of a FAT
        put16(image, 510, 0xAA55);
        put16(image, fat, 0xFFF8);
        put16(image, fat + 2, 0xFFFF);
    }
    void link(std::uint32_t cluster_number, std::uint32_t next) { put16(image, fat + 2 * cluster_number, next); }
    void entry(std::uint64_t at, std::string_view name, int attributes, std::uint32_t first, std::uint32_t length) {
        image.write(at, bytes_of(name));
        image.write(at + 11, std::vector<int>{attributes});
        put16(image, at + 26, first);
        image.write(at + 28, le32(length));
    }
    static Bytes at(std::uint64_t cluster_number) { return {heap + (cluster_number - 2) * cluster}; }
};

} // namespace

TEST_CASE("FAT: a place belongs to the file whose chain contains its cluster") {
    FatImage fat;
    fat.entry(FatImage::root, "A       MOV", 0x20, 2, 4096); // clusters 2 and 5
    fat.link(2, 5);
    fat.link(5, 0xFFFF);
    fat.entry(FatImage::root + 32, "DCIM       ", 0x10, 3, 0);
    fat.link(3, 0xFFFF);
    fat.entry(FatImage::at(3).count, ".          ", 0x10, 3, 0);
    fat.entry(FatImage::at(3).count + 32, "..         ", 0x10, 0, 0);
    fat.entry(FatImage::at(3).count + 64, "\xE5OLD    MOV", 0x20, 6, 2048);
    fat.entry(FatImage::at(3).count + 96, "B       JPG", 0x20, 4, 2048);
    fat.link(4, 0xFFFF);
    using Paths = std::vector<std::string>;
    CHECK(paths_at(fat.image, FatImage::at(2)) == Paths{"/A.MOV"});
    CHECK(paths_at(fat.image, FatImage::at(5) + 1024_B) == Paths{"/A.MOV"});
    CHECK(paths_at(fat.image, FatImage::at(3)) == Paths{"/DCIM/"});
    CHECK(paths_at(fat.image, FatImage::at(4)) == Paths{"/DCIM/B.JPG"});
    CHECK(paths_at(fat.image, FatImage::at(6)).empty()); // the file is deleted
    CHECK(paths_at(fat.image, FatImage::at(4000)).empty());
}

TEST_CASE("FAT: a long name is used if its checksum is that of its entry") {
    FatImage fat;
    const std::uint64_t at = FatImage::root;
    fat.entry(at + 32, "HOLIDA~1MOV", 0x20, 2, 2048);
    fat.link(2, 0xFFFF);
    unsigned sum = 0;
    for (const char c : std::string_view("HOLIDA~1MOV"))
        sum = (((sum & 1) << 7) + (sum >> 1) + static_cast<unsigned char>(c)) & 0xFF;
    const bool own = GENERATE(true, false);
    fat.image.write(at, std::vector<int>{0x41, 'h', 0,    'o', 0,    'l', 0,
                                         'i',  0,   'd',  0,   0x0F, 0,   static_cast<int>(own ? sum : sum ^ 1),
                                         'a',  0,   'y',  0,   '.',  0,   'm',
                                         0,    'o', 0,    'v', 0,    0,   0,
                                         0,    0,   0xFF, 0xFF});
    CHECK(paths_at(fat.image, FatImage::at(2)) == std::vector<std::string>{own ? "/holiday.mov" : "/HOLIDA~1.MOV"});
}

TEST_CASE("FAT: loops of chains and folders end") {
    FatImage fat;
    fat.entry(FatImage::root, "A       MOV", 0x20, 2, 0xFFFFFFFF);
    fat.link(2, 4);
    fat.link(4, 2);
    fat.entry(FatImage::root + 32, "LOOP       ", 0x10, 3, 0);
    fat.link(3, 3);
    fat.entry(FatImage::at(3).count, "LOOP       ", 0x10, 3, 0);
    CHECK(paths_at(fat.image, FatImage::at(3)).front() == "/LOOP/");
}

TEST_CASE("a range with many files names the first four and counts the others") {
    FatImage fat;
    for (std::uint32_t i = 0; i < 6; ++i) {
        fat.entry(FatImage::root + 32 * i, std::string(1, static_cast<char>('A' + i)) + "       MOV", 0x20, 2 + i,
                  2048);
        fat.link(2 + i, 0xFFFF);
    }
    const FileSearch found = search(fat.image, {{.start = FatImage::at(2), .length = 16_KiB}});
    CHECK(found.ranges.at(0) == FilesInRange{.paths = {"/A.MOV", "/B.MOV", "/C.MOV", "/D.MOV"}, .more = 2});
    CHECK(found.gaps.empty());
}

TEST_CASE("exFAT: a place belongs to a contiguous file, or to a file with a chain") {
    Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    constexpr std::uint64_t heap = 2 * 1024 * 1024, cluster = 32 * 1024, root = heap + 2 * cluster + 96;
    const bool chain = GENERATE(false, true);
    image.write(root, std::vector<int>{0x85, 2, 0, 0, 0x20, 0});
    image.write(root + 32, std::vector<int>{0xC0, chain ? 1 : 3, 0, 5});
    image.write(root + 32 + 20, le32(5));
    image.write(root + 32 + 24, le64(2 * cluster));
    image.write(root + 64, std::vector<int>{0xC1, 0, 'A', 0, '.', 0, 'M', 0, 'O', 0, 'V', 0});
    image.write(1024 * 1024 + 5 * 4, le32(8));
    image.write(1024 * 1024 + 8 * 4, le32(0xFFFFFFFF));
    const auto at = [&](std::uint64_t number) { return paths_at(image, {heap + (number - 2) * cluster}); };
    const std::vector<std::string> file{"/A.MOV"};
    CHECK(at(5) == file);
    CHECK(at(6) == (chain ? std::vector<std::string>{} : file));
    CHECK(at(8) == (chain ? file : std::vector<std::string>{}));
    CHECK(at(4) == std::vector<std::string>{"/"});
}

TEST_CASE("HFS+: a place belongs to the file whose extents contain it") {
    const Image image = image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
    const auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    std::uint64_t journal = 0;
    for (const auto& [name, value] : report->volumes.at(0).parameters)
        if (name == "journal_offset") journal = std::stoull(value);
    REQUIRE(journal > 0);
    CHECK(paths_at(image, {journal}) == std::vector<std::string>{"/.journal"});
}

TEST_CASE("a file system without a reader of its files is a gap, if a place is in it") {
    const Image image = image_from_hex("apfs_1gib.hex", 1_GiB);
    const FileSearch found = search(image, {{.start = 16_MiB, .length = 4_KiB}});
    CHECK(found.ranges.at(0).paths.empty());
    CHECK(found.gaps == std::vector<std::string>{"apfs: the files of this file system are not named"});
}
