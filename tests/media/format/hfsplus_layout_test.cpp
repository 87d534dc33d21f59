// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>

#include <atomic>

#include "common/crc32.hpp"
#include "host/media/format/hfsplus/encode.hpp"
#include "host/media/format/hfsplus/volume_name.hpp"
#include "host/media/format/linux/hfsplus_write.hpp"
#include "tests/catch.hpp"
#include "tests/media/format/hfsplus_volume.hpp"

namespace mediarig::media::hfsplus {

using namespace mediarig::test;

namespace {

Options options(std::optional<Bytes> block, std::optional<Bytes> journal = {}) {
    Options chosen = some_options();
    chosen.block_size = block;
    chosen.journal_size = journal;
    return chosen;
}

/// Compares two volumes completely, in pieces.
bool same_bytes(const Image& a, const Image& b) {
    constexpr std::uint64_t piece = 1 << 20;
    for (std::uint64_t at = 0; at < a.size().count; at += piece)
        if (a.read(at, piece) != b.read(at, piece)) return false;
    return true;
}

std::string name_of_volume(const std::string& utf8) {
    const auto name = volume_name(utf8);
    REQUIRE(reason(name) == "success");
    std::string units;
    for (const char16_t unit : *name) units += fmt::format("{}{:04x}", units.empty() ? "" : " ", std::uint16_t{unit});
    return units;
}

} // namespace

TEST_CASE("HFS+: mediarig's output equals the output of Apple's mkfs.hfsplus in every byte") {
    struct Row {
        const char* golden;
        JournalMode journal;
        std::int64_t created;
        std::uint64_t volume_id;
    };
    const Row rows[] = {{"hfsplus_journaled_64mib.hex", JournalMode::inside, 1795277917, 0x974f979a934ed1ef},
                        {"hfsplus_64mib.hex", JournalMode::none, 1795277918, 0xb0802e2f4afdcaa2}};
    for (const Row& row : rows) {
        CAPTURE(row.golden);
        const Options made{.journal = row.journal,
                           .name = u"HFSTEST",
                           .created = std::chrono::sys_seconds(std::chrono::seconds(row.created)),
                           .volume_id = row.volume_id,
                           .root = {.user = 0, .group = 0, .permissions = 0}};
        CHECK(same_bytes(make_volume(64_MiB, made).image, image_from_hex(row.golden, 64_MiB)));
        // This check proves that the comparison can fail.
        Options other = made;
        other.name = u"HFSTESU";
        CHECK_FALSE(same_bytes(make_volume(64_MiB, other).image, image_from_hex(row.golden, 64_MiB)));
    }
}

TEST_CASE("HFS+: the plan follows Apple's table of sizes") {
    struct Row {
        Bytes size, block, journal, catalog, attributes, extents;
        std::uint32_t free_blocks;
    };
    const Row rows[] = {
        {16_MiB, 4_KiB, 512_KiB, 128_KiB, 128_KiB, 128_KiB, 0xF1C},
        {1023_MiB, 4_KiB, 8_MiB, 0x7FE000_B, 0x7FE000_B, 0x7FE000_B, 0x3DEFB},
        {1_GiB, 4_KiB, 8_MiB, 4_MiB, 4_MiB, 4_MiB, 257013},
        {64_GiB, 4_KiB, 8_MiB, 74_MiB, 111_MiB, 7_MiB, 16725501},
        {1024_GiB, 4_KiB, 88_MiB, 294_MiB, 294_MiB, 14_MiB, 268250621},
        {2048_GiB, 8_KiB, 168_MiB, 338_MiB, 338_MiB, 16_MiB, 268321277},
        {16384_GiB, 32_KiB, 512_MiB, 512_MiB, 512_MiB, 32_MiB, 536818685},
    };
    for (const Row& row : rows) {
        CAPTURE(row.size.count);
        const auto layout = plan_volume(row.size, 512_B, some_options());
        REQUIRE(reason(layout) == "success");
        CHECK(layout->block_size == row.block);
        CHECK(layout->length_of(*layout->journal) == row.journal);
        CHECK(layout->length_of(layout->catalog.extent) == row.catalog);
        CHECK(layout->length_of(layout->attributes.extent) == row.attributes);
        CHECK(layout->length_of(layout->extents.extent) == row.extents);
        CHECK(layout->free_blocks == row.free_blocks);
        CHECK(layout->catalog.map_nodes == (row.size == 16384_GiB ? 1 : 0));
    }
}

TEST_CASE("HFS+: a tree has map nodes for the bits that do not fit into its header node") {
    struct Row {
        std::uint32_t nodes, node_size, map_nodes;
    };
    const Row rows[] = {{1, 4096, 0},     {30720, 4096, 0},  {30721, 4096, 1}, {63328, 4096, 1},
                        {63329, 4096, 2}, {95936, 4096, 2},  {95937, 4096, 3}, {63488, 8192, 0},
                        {63489, 8192, 1}, {128864, 8192, 1}, {128865, 8192, 2}};
    for (const Row& row : rows) {
        CAPTURE(row.nodes, row.node_size);
        CHECK(map_nodes_for(row.nodes, row.node_size) == row.map_nodes);
    }
}

TEST_CASE("HFS+: a checksum over all written bytes equals the stored checksum") {
    // The checksums are those of mediarig's own volumes in the three variants of the format. A volume of another
    // formatter is compared above at 64 MiB. Before a changed checksum is stored, run the checkers of
    // hfsplus_reference_test.cpp on these sizes, including fsck.hfsplus.
    struct Row {
        Bytes size;
        std::uint32_t crc;
    };
    const Row rows[] = {
        {16_MiB, 0xF6983757},   {17_MiB + 512_B, 0xDE6E7974}, {64_MiB, 0x7107A40A},   {127_MiB, 0x1341CB1C},
        {128_MiB, 0x00C0358E},  {1023_MiB, 0xC1C67A0D},       {1_GiB, 0x2115B83D},    {8_GiB, 0x6CE0558C},
        {10_GiB, 0x46FA3080},   {64_GiB, 0x51812746},         {100_GiB, 0x3EC32D07},  {1024_GiB, 0xE4EED3A0},
        {2047_GiB, 0x88D61216}, {2048_GiB, 0xEBEBA0E6},       {8192_GiB, 0x38987647}, {16384_GiB, 0x2B7D0C85},
    };
    for (const Row& row : rows) {
        Crc32 crc;
        for (const auto& [journal, names] : {std::pair(JournalMode::none, CaseSensitivity::ignore_case),
                                             std::pair(JournalMode::inside, CaseSensitivity::ignore_case),
                                             std::pair(JournalMode::inside, CaseSensitivity::case_sensitive)}) {
            Options chosen = options({});
            chosen.journal = journal;
            chosen.names = names;
            const auto layout = plan_volume(row.size, 512_B, chosen);
            REQUIRE(reason(layout) == "success");
            for (const auto& pieces : {structures(*layout), volume_headers(*layout)})
                for (const Piece& piece : pieces) {
                    for (unsigned shift = 0; shift < 64; shift += 8)
                        crc.add(static_cast<std::uint8_t>(piece.offset.count >> shift));
                    for (const std::byte byte : piece.bytes) crc.add(std::to_integer<std::uint8_t>(byte));
                }
        }
        CAPTURE(row.size.count);
        CHECK(fmt::format("{:08x}", crc.value()) == fmt::format("{:08x}", row.crc));
    }
}

TEST_CASE("HFS+: no two structures share a block, whatever the size and options") {
    for (Bytes size = 16_MiB; size <= 16384_GiB; size = Bytes{size.count * 2 + 512 * 3}) {
        for (const std::optional<Bytes> block : {std::optional<Bytes>{}, std::optional(512_B), std::optional(64_KiB)}) {
            CAPTURE(size.count, block.value_or(0_B).count);
            const auto layout = plan_volume(size, 512_B, options(block));
            if (!layout) {
                CHECK(layout.error().code == Errc::bad_request);
                continue;
            }
            std::uint64_t end = 0, used = 0;
            for (const HfsPlusExtent& run : layout->used()) {
                CHECK(run.count > 0);
                CHECK(run.start >= end);
                end = std::uint64_t{run.start} + run.count;
                used += run.count;
            }
            CHECK(end == layout->total_blocks);
            CHECK(used + layout->free_blocks == layout->total_blocks);
            CHECK(layout->next_allocation < layout->total_blocks);
        }
    }
}

TEST_CASE("HFS+: the planner refuses impossible parameters") {
    struct Row {
        Bytes size, sector;
        Options options;
        const char* why;
    };
    Options too_late = some_options(), nameless_id = some_options();
    too_late.created = std::chrono::sys_seconds(std::chrono::seconds(0x1'0000'0000 - hfs_plus_unix_epoch));
    nameless_id.volume_id = 0;
    const Row rows[] = {
        {16_MiB, 512_B, options({}), "success"},
        {16384_GiB, 4_KiB, options({}), "success"},
        {Bytes{(16 << 20) - 1}, 512_B, options({}), "a medium of 16.8 MB: HFS+ is made on media of 16.8 MB to 17.6 TB"},
        {16385_GiB, 512_B, options({}), "a medium of 17.6 TB: HFS+ is made on media of 16.8 MB to 17.6 TB"},
        {1_GiB, 4_KiB, options(2_KiB), "block size 2048: HFS+ on this medium takes powers of two from 4096 to 65536"},
        {1_GiB, 512_B, options(128_KiB),
         "block size 131072: HFS+ on this medium takes powers of two from 512 to 65536"},
        {1_GiB, 512_B, options(5000_B), "block size 5000: HFS+ on this medium takes powers of two from 512 to 65536"},
        {16384_GiB, 512_B, options(4_KiB),
         "block size 4096: a medium of 17.6 TB would have more than 4294967295 blocks, take a larger "
         "size"},
        {16_MiB, 512_B, options(64_KiB), "success"},
        {1_GiB, 512_B, options({}, 128_KiB),
         "journal size 131072: this volume takes multiples of 4096 from 262144 to 134217728"},
        {1_GiB, 512_B, options({}, 256_MiB),
         "journal size 268435456: this volume takes multiples of 4096 from 262144 to 134217728"},
        {1_GiB, 512_B, options(64_KiB, 300_KiB),
         "journal size 307200: this volume takes multiples of 65536 from 262144 to 134217728"},
        {1_GiB, 512_B, too_late, "HFS+ counts time from 1904 to 2040-02-06: choose another time of creation"},
        {1_GiB, 512_B, nameless_id,
         "a volume identifier of 0 means that the volume has no identifier: choose another value"},
    };
    for (const Row& row : rows) {
        const auto layout = plan_volume(row.size, row.sector, row.options);
        CHECK(reason(layout) == row.why);
        if (!layout) CHECK(layout.error().code == Errc::bad_request);
    }
}

TEST_CASE("HFS+: time is stored in 32 bits as seconds since 1904") {
    using namespace std::chrono;
    CHECK(counts_time(sys_days{1904y / 1 / 1}));
    CHECK_FALSE(counts_time(sys_days{1904y / 1 / 1} - 1s));
    CHECK(counts_time(sys_days{2040y / 2 / 6} + 6h + 28min + 15s));
    CHECK_FALSE(counts_time(sys_days{2040y / 2 / 6} + 6h + 28min + 16s));
}

TEST_CASE("HFS+: a label is converted to decomposed UTF-16 by the rules of HFS+") {
    CHECK(name_of_volume("Card 1") == "0043 0061 0072 0064 0020 0031");
    CHECK(name_of_volume("ö") == "006f 0308");
    CHECK(name_of_volume("ệ") == "0065 0323 0302"); // marks in the order of their classes
    CHECK(name_of_volume("e\u0302\u0323") == "0065 0323 0302");
    CHECK(name_of_volume("한") == "1112 1161 11ab");      // Hangul
    CHECK(name_of_volume("\u212B") == "212b");            // the Ångström sign stays: U+2000-U+2FFF
    CHECK(name_of_volume("\uFA1E\uF900") == "fa1e f900"); // compatibility ideographs also stay
    CHECK(name_of_volume("\u1B06") == "1b06");            // decomposed by Unicode 5 only
    CHECK(name_of_volume("\U0001F4BE") == "d83d dcbe");
    CHECK(name_of_volume("a:b/c") == "0061 002f 0062 002f 0063");
    CHECK(reason(volume_name(std::string(255, 'x'))) == "success");
    CHECK(reason(volume_name(std::string(256, 'x'))) ==
          "the label has 256 UTF-16 units when decomposed: HFS+ takes at most 255");
    std::string umlauts;
    for (int i = 0; i < 128; ++i) umlauts += "ä";
    CHECK(reason(volume_name(umlauts)) == "the label has 256 UTF-16 units when decomposed: HFS+ takes at most 255");
    CHECK(reason(volume_name("")) == "the label is empty: HFS+ needs a name");
    for (const char* bad : {"\xFF", "a\nb", "a\x7F", "\xC3"})
        CHECK(reason(volume_name(bad)) ==
              "the label is not UTF-8 text without control characters: choose another label");
}

TEST_CASE("HFS+: a format of a terabyte writes a few hundred KiB in addition to the cleared ranges") {
    const auto layout = plan_volume(1024_GiB, 512_B, some_options());
    REQUIRE(reason(layout) == "success");
    Bytes cleared, written;
    for (const Span& span : spans_to_clear(*layout)) cleared += span.length;
    for (const Piece& piece : structures(*layout)) {
        CHECK(piece.bytes.size() <= 1 << 20);
        written += Bytes{piece.bytes.size()};
    }
    // The cleared ranges are the bitmap, the journal and the three trees, whose unused nodes must be zeros.
    CHECK(cleared == 32_MiB + 88_MiB + 14_MiB + 294_MiB + 294_MiB + 12_KiB);
    CHECK(written < 512_KiB);
}

TEST_CASE("HFS+: no valid structure of former contents remains, whatever the medium contained") {
    for (const Bytes size : {16_MiB, 64_MiB + 512_B * 3}) {
        const auto layout = plan_volume(size, 512_B, some_options());
        REQUIRE(reason(layout) == "success");
        Image dirty(size);
        dirty.write(0, std::vector<std::byte>(size.count, std::byte{0xA5}));
        REQUIRE(reason(write_volume(dirty.descriptor(), *layout, nullptr)) == "success");
        const MadeVolume fresh = make_volume(size);
        for (const Span& span : spans_to_clear(*layout)) {
            CAPTURE(span.what);
            CHECK(dirty.read(span.offset.count, span.length.count) ==
                  fresh.image.read(span.offset.count, span.length.count));
        }
    }
}

TEST_CASE("HFS+: a cancelled or failed format leaves no volume header") {
    const auto layout = plan_volume(64_MiB, 512_B, some_options());
    Image image(64_MiB);
    const std::atomic<bool> cancel{true};
    const auto cancelled = write_volume(image.descriptor(), *layout, &cancel);
    REQUIRE_FALSE(cancelled);
    CHECK(cancelled.error() ==
          Error{Errc::cancelled, "the format was cancelled: the medium contains no file system now"});
    CHECK(image.read(1024, 512) == std::vector<std::byte>(512));

    const auto failed = write_volume(-1, *layout, nullptr);
    REQUIRE_FALSE(failed);
    CHECK(failed.error() ==
          Error{Errc::io_failed, "cannot clear the boot blocks and volume header at byte 0: Bad file descriptor"});
    const auto full = write_volume(::open("/dev/full", O_RDWR | O_CLOEXEC), *layout, nullptr);
    CHECK(reason(full) == "cannot write the boot blocks and volume header at byte 0: No space left on device");
}

} // namespace mediarig::media::hfsplus
