// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

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
    const Row rows[] = {{"BS_jmpBoot", 0, {0}},          {"BPB_BytsPerSec", 0x0B, {0x00, 0x03}},
                        {"BPB_SecPerClus", 0x0D, {3}},   {"BPB_RsvdSecCnt", 0x0E, {0, 0}},
                        {"BPB_NumFATs", 0x10, {0}},      {"BPB_NumFATs", 0x10, {9}},
                        {"BPB_Media", 0x15, {0x11}},     {"BPB_FATSz", 0x24, le32(0)},
                        {"BPB_FATSz", 0x24, le32(3)},    {"BPB_TotSec", 0x20, le32(64)},
                        {"BPB_RootClus", 0x2C, le32(1)}, {"BPB_RootClus", 0x2C, le32(0x0FFFFFFF)},
                        {"Signature_word", 510, {0}}};
    for (const Row& row : rows) {
        Image damaged(64_MiB);
        damaged.write(0, image.read(0, (1_MiB).count));
        damaged.write(row.offset, row.bytes);
        CHECK(reason(read(damaged)) == fmt::format("FAT boot sector at byte 0: {}", row.field));
    }
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
