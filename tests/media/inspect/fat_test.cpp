// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/process/run_process.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/read_fat.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

Result<FatVolume> read(const Image& image) {
    return read_fat(MediumReader(image.descriptor(), image.size()), {}, image.size());
}

std::string said_by(const std::string& program, const std::vector<std::string>& arguments) {
    const auto ran = process::run_process({.program = program, .arguments = arguments});
    REQUIRE(reason(ran) == "success");
    REQUIRE(ran->succeeded());
    return ran->out;
}

Image formatted(Bytes size, const std::vector<std::string>& arguments, std::string& said) {
    Image image(size);
    std::vector<std::string> all{"-v", "-n", "FATTEST", "-i", "12345678"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.push_back(image.path());
    said = said_by("mkfs.fat", all);
    return image;
}

} // namespace

TEST_CASE("FAT: the report names each damaged field of the boot sector") {
    std::string said;
    const Image image = formatted(64_MiB, {"-F", "32", "-s", "1"}, said);
    struct Row {
        const char* field;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {{"BPB_BytsPerSec", 0x0B, {0x00, 0x03}},
                        {"BPB_SecPerClus", 0x0D, {3}},
                        {"BPB_RsvdSecCnt", 0x0E, {0, 0}},
                        {"BPB_NumFATs", 0x10, {0}},
                        {"BPB_Media", 0x15, {0x11}},
                        {"BPB_FATSz", 0x24, le32(0)},
                        {"BPB_TotSec", 0x20, le32(64)},
                        {"BPB_RootClus", 0x2C, le32(1)},
                        {"BPB_RootClus", 0x2C, le32(0x0FFFFFFF)}};
    for (const Row& row : rows) {
        Image damaged(64_MiB);
        damaged.write(0, image.read(0, (1_MiB).count));
        damaged.write(row.offset, row.bytes);
        CHECK(reason(read(damaged)) == fmt::format("FAT boot sector at byte 0: {}", row.field));
    }
}

TEST_CASE("FAT: a wrong field with which drivers still mount the volume is reported as a defect") {
    std::string said;
    const Image image = formatted(64_MiB, {"-F", "32", "-s", "1"}, said);
    struct Row {
        const char* defect;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"BS_jmpBoot begins with 0x00, 0xeb or 0xe9 expected", 0, {0, 0, 0}},
        {"Signature_word is 0x0000, 0xaa55 expected", 510, {0, 0}},
        {"BPB_ExtFlags selects FAT 5, but BPB_NumFATs is 2", 0x28, {0x85}},
        {"BPB_FATSz: the FAT has entries for 382 clusters", 0x24, le32(3)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.defect);
        Image damaged(64_MiB);
        damaged.write(0, image.read(0, (2_MiB).count));
        damaged.write(row.offset, row.bytes);
        damaged.write(6 * 512, damaged.read(0, 512));
        const auto volume = read(damaged);
        REQUIRE(reason(volume) == "success");
        CHECK(volume->boot.bits == 32);
        CHECK_THAT(volume->problem, ContainsSubstring(row.defect));
        const auto report = inspect(damaged.descriptor(), damaged.size(), 512);
        REQUIRE(reason(report) == "success");
        REQUIRE(report->volumes.size() == 1);
        CHECK(report->volumes[0].file_system == "fat32");
    }
    Image bare(64_MiB); // neither the jump nor the signature
    bare.write(0, image.read(0, (2_MiB).count));
    bare.write(0, std::vector<int>{0, 0, 0});
    bare.write(510, std::vector<int>{0, 0});
    const auto report = inspect(bare.descriptor(), bare.size(), 512);
    REQUIRE(reason(report) == "success");
    CHECK(report->volumes.at(0).label == "FATTEST");
}

TEST_CASE("FAT: a volume whose 16-bit size of the FAT is 0 is FAT32, whatever the number of clusters") {
    for (const Bytes size : {4_MiB, 32_MiB}) {
        std::string said;
        const Image image = formatted(size, {"-F", "32", "-s", "1"}, said);
        const auto volume = read(image);
        REQUIRE(reason(volume) == "success");
        CHECK(volume->boot.bits == 32);
        CHECK(volume->problem.empty());
        CHECK(volume->root_label == "FATTEST");
        CHECK(volume->head->clean);
        CHECK(volume->head->no_hard_error);
        CHECK(volume->free_clusters == volume->info->free_clusters);
        const auto report = inspect(image.descriptor(), image.size(), 512);
        CHECK(report->volumes.at(0).file_system == "fat32");
    }
}

TEST_CASE("FAT: if the FAT has no entries for the last clusters, these clusters do not count") {
    std::string said;
    for (const char* width : {"16", "32"}) {
        CAPTURE(width);
        Image image = formatted(64_MiB, {"-F", width, "-s", "8"}, said);
        const auto before = read(image);
        REQUIRE(reason(before) == "success");
        const std::uint64_t entries = before->boot.fat_length().count * 8 / before->boot.bits;
        const std::uint64_t clusters = entries - 2 + 4; // four more than the FAT has entries for
        const std::uint64_t total = before->boot.data_offset().count / 512 + clusters * 8;
        image.write(0x13, std::vector<int>{0, 0});
        image.write(0x20, le32(static_cast<std::uint32_t>(total)));
        if (before->boot.bits == 32) image.write(6 * 512, image.read(0, 512));
        Image larger(Bytes{total * 512});
        larger.write(0, image.read(0, std::min<std::uint64_t>((8_MiB).count, larger.size().count)));
        const auto volume = read(larger);
        REQUIRE(reason(volume) == "success");
        CHECK(volume->boot.cluster_count == entries - 2);
        CHECK(volume->root_label == "FATTEST");
        CHECK_THAT(volume->problem, ContainsSubstring(fmt::format("entries for {} clusters, BPB_TotSec gives {}",
                                                                  entries - 2, clusters)));
    }
}

TEST_CASE("FAT: only the root directory has the label") {
    for (const char* width : {"12", "16", "32"}) {
        CAPTURE(width);
        std::string said;
        const bool fat12 = width == std::string_view("12"), fat16 = width == std::string_view("16");
        Image image = formatted(fat12 ? 2_MiB : fat16 ? 8_MiB : 64_MiB, {"-F", width, "-s", "1"}, said);
        const auto made = read(image);
        REQUIRE(reason(made) == "success");
        const std::uint64_t root = made->root_label_at.count;
        REQUIRE(made->root_label == "FATTEST");
        const auto label = [&image] { return inspect(image.descriptor(), image.size(), 512)->volumes.at(0).label; };
        CHECK(label() == "FATTEST");
        image.write(root, std::vector<int>{0xE5}); // removed, as Windows does
        CHECK(label().empty());
        image.write(root, bytes_of("NO NAME    "));
        CHECK(label() == "NO NAME");
        image.write(root, std::vector<int>{' ', 'a', 0x84, 'x', 0x05, ' ', ' ', ' ', ' ', ' ', ' '});
        CHECK(label() == " a\\x84x\\x05");
    }
    CHECK(fat_label_text(bytes_of("\x05N        ")) == "\\xe5N");
    CHECK(fat_label_text(bytes_of("           ")).empty());
}

TEST_CASE("FAT32: a label after many files is found along the chain of the root directory") {
    std::string said;
    Image image = formatted(64_MiB, {"-F", "32", "-s", "1"}, said);
    const auto made = read(image);
    REQUIRE(reason(made) == "success");
    const std::uint64_t root = made->root_label_at.count, fat = made->boot.fat_offset().count,
                        length = made->boot.fat_length().count;
    const auto entry = image.read(root, 32);
    for (std::uint64_t at = 0; at < 512; at += 32)
        image.write(root + at, {'F', 'I', 'L', 'E', ' ', ' ', ' ', ' ', ' ', ' ', ' ', 0x20});
    image.write(root + 512, entry); // cluster 3
    for (const std::uint64_t copy : {fat, fat + length}) {
        image.write(copy + 2 * 4, le32(3));
        image.write(copy + 3 * 4, le32(0x0FFFFFFF));
    }
    CHECK(read(image)->root_label == "FATTEST");
    CHECK(read(image)->root_label_at == Bytes{root + 512});

    // A chain that returns to its beginning ends.
    image.write(root + 512, {'F', 'I', 'L', 'E', ' ', ' ', ' ', ' ', ' ', ' ', ' ', 0x20});
    for (std::uint64_t at = 32; at < 512; at += 32)
        image.write(root + 512 + at, {'F', 'I', 'L', 'E', ' ', ' ', ' ', ' ', ' ', ' ', ' ', 0x20});
    for (const std::uint64_t copy : {fat, fat + length}) image.write(copy + 3 * 4, le32(2));
    CHECK(read(image)->root_label == std::nullopt);
}

TEST_CASE("FAT32: faults of the copies and FSInfo are reported with their offset") {
    std::string said;
    const Image image = formatted(64_MiB, {"-F", "32", "-s", "1"}, said);
    const auto with = [&](std::size_t offset, const std::vector<int>& bytes) {
        Image damaged(64_MiB);
        damaged.write(0, image.read(0, (2_MiB).count));
        damaged.write(offset, bytes);
        return read(damaged)->problem;
    };
    CHECK(with(6 * 512 + 0x47, {'X'}) == "backup boot sector at byte 3072 differs from the main one at its byte 71");
    CHECK(with(512, {0}) == "FSInfo at byte 512: FSI_LeadSig");
    CHECK(with(512 + 0x1E4, {0}) == "FSInfo at byte 512: FSI_StrucSig");
    CHECK(with(512 + 0x1FE, {0}) == "FSInfo at byte 512: FSI_TrailSig");
    CHECK(
        with(512 + 0x1E8, le32(0x0FFFFFF0)).starts_with("FSInfo at byte 512: FSI_Free_Count is 268435440, there are "));
    CHECK(with(32 * 512, {0xF0}) ==
          "FAT at byte 16384: FAT[0] has the media byte 0xf0, BPB_Media is 0xf8; FAT copy at "
          "byte 532992 differs from the first FAT at its byte 0");
    CHECK(with(512 + 0x1E8, le32(0xFFFFFFFF)).empty());
}

TEST_CASE("FAT: a volume that was not cleanly unmounted is reported") {
    CHECK(parse_fat_head(std::vector{std::byte{0xF8}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0x7F}, std::byte{},
                                     std::byte{}, std::byte{}, std::byte{}},
                         16) == FatHead{.media = 0xF8, .clean = false, .no_hard_error = true});
    CHECK(parse_fat_head(std::vector{std::byte{0xF8}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0x0F},
                                     std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0x03}},
                         32) == FatHead{.media = 0xF8, .clean = false, .no_hard_error = false});
}

TEST_CASE("FAT16: the total number of sectors of a small volume is read from its own field") {
    std::string said;
    Image image = formatted(16_MiB, {"-F", "16", "-s", "4"}, said);
    const auto place = [&image] {
        const Listing listing = listing_of(*read(image), {});
        for (const FieldLocation& one : listing.places())
            if (one.name == "volume_length") return one;
        return FieldLocation{};
    };
    CHECK(place().field == "BPB_TotSec16");
    CHECK(place().at == Bytes{0x13});
    image.write(0x13, std::vector<int>{0, 0});
    image.write(0x20, le32(32768));
    CHECK(place().field == "BPB_TotSec32");
    CHECK(place().at == Bytes{0x20});
}

TEST_CASE("FAT: the flag that Linux sets in the boot sector alone means not cleanly unmounted") {
    struct Row {
        const char* width;
        Bytes size;
        std::size_t at;
    };
    for (const Row& row : {Row{"12", 4_MiB, 0x25}, Row{"16", 32_MiB, 0x25}, Row{"32", 512_MiB, 0x41}}) {
        INFO("FAT" << row.width);
        std::string said;
        Image image = formatted(row.size, {"-F", row.width}, said);
        const auto marked = [&image] {
            const Listing listing = listing_of(*read(image), 1_MiB);
            for (std::size_t i = 0; i < listing.places().size(); ++i)
                if (listing.places()[i].name == "dirty_in_boot_sector")
                    return std::pair{listing.parameters()[i].second, listing.places()[i].at};
            return std::pair{std::string("(none)"), Bytes{}};
        };
        CHECK(marked() == std::pair{std::string("no"), 1_MiB + Bytes{row.at}});
        image.write(row.at, std::vector<int>{0x01});
        CHECK(marked() == std::pair{std::string("yes"), 1_MiB + Bytes{row.at}});
        CHECK(read(image)->problem.empty());
        image.write(row.at, std::vector<int>{0x02}); // requests a surface test
        CHECK(marked().first == "no");
    }
}
