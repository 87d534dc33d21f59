// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/format/hfsplus/big_endian.hpp"
#include "host/media/format/hfsplus/check.hpp"
#include "host/media/inspect/hfsplus_fork.hpp"
#include "host/media/inspect/hfsplus_keys.hpp"
#include "tests/catch.hpp"
#include "tests/media/format/hfsplus_volume.hpp"

namespace mediarig::media::hfsplus {

using namespace mediarig::test;

namespace {

CheckOutcome check(const Image& image) {
    return check_volume({image.descriptor(), image.size()}, {}, image.size());
}

std::vector<std::byte> be(std::uint64_t value, std::size_t width) {
    std::vector<std::byte> bytes(width);
    for (std::size_t i = width; i-- > 0; value >>= 8) bytes[i] = static_cast<std::byte>(value & 0xFF);
    return bytes;
}

/// One change of a volume with its expected first complaint.
struct Damage {
    const char* complaint;
    std::uint64_t at;
    std::uint64_t value;
    std::size_t width;
};

/// Makes each change, checks the first complaint and reverts the change.
void each_is_found(Image& image, const std::vector<Damage>& damages) {
    REQUIRE(lines_of(check(image)).front().ends_with("all structures are consistent"));
    for (const Damage& damage : damages) {
        CAPTURE(damage.complaint, damage.at);
        const auto before = image.read(damage.at, damage.width);
        const auto after = be(damage.value, damage.width);
        REQUIRE(before != after);
        image.write(damage.at, after);
        const CheckOutcome outcome = check(image);
        REQUIRE_FALSE(outcome.clean());
        CHECK(outcome.problems.front() == damage.complaint);
        image.write(damage.at, before);
    }
    CHECK(check(image).clean());
}

Image written_by_linux() {
    return image_from_hex("hfsplus_written_by_linux.hex", 16_MiB);
}

} // namespace

TEST_CASE("HFS+ check: volumes made by mediarig are valid in every variant") {
    for (const CaseSensitivity names : {CaseSensitivity::ignore_case, CaseSensitivity::case_sensitive})
        for (const JournalMode journal : {JournalMode::none, JournalMode::inside})
            for (const Bytes size : {16_MiB, 64_MiB + 512_B * 5, 1_GiB, 3072_GiB, 16384_GiB}) {
                CAPTURE(size.count);
                Options options = some_options();
                options.names = names;
                options.journal = journal;
                const MadeVolume made = make_volume(size, options);
                const CheckOutcome outcome = check(made.image);
                CHECK(outcome.problems.empty());
                CHECK(outcome.files == (journal == JournalMode::inside ? 2 : 0));
                CHECK(outcome.folders == 0);
                CHECK(outcome.total_blocks - outcome.used_blocks == made.layout.free_blocks);
            }
}

TEST_CASE("HFS+ check: a volume written by the Linux driver is valid") {
    const CheckOutcome outcome = check(written_by_linux());
    CHECK(outcome.problems.empty());
    CHECK(lines_of(outcome) ==
          std::vector<std::string>{"57 files and 3 folders in 294 of 4096 blocks: all structures are consistent"});
}

TEST_CASE("HFS+ check: damage to the volume headers and the journal is found and named") {
    MadeVolume made = make_volume(64_MiB);
    const Layout& layout = made.layout;
    const auto header = [](std::uint64_t field) { return 1024 + field; };
    const auto copy = [](std::uint64_t field) { return (64 << 20) - 1024 + field; };
    const std::uint64_t info = layout.offset_of(*layout.journal_info).count;
    each_is_found(
        made.image,
        {{"volume header at byte 1024: signature", header(0), 0x4242, 2},
         {"volume header at byte 1024: blockSize", header(0x28), 4095, 4},
         {"volume header: totalBlocks is 16385, of 4096 bytes each, the medium has 67108864 bytes", header(0x2C), 16385,
          4},
         {"volume header: freeBlocks is 16385, the allocation file has 15868", header(0x30), 16385, 4},
         {"volume header: freeBlocks is 1, the allocation file has 15868", header(0x30), 1, 4},
         {"volume header: attributes: the volume was not unmounted properly", header(4), 0x80002000, 4},
         {"volume header: attributes: a driver found the volume inconsistent", header(4), 0x80006100, 4},
         {"volume header: nextAllocation is 70000, there are 16384 blocks", header(0x34), 70000, 4},
         {"volume header: fileCount is 3, the catalog has 2", header(0x20), 3, 4},
         {"volume header: folderCount is 1, the catalog has 0", header(0x24), 1, 4},
         {"volume header: nextCatalogID is 17, 17 is in use", header(0x40), 17, 4},
         {"alternate volume header at byte 67107840: signature", copy(0), 0, 2},
         {"alternate volume header: totalBlocks is not that of the volume header", copy(0x2C), 16383, 4},
         {"alternate volume header: catalogFile is not that of the volume header", copy(0x120), 1, 4},
         {"alternate volume header: createDate is not that of the volume header", copy(0x10), 1, 4},
         {"allocation file: totalBlocks is 2, its extents have 1", header(0x7C), 2, 4},
         {"allocation file: logicalSize is 4097, its 1 blocks have no space for it", header(0x70), 4097, 8},
         {"journal info block: flags name no place for the journal", info, 0, 4},
         {"journal info block: 524288 bytes at byte 67108864 are outside the volume", info + 0x24, 64 << 20, 8},
         {"journal info block: offset is not that of the file .journal", info + 0x24, 40960, 8},
         {"journal header: endian", info, 1, 4}});
}

TEST_CASE("HFS+ check: an initialised journal is read in either byte order, and its contents are reported") {
    Options options = some_options();
    options.journal_size = 8_MiB;
    MadeVolume made = make_volume(64_MiB, options);
    const std::uint64_t info = made.layout.offset_of(*made.layout.journal_info).count;
    const std::uint64_t at = made.layout.offset_of(*made.layout.journal).count;
    // The journal is empty, has 8 MiB, and is in little-endian order, as written by a present Mac.
    const std::vector<int> header{0x78, 0x4C, 0x4E, 0x4A, 0x78, 0x56, 0x34, 0x12, 0,    2,    0, 0,    0, 0, 0,
                                  0,    0,    2,    0,    0,    0,    0,    0,    0,    0,    0, 0x80, 0, 0, 0,
                                  0,    0,    0,    0x10, 0,    0,    0xF9, 0x2A, 0xBA, 0x09, 0, 2,    0, 0};
    made.image.write(info, be(1, 4));
    made.image.write(at, header);
    CHECK(check(made.image).clean());
    made.image.write(at + 9, be(4, 1));
    CHECK(check(made.image).problems == std::vector<std::string>{"journal header: checksum"});

    // The journal is in the byte order of an older Mac, and not empty.
    std::vector<std::byte> big(44);
    const std::span bytes(big);
    store_be(bytes, 0, std::uint32_t{0x4A4E4C78});
    store_be(bytes, 4, std::uint32_t{0x12345678});
    store_be(bytes, 8, std::uint64_t{512});
    store_be(bytes, 16, std::uint64_t{1024});
    store_be(bytes, 24, std::uint64_t{4 << 20});
    store_be(bytes, 32, std::uint32_t{4096});
    store_be(bytes, 40, std::uint32_t{512});
    std::uint32_t sum = 0;
    for (const std::byte byte : big) sum = (sum << 8) ^ (sum + std::to_integer<std::uint32_t>(byte));
    store_be(bytes, 36, ~sum);
    made.image.write(at, big);
    CHECK(check(made.image).problems ==
          std::vector<std::string>{
              "journal header: size is 4194304, the journal info block has 8388608",
              "journal: contains changes that were not replayed; a Mac replays them at the next mount"});
}

TEST_CASE("HFS+ check: each extent belongs to one fork, and a fork can continue in the overflow file") {
    const Image image(16_MiB);
    const MediumReader reader(image.descriptor(), image.size());
    const VolumeLocation place{
        .medium = reader, .start = {}, .length = 16_MiB, .block_size = 4_KiB, .total_blocks = 4096};
    HfsPlusFork fork{.logical_size = 40_KiB, .total_blocks = 10};
    HfsPlusExtents rest{};
    for (std::uint32_t i = 0; i < 8; ++i) fork.extents[i] = {.start = 100 + 2 * i, .count = 1};
    rest[0] = {.start = 200, .count = 2};
    const ForkName name{18, ForkType::data};
    const auto gathered = [&](Overflow overflow, std::string& said) {
        CheckErrors errors;
        const auto extents = extents_of(fork, name, "it", place, overflow, errors);
        said = errors.none() ? "" : errors.listed().front();
        if (!overflow.empty()) said += " (left over)";
        return extents.size();
    };
    std::string said;
    CHECK(gathered({{name, {{8, rest}}}}, said) == 9);
    CHECK(said.empty());
    CHECK(gathered({}, said) == 8);
    CHECK(said == "it: totalBlocks is 10, its extents have 8");
    CHECK(gathered({{name, {{9, rest}}}}, said) == 8); // the record begins at the wrong fork block
    CHECK(said == "it: totalBlocks is 10, its extents have 8 (left over)");
    CHECK(gathered({{{18, ForkType::resource}, {{8, rest}}}}, said) == 8);
    rest[0].start = 4095;
    gathered({{name, {{8, rest}}}}, said);
    CHECK(said == "it: the extent of 2 blocks at block 4095 is outside the volume");
    fork.extents[3].count = 0;
    gathered({}, said);
    CHECK(said == "it: an extent follows an unused one");
}

TEST_CASE("HFS+ check: keys are compared by the order of their tree") {
    const auto catalog_key = [](std::uint32_t parent, std::u16string_view name) {
        BigEndianBytes key;
        key.add(static_cast<std::uint16_t>(6 + 2 * name.size()))
            .add(parent)
            .add(static_cast<std::uint16_t>(name.size()));
        return key.units(name).bytes();
    };
    const auto folded = [&](std::u16string_view a, std::u16string_view b) {
        return compare(KeyKind::catalog_ignoring_case, catalog_key(2, a), catalog_key(2, b));
    };
    CHECK(folded(u"a", u"B") == KeyOrder::less);
    CHECK(folded(u"B", u"a") == KeyOrder::greater);
    CHECK(folded(u"AB", u"ab") == KeyOrder::equal);
    CHECK(folded(u"a", u"ab") == KeyOrder::less);
    CHECK(folded(u"z", std::u16string_view(u"\0x", 2)) == KeyOrder::less); // private folders come last
    CHECK(folded(u"aß", u"aß") == KeyOrder::equal);
    CHECK(folded(u"aß", u"aö") == KeyOrder::undecided);
    CHECK(folded(u"a", u"aö") == KeyOrder::undecided);
    CHECK(folded(u"aö", u"bß") == KeyOrder::less); // the order is decided at an earlier character
    CHECK(compare(KeyKind::catalog_binary, catalog_key(2, u"a"), catalog_key(2, u"B")) == KeyOrder::greater);
    CHECK(compare(KeyKind::catalog_binary, catalog_key(3, u"a"), catalog_key(4, u"")) == KeyOrder::less);
    auto key = catalog_key(2, u"abc");
    CHECK(has_key(KeyKind::catalog_binary, key));
    key.pop_back();
    CHECK_FALSE(has_key(KeyKind::catalog_binary, key));
    CHECK_FALSE(has_key(KeyKind::catalog_binary, Raw(key).first(4)));
    CHECK_FALSE(has_key(KeyKind::extents, key));
}

TEST_CASE("HFS+ check: the report of a broken volume lists the first faults and counts the other faults") {
    Image image = written_by_linux();
    image.write(apple_block, std::vector<std::byte>(apple_block)); // the allocation file: all free
    image.write(3 * apple_block, std::vector<std::byte>(apple_block));
    CHECK_FALSE(check(image).clean());
    std::vector<std::byte> holes(apple_block, std::byte{0x55});
    image.write(apple_block, holes);
    const auto lines = lines_of(check(image));
    CHECK(lines.size() == 49);
    CHECK_THAT(lines.back(), ContainsSubstring("and ") && ContainsSubstring(" more"));
    const CheckOutcome nothing = check(Image(16_MiB));
    CHECK(nothing.problems == std::vector<std::string>{"volume header at byte 1024: signature"});
    const CheckOutcome unreadable = check_volume({-1, 16_MiB}, {}, 16_MiB);
    CHECK(unreadable.problems ==
          std::vector<std::string>{"volume header at byte 1024: cannot read at byte 1024: Bad file descriptor"});
}

TEST_CASE("HFS+ check: damage to the B-trees is found and named") {
    Image image = written_by_linux();
    constexpr std::uint64_t catalog = 0x203000, leaf = catalog + 5 * apple_block, attributes = 0xA3000;
    each_is_found(image,
                  {{"catalog file: header node: kind", catalog + 8, 0, 1},
                   {"catalog file: header node: nodeSize", catalog + 0x20, 4097, 2},
                   {"catalog file: header node: totalNodes is 33, the file has space for 32", catalog + 0x24, 33, 4},
                   {"catalog file: header node: rootNode", catalog + 0x10, 0, 4},
                   {"catalog file: node 1: kind is not that of height 2", catalog + 0x10, 1, 4},
                   {"catalog file: header node: leafRecords is 121, the leaves have 122", catalog + 0x14, 121, 4},
                   {"catalog file: header node: freeNodes is 20, its map has 21", catalog + 0x28, 20, 4},
                   {"catalog file: header node: firstLeafNode is 4, the first leaf is 1", catalog + 0x18, 4, 4},
                   {"catalog file: header node: lastLeafNode is 4, the last leaf is 10", catalog + 0x1C, 4, 4},
                   {"catalog file: header node: keyCompareType is 0x0", catalog + 0x33, 0, 1},
                   {"catalog file: node 2: is marked used and not part of the tree", catalog + 248, 0xFF, 1},
                   {"catalog file: node 3: is part of the tree and marked free", catalog + 248, 0xCF, 1},
                   {"catalog file: node 5: fLink is 8, the node after it is 7", leaf, 8, 4},
                   {"catalog file: node 5: bLink is 1, the node before it is 4", leaf + 4, 1, 4},
                   {"catalog file: node 10: fLink is 5, there is no node after it", catalog + 10 * apple_block, 5, 4},
                   {"catalog file: node 5: kind is not that of height 1", leaf + 8, 0, 1},
                   {"catalog file: node 5: kind", leaf + 8, 9, 1},
                   {"catalog file: node 5: height is 2, not 1", leaf + 9, 2, 1},
                   {"catalog file: node 5: numRecords is 0", leaf + 10, 0, 2},
                   {"catalog file: node 5: numRecords", leaf + 10, 2100, 2},
                   {"catalog file: node 5: offset of record 2", leaf + apple_block - 6, 0xFFFF, 2},
                   {"catalog file: node 5: offset of record 0", leaf + apple_block - 2, 16, 2},
                   {"catalog file: node 4: is reached a second time", 0x206052, 4, 4},
                   {"catalog file: a link leads to node 32", 0x206052, 32, 4},
                   {"catalog file: node 3: record 3 is out of order", 0x206068, '1', 2},
                   {"catalog file: node 5: record 2 is out of order", 0x20812E, '9', 2},
                   {"catalog file: node 5: its first key comes before the key in its parent", 0x208022, '8', 2},
                   {"catalog file: node 5: the key of record 1 is malformed", 0x20811C, 0x14, 2},
                   {"attributes file: node 1: record 1 is out of order", attributes + 0x2012, 0x1E, 4},
                   {"attributes file: a record of file 19 is malformed", attributes + 0x2030, 0x11, 4}});
}

TEST_CASE("HFS+ check: damage to the catalog and file blocks is found and named") {
    Image image = written_by_linux();
    constexpr std::uint64_t bitmap = apple_block, root = 0x20401E, file_12 = 0x207132, pieces = 0x2043A8 + 0x58;
    each_is_found(
        image,
        {{"catalog file: the record of 'File 2' in folder 19 has the invalid type 7", 0x208130, 7, 2},
         {"catalog file: the record of '' in folder 29 is too short for type 2: 22 bytes, 248 are needed", 0x20D016, 2,
          2},
         {"catalog file: valence of folder 2 is 8, it holds 7", root + 4, 8, 4},
         {"catalog file: ID 34 is given twice", file_12 + 8, 34, 4},
         {"catalog file: the thread of file 29 names another place", 0x20D01A, 2, 4},
         {"catalog file: the thread of 29 is malformed", 0x20D01E, 400, 2},
         {"the data fork of file 116: totalBlocks is 13, its extents have 16", pieces + 12, 13, 4},
         {"the data fork of file 116: logicalSize is 65537, its 16 blocks have no space for it", pieces, 65537, 8},
         {"the data fork of file 116: the extent of 5000 blocks at block 4003 is outside the volume", pieces + 20, 5000,
          4},
         {"block 515 belongs to the catalog file and to the data fork of file 116", pieces + 16, 515, 4},
         {"allocation file: block 0 is marked free and belongs to the volume headers", bitmap, 0x7F, 1},
         {"allocation file: blocks 2048 to 2055 are marked used and belong to nobody", bitmap + 0x100, 0xFF, 1},
         {"allocation file: block 2055 is marked used and belongs to nobody", bitmap + 0x100, 0x01, 1},
         {"allocation file: block 4095 is marked free and belongs to the volume headers", bitmap + 0x1FF, 0x00, 1}});
}

TEST_CASE("HFS+ check: extents of a fork in the overflow file are included") {
    MadeVolume made = make_volume(64_MiB);
    const auto write = [&made](std::uint64_t at, std::uint64_t value, std::size_t width) {
        made.image.write(at, be(value, width));
    };
    const std::uint64_t tree = made.layout.offset_of(made.layout.extents.extent).count, leaf = tree + 4096;
    const std::uint64_t records = made.layout.offset_of(made.layout.catalog.extent).count + 4096;
    const HfsPlusExtent journal = *made.layout.journal;
    // The journal's single extent is split into nine parts: eight in its record, the last part in the overflow file.
    const std::uint64_t fork = records + 14 + (8 + 2 * 4 + 88) + (8 + 10 + 2 * 4) + (8 + 2 * 8) + 0x58;
    for (std::uint32_t i = 0; i < 8; ++i) {
        write(fork + 16 + 8 * i, journal.start + i, 4);
        write(fork + 20 + 8 * i, 1, 4);
    }
    CHECK(check(made.image).problems.front() == "the data fork of file 16: totalBlocks is 128, its extents have 8");
    write(tree + 0x0E, 1, 2);
    write(tree + 0x10, 1, 4);
    write(tree + 0x14, 1, 4);
    write(tree + 0x18, 1, 4);
    write(tree + 0x1C, 1, 4);
    write(tree + 0x28, made.layout.extents.nodes - 2, 4);
    write(tree + 248, 0xC0, 1);
    write(leaf + 8, 0xFF01, 2);
    write(leaf + 10, 1, 2);
    write(leaf + 14, 10, 2);
    write(leaf + 18, 16, 4);
    write(leaf + 22, 8, 4);
    write(leaf + 26, journal.start + 8, 4);
    write(leaf + 30, journal.count - 8, 4);
    write(leaf + 4094, 14, 2);
    write(leaf + 4092, 14 + 12 + 64, 2);
    CHECK(check(made.image).problems.empty());
    each_is_found(made.image,
                  {{"the data fork of file 16: totalBlocks is 128, its extents have 8", leaf + 22, 9, 4},
                   {"the data fork of file 16: totalBlocks is 128, its extents have 8", leaf + 18, 20, 4},
                   {"extents overflow file: the record of file 16 is malformed", leaf + 16, 7, 1},
                   {"the data fork of file 16: the extent of 120 blocks at block 16300 is outside the volume",
                    leaf + 26, 16300, 4}});
    write(leaf + 18, 20, 4);
    CHECK(check(made.image).problems.at(1) ==
          "extents overflow file: a record of the data fork of file 20 is not part of it");
    // The bad blocks are in no catalog: their extents are only in the overflow file.
    write(leaf + 18, 5, 4);
    write(leaf + 22, 0, 4);
    CHECK(check(made.image).problems ==
          std::vector<std::string>{"the data fork of file 16: totalBlocks is 128, its extents have 8"});
}

} // namespace mediarig::media::hfsplus
