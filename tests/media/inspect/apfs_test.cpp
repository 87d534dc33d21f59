// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <cstring>

#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/read_apfs.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;
using Catch::Matchers::StartsWith;

namespace {

Image golden_apfs() {
    return image_from_hex("apfs_1gib.hex", 1_GiB);
}

/// Changes bytes of a block and corrects its checksum.
void change(Image& image, std::uint64_t address, std::uint64_t offset, const std::vector<int>& bytes) {
    image.write(address * apple_block + offset, bytes);
    image.write(address * apple_block, le64(apfs_checksum(image.read(address * apple_block, apple_block))));
}

Result<ApfsContents> contents(const Image& image) {
    return read_apfs({image.descriptor(), image.size()}, {}, image.size());
}

std::string apfs_problem_of(const Image& image) {
    const auto read = contents(image);
    return read ? read->problem : read.error().detail;
}

} // namespace

TEST_CASE("APFS checksum: the blocks of a known container are valid") {
    const Image image = golden_apfs();
    CHECK(apfs_checksum(image.read(0, apple_block)) == 0x6810CE50E6A4865C);
    CHECK(apfs_checksum(image.read(20002 * apple_block, apple_block)) == 0xF8FB2FF59E1DA465);
    for (const std::uint64_t address : {0U, 1U, 2U, 66U, 20000U, 20001U, 20002U}) {
        CAPTURE(address);
        CHECK(apfs_checksum(image.read(address * apple_block, apple_block)) ==
              load_le<std::uint64_t>(image.read(address * apple_block, 8), 0));
    }
}

TEST_CASE("APFS container: the fields of a known superblock are decoded") {
    const auto container = parse_apfs_container(golden_apfs().read(2 * apple_block, apple_block));
    REQUIRE(reason(container) == "success");
    CHECK(*container == ApfsContainer{.object = {.oid = 1, .xid = 1, .type = 1},
                                      .block_size = 4096_B,
                                      .block_count = 262144,
                                      .features = 0,
                                      .readonly_features = 0,
                                      .incompatible_features = 2,
                                      .uuid = "11111111-2222-3333-4444-555555555555",
                                      .next_oid = 0x464,
                                      .next_xid = 2,
                                      .descriptor_base = 1,
                                      .descriptor_blocks = 64,
                                      .descriptor_index = 0,
                                      .descriptor_length = 2,
                                      .data_base = 65,
                                      .data_blocks = 5904,
                                      .space_manager_oid = 0x400,
                                      .object_map_oid = 20000,
                                      .reaper_oid = 0x401,
                                      .most_volumes = 2,
                                      .flags = 0,
                                      .fusion_uuid = {},
                                      .keylocker = 0,
                                      .volume_oids = {0x402}});
}

TEST_CASE("APFS container: an invalid superblock is refused") {
    struct Row {
        const char* what;
        std::uint64_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"nx_magic", 0x20, {'X'}},
        {"nx_block_size", 0x24, le32(512)},
        {"nx_block_size", 0x24, le32(6000)},
        {"nx_block_size", 0x24, le32(1 << 17)},
        {"nx_block_size", 0x24, le32(8192)}, // the block size of this container is 4096
        {"o_type: 0xd, expected 0x1", 0x18, {0x0D}},
        {"nx_block_count", 0x28, le64(0)},
        {"nx_block_count", 0x28, le64(~0ULL)},
        {"nx_xp_desc_base and nx_xp_desc_blocks", 0x68, le32(0x80000040)},
        {"nx_xp_desc_base and nx_xp_desc_blocks", 0x68, le32(16385)},
        {"nx_xp_desc_base and nx_xp_desc_blocks", 0x70, le64(262144)},
        {"nx_xp_desc_base and nx_xp_desc_blocks", 0x70, le64(~0ULL)},
        {"nx_xp_data_base and nx_xp_data_blocks", 0x6C, le32(262144)},
        {"nx_xp_desc_index and nx_xp_desc_len", 0x88, le32(64)},
        {"nx_xp_desc_index and nx_xp_desc_len", 0x8C, le32(65)},
        {"nx_omap_oid", 0xA0, le64(262144)},
        {"nx_max_file_systems", 0xB4, le32(101)},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Image image = golden_apfs();
        change(image, 0, row.offset, row.bytes);
        CHECK(reason(parse_apfs_container(image.read(0, apple_block))) == row.what);
    }
    Image image = golden_apfs();
    image.write(0x100, std::vector<int>{1}); // the checksum is not corrected
    CHECK_THAT(reason(parse_apfs_container(image.read(0, apple_block))),
               ContainsSubstring("o_cksum: 0x6810ce50e6a4865c stored"));
    CHECK(reason(parse_apfs_container({})) == "nx_magic");
    CHECK(reason(parse_apfs_object({}, ApfsType::volume)) == "block of 0 bytes");
}

TEST_CASE("APFS container: checkpoint map, space manager, object map and volume are found from the superblock") {
    const auto read = contents(golden_apfs());
    REQUIRE(reason(read) == "success");
    CHECK(read->problem.empty());
    CHECK(read->block_zero_is_live);
    CHECK(read->space == ApfsSpace{.block_size = 4096,
                                   .blocks_per_chunk = 32768,
                                   .chunks_per_cib = 126,
                                   .cibs_per_cab = 507,
                                   .block_count = 262144,
                                   .chunk_count = 8,
                                   .cib_count = 1,
                                   .cab_count = 0,
                                   .free_blocks = 256124,
                                   .second_block_count = 0,
                                   .second_free_blocks = 0,
                                   .pool_blocks = read->space->pool_blocks,
                                   .pool_base = read->space->pool_base,
                                   .pool_bitmap_base = 21000,
                                   .pool_bitmap_blocks = 16});
    CHECK(read->space->pool_base + read->space->pool_blocks <= 262144);
    CHECK(read->free() == Bytes{256124 * 4096ULL});
    REQUIRE(read->volumes.size() == 1);
    CHECK(read->volumes.front() == ApfsVolume{.object = {.oid = 0x402, .xid = 1, .type = 0xD},
                                              .name = "APTEST",
                                              .uuid = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
                                              .formatted_by = "mkapfs for linux, version 0.1",
                                              .features = 2,
                                              .incompatible_features = 1,
                                              .case_sensitive = false,
                                              .encrypted = false,
                                              .role = 0,
                                              .reserve_blocks = 0,
                                              .quota_blocks = 0,
                                              .allocated_blocks = 5,
                                              .files = 0,
                                              .folders = 0,
                                              .snapshots = 0,
                                              .index = 0,
                                              .readonly_features = 0,
                                              .flags = 1,
                                              .formatted = 1'700'000'000'000'000'000,
                                              .last_modified = 0,
                                              .unmounted = 0,
                                              .object_map_oid = 20003,
                                              .modified_by = {}});
}

TEST_CASE("APFS container: the newest valid superblock of the checkpoint area is used") {
    Image image = golden_apfs();
    // The area contains a torn later checkpoint at block 5, and a complete one at block 4 with another volume limit.
    for (const std::uint64_t address : {4U, 5U}) image.write(address * apple_block, image.read(0, apple_block));
    change(image, 4, 0x10, le64(7));
    change(image, 4, 0x60, le64(8));
    change(image, 4, 0xB4, le32(3));
    change(image, 5, 0x10, le64(9));
    image.write(5 * apple_block + 0x200, std::vector<int>{1});
    const auto read = contents(image);
    REQUIRE(reason(read) == "success");
    CHECK(read->container.object.xid == 7);
    CHECK(read->container.most_volumes == 3);
    CHECK_FALSE(read->block_zero_is_live);
    CHECK(read->problem.empty());
}

TEST_CASE("APFS container: an inconsistent newer checkpoint is reported and the former checkpoint is used") {
    Image image = golden_apfs();
    // Transaction 7 names a map in block 6, which was never written.
    image.write(4 * apple_block, image.read(0, apple_block));
    change(image, 4, 0x10, le64(7));
    change(image, 4, 0x60, le64(8));
    change(image, 4, 0x88, le32(5));
    change(image, 4, 0x8C, le32(1));
    const auto read = contents(image);
    REQUIRE(reason(read) == "success");
    CHECK(read->container.object.xid == 1);
    CHECK(read->problem ==
          "checkpoint of transaction 7 in block 4: checkpoint map in block 6 (byte 24576): o_cksum: "
          "0x0000000000000000 stored, 0xffffffffffffffff computed; transaction 1 is used");
    CHECK(read->volumes.size() == 1);
}

TEST_CASE("APFS container: a damaged superblock that only block 0 replaces is reported") {
    SECTION("the only superblock of the checkpoint area") {
        for (const std::uint64_t byte : {8U, 0x100U, 0xFFFU}) {
            Image image = golden_apfs();
            image.write(2 * apple_block + byte, std::vector<int>{0xA5});
            CHECK(apfs_problem_of(image) == "no valid superblock in the checkpoint descriptor area, 1 damaged");
        }
    }
    SECTION("the newest superblock of several") {
        Image image = golden_apfs();
        change(image, 0, 0x10, le64(7));
        change(image, 0, 0x60, le64(8));
        image.write(4 * apple_block, image.read(0, apple_block));
        image.write(4 * apple_block + 0x200, std::vector<int>{1});
        CHECK_THAT(apfs_problem_of(image),
                   ContainsSubstring("the superblock of transaction 7 in the checkpoint descriptor area is damaged"));
    }
    SECTION("not a damaged remnant while the area contains the transaction of block 0") {
        Image image = golden_apfs();
        image.write(4 * apple_block, image.read(0, apple_block));
        image.write(4 * apple_block + 0x200, std::vector<int>{1});
        CHECK(apfs_problem_of(image).empty());
    }
}

TEST_CASE("APFS container: a damaged block 0 leads to its valid copies") {
    Image image = golden_apfs();
    image.write(0x100, std::vector<int>{1});
    const auto read = contents(image);
    REQUIRE(reason(read) == "success");
    CHECK_THAT(read->problem, StartsWith("APFS container at byte 0: block 0: o_cksum"));
    CHECK_FALSE(read->block_zero_is_live);
    CHECK(read->block_zero_xid == std::nullopt);
    CHECK(read->live_block == 2);
    CHECK(read->volumes.front().name == "APTEST");
    // If no copy is valid, there is no source of the fields.
    image.write(2 * apple_block + 0x100, std::vector<int>{1});
    CHECK_THAT(apfs_problem_of(image), StartsWith("APFS container at byte 0: o_cksum"));
}

TEST_CASE("APFS: features, roles and times have names") {
    CHECK(apfs_bits_text(ApfsBits::container_incompatible, 0x102) == "version 2, Fusion");
    CHECK(apfs_bits_text(ApfsBits::volume_incompatible, 9) == "case-insensitive, normalization-insensitive");
    CHECK(apfs_bits_text(ApfsBits::volume_flags, 0x1001) == "unencrypted, 0x1000");
    CHECK(apfs_bits_text(ApfsBits::volume_readonly, 0) == "none");
    CHECK(apfs_role_text(0) == "none");
    CHECK(apfs_role_text(0x40) == "data");
    CHECK(apfs_role_text(0x180) == "backup");
    CHECK(apfs_role_text(3) == "0x3");
    CHECK(apfs_time_text(0) == "never");
    CHECK(apfs_time_text(1'700'000'000'000'000'000) == "2023-11-14 22:13:20");
    CHECK(apfs_time_text(~0ULL) == "2554-07-21 23:34:33");
}

TEST_CASE("APFS volume: encryption, roles and last modifier are reported") {
    Image image = golden_apfs();
    change(image, 20002, 0x108, le64(8)); // the flag for one key, without the flag "unencrypted"
    change(image, 20002, 0x3C4, {0x40, 0x00});
    change(image, 20002, 0x38, le64(8));
    change(image, 20002, 0x140, {'a', 'p', 'f', 's', '_', 'k', 'e', 'x', 't'});
    change(image, 20002, 0x160, le64(1'700'000'001'000'000'000));
    for (const std::uint64_t superblock : {0U, 2U}) change(image, superblock, 0x4F0, le64(4));
    const auto read = contents(image);
    REQUIRE(reason(read) == "success");
    CHECK(read->problem.empty());
    const Parameters parameters = parameters_of(*read);
    const auto told = [&](const char* name) {
        for (const auto& [key, text] : parameters)
            if (key == name) return text;
        return std::string("(none)");
    };
    CHECK(told("software_crypto") == "yes");
    CHECK(told("volume_encrypted") == "yes");
    CHECK(told("volume_flags") == "one key");
    CHECK(told("volume_role_name") == "data");
    CHECK(told("volume_case_sensitive") == "yes");
    CHECK(told("volume_normalization_sensitive") == "no");
    CHECK(told("volume_modified_by") == "apfs_kext");
    CHECK(told("volume_modified_by_when") == "2023-11-14 22:13:21");
    CHECK(told("volume_formatted") == "2023-11-14 22:13:20");
    CHECK(told("free_blocks") == "256124");
    CHECK(told("chunk_count") == "8");
}

TEST_CASE("APFS object map: an inner node that leads to itself ends the search") {
    Image image = golden_apfs();
    auto node = image.read(20001 * apple_block, apple_block);
    // The node is not a leaf any more, and its only value is its own address.
    const std::size_t table = 0x38 + load_le<std::uint16_t>(node, 0x28);
    const std::uint64_t value = apple_block - 40 - load_le<std::uint16_t>(node, table + 2);
    change(image, 20001, 0x20, {5});
    change(image, 20001, value, le64(20001));
    CHECK(apfs_problem_of(image) == "object map from block 20001: deeper than 8 levels");
}
