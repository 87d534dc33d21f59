// SPDX-License-Identifier: GPL-3.0-or-later
/// HFS+ and APFS: each checked field is damaged alone.
#include "host/media/inspect/apfs.hpp"
#include "host/media/inspect/hfsplus.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr std::uint64_t header = 1024, alternate = (64 << 20) - 1024;
constexpr std::uint64_t info_block = 8192, journal = 12288;
constexpr std::uint64_t extents = 0x83000, attributes = 0x103000, catalog = 0x683000;

Image hfs_plus() {
    return image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB);
}

/// Changes the copy of the header in the same way, so that the complaint is about the header itself.
void copy_header(Image& image, const Damage& damage) {
    if (damage.offset >= header && damage.offset < header + 512) image.write(alternate, image.read(header, 512));
}
void leave_apple(Image&, const Damage&) {}

std::vector<int> number(std::uint64_t value, std::size_t width, bool little) {
    std::vector<int> bytes;
    for (std::size_t i = 0; i < width; ++i)
        bytes.push_back(static_cast<int>(value >> (8 * (little ? i : width - 1 - i)) & 0xFF));
    return bytes;
}

/// A journal that a kernel has used: it has a header in the byte order of that kernel.
void put_journal(Image& image, bool little) {
    image.write(info_block, be32(1));
    const std::pair<std::uint64_t, std::size_t> fields[] = {{0x4A4E4C78, 4}, {0x12345678, 4}, {512, 8}, {512, 8},
                                                            {524288, 8},     {4096, 4},       {0, 4},   {512, 4}};
    std::uint64_t at = journal;
    for (const auto& [value, width] : fields) {
        image.write(at, number(value, width, little));
        at += width;
    }
}

void checksum_journal(Image& image, bool little) {
    const auto raw = image.read(journal, 44);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
        sum = (sum << 8) ^ (sum + (i >= 0x24 && i < 0x28 ? 0 : std::to_integer<std::uint32_t>(raw[i])));
    image.write(journal + 0x24, number(~sum, 4, little));
}

Image apfs() {
    return image_from_hex("apfs_1gib.hex", 1_GiB);
}

/// Corrects the checksum of the block, and the copies of the container superblock.
void mend_apfs(Image& image, const Damage& damage) {
    const std::uint64_t at = damage.offset / apple_block * apple_block;
    image.write(at, le64(apfs_checksum(image.read(at, apple_block))));
    if (at == 0) image.write(2 * apple_block, image.read(0, apple_block));
}

} // namespace

TEST_CASE("damage: the report names each damaged field of the HFS+ volume header with its offset") {
    std::vector<Damage> damages{
        {"journalInfoBlock", header, header + 0x0C, be32(0)},
        {"journalInfoBlock", header, header + 0x0C, be32(1 << 24)},
        {"blockSize", header, header + 0x28, be32(4097)},
        {"blockSize", header, header + 0x28, be32(256)},
        {"totalBlocks", header, header + 0x2C, be32(0)},
        {"freeBlocks", header, header + 0x30, be32(16385)},
        {"nextAllocation", header, header + 0x34, be32(16384)},
        {"rsrcClumpSize", header, header + 0x38, be32(1000)},
        {"dataClumpSize", header, header + 0x3C, be32(1000)},
        {"nextCatalogID", header, header + 0x40, be32(15)},
        {"allocationFile.logicalSize", header, header + 0x70, be64(2047)},
    };
    const std::pair<const char*, std::uint64_t> forks[] = {
        {"allocationFile", 0x70}, {"extentsFile", 0xC0}, {"catalogFile", 0x110}, {"attributesFile", 0x160}};
    std::vector<std::string> names;
    names.reserve(16);
    for (const auto& [name, at] : forks) {
        names.push_back(std::string(name) + ".logicalSize");
        damages.push_back({names.back().c_str(), header, header + at, be64(1ULL << 40)});
        names.push_back(std::string(name) + ".extents[0].startBlock");
        damages.push_back({names.back().c_str(), header, header + at + 16, be32(16384)});
        names.push_back(std::string(name) + ".extents[0].blockCount");
        damages.push_back({names.back().c_str(), header, header + at + 20, be32(0)});
        names.push_back(std::string(name) + ".extents[1].startBlock");
        damages.push_back({names.back().c_str(), header, header + at + 24, be32(0xFFFFFFFF)});
    }
    is_named_each_time(hfs_plus, damages, copy_header);
}

TEST_CASE("damage: the report names each damaged fixed field of the alternate HFS+ header with its offset") {
    const std::vector<Damage> damages{
        {"signature", alternate, alternate, {'X'}},
        {"attributes", alternate + 4, alternate + 6, {0x01}},
        {"journalInfoBlock", alternate + 0x0C, alternate + 0x0C, be32(9)},
        {"blockSize", alternate + 0x28, alternate + 0x28, be32(8192)},
        {"totalBlocks", alternate + 0x2C, alternate + 0x2C, be32(16385)},
        {"rsrcClumpSize", alternate + 0x38, alternate + 0x38, be32(4096)},
        {"dataClumpSize", alternate + 0x3C, alternate + 0x3C, be32(4096)},
        {"finderInfo[6..7]", alternate + 0x68, alternate + 0x68, be64(7)},
        {"allocationFile.totalBlocks", alternate + 0x7C, alternate + 0x7C, be32(7)},
        {"extentsFile.clumpSize", alternate + 0xC8, alternate + 0xC8, be32(4096)},
        {"catalogFile.logicalSize", alternate + 0x110, alternate + 0x110, be64(4096)},
        {"catalogFile.extents[0].startBlock", alternate + 0x120, alternate + 0x120, be32(3)},
        {"attributesFile.extents[7].blockCount", alternate + 0x160 + 76, alternate + 0x160 + 76, be32(3)},
        {"startupFile.totalBlocks", alternate + 0x1B0 + 12, alternate + 0x1B0 + 12, be32(3)},
    };
    is_named_each_time(hfs_plus, damages, leave_apple);
    const std::vector<Damage> changes{
        {"attributes: not unmounted", 0, alternate + 6, {0x20}},
        {"lastMountedVersion", 0, alternate + 8, be32(1)},
        {"createDate", 0, alternate + 0x10, be32(1)},
        {"modifyDate", 0, alternate + 0x14, be32(1)},
        {"backupDate", 0, alternate + 0x18, be32(1)},
        {"checkedDate", 0, alternate + 0x1C, be32(1)},
        {"fileCount", 0, alternate + 0x20, be32(99)},
        {"folderCount", 0, alternate + 0x24, be32(99)},
        {"freeBlocks", 0, alternate + 0x30, be32(99)},
        {"nextAllocation", 0, alternate + 0x34, be32(99)},
        {"nextCatalogID", 0, alternate + 0x40, be32(99)},
        {"writeCount", 0, alternate + 0x44, be32(99)},
        {"encodingsBitmap", 0, alternate + 0x48, be64(99)},
        {"finderInfo[0]", 0, alternate + 0x50, be32(99)},
    };
    is_not_noticed_once(hfs_plus, changes, leave_apple);
}

TEST_CASE("damage: the report names each damaged field of the three header nodes of HFS+ with its offset") {
    for (const std::uint64_t node : {extents, catalog, attributes}) {
        const std::vector<Damage> damages{
            {"kind", node, node + 8, {0}},
            {"kind", node, node + 8, {0x77}},
            {"numRecords", node, node + 0x0A, be16(4)},
            {"treeDepth", node, node + 0x0E, be16(17)},
            {"rootNode", node, node + 0x10, be32(5000)},
            {"firstLeafNode", node, node + 0x18, be32(5000)},
            {"lastLeafNode", node, node + 0x1C, be32(5000)},
            {"nodeSize", node, node + 0x20, be16(4097)},
            {"maxKeyLength", node, node + 0x22, be16(100)},
            {"totalNodes", node, node + 0x24, be32(0)},
            {"totalNodes", node, node + 0x24, be32(130)},
            {"freeNodes", node, node + 0x28, be32(130)},
            {"btreeType", node, node + 0x32, {0x80}},
            {"keyCompareType", node, node + 0x33, {0xBC}}, // keyCompareType 0xBC (binary) is valid on HFSX only
            {"attributes", node, node + 0x34, be32(0)},
        };
        is_named_each_time(hfs_plus, damages, leave_apple);
    }
    is_named_each_time(hfs_plus, {{"first leaf of the catalog file", catalog + 4096, catalog + 4096 + 8, {0}}},
                       leave_apple);
}

TEST_CASE("damage: the report names each damaged field of the HFS+ journal with its offset in either byte order") {
    is_named_each_time(hfs_plus,
                       {{"flags: the journal is nowhere", info_block, info_block, be32(4)},
                        {"flags: the journal is in the volume and on another device", info_block, info_block, be32(7)},
                        {"offset 67108865", info_block, info_block + 0x24, be64((64 << 20) + 1)},
                        {"size 67108864", info_block, info_block + 0x2C, be64(64 << 20)},
                        {"size 0", info_block, info_block + 0x2C, be64(0)}},
                       leave_apple);
    for (const bool little : {true, false}) {
        INFO((little ? "little" : "big") << " endian");
        const auto used = [little] {
            Image image = hfs_plus();
            put_journal(image, little);
            checksum_journal(image, little);
            return image;
        };
        const std::vector<Damage> damages{
            {"magic", journal, journal, {1}},
            {"endian", journal, journal + 4, {1}},
            {"start and end", journal, journal + 8, number(1 << 20, 8, little)},
            {"start 512 and end 4608 differ: the journal needs to be replayed", journal, journal + 16,
             number(4608, 8, little)},
            {"size is 524800, the journal info block has 524288", journal, journal + 24, number(524800, 8, little)},
            {"jhdr_size", journal, journal + 0x28, number(100, 4, little)},
        };
        is_named_each_time(used, damages, [little](Image& image, const Damage&) { checksum_journal(image, little); });
        is_named_each_time(used, {{"checksum", journal, journal + 0x24, number(1, 4, little)}}, leave_apple);

        const Image image = used();
        const auto report = inspect(image.descriptor(), image.size(), 512);
        const InspectedVolume& volume = report->volumes.at(0);
        CHECK(parameter(volume, "journal_byte_order") == (little ? "little endian" : "big endian"));
        CHECK(parameter(volume, "journal_start") == "512");
        CHECK(parameter(volume, "journal_end") == "512");
        CHECK(parameter(volume, "journal_needs_replay") == "no");
        CHECK(parameter(volume, "journal_header_size") == "512");
        CHECK(parameter(volume, "journal_block_list_header") == "4096");
    }
}

TEST_CASE("for an HFS+ journal on another device, the report names that device") {
    Image image = hfs_plus();
    image.write(info_block, be32(2));
    const std::string uuid = "0D8B5E2C-7F41-4B0A-9C55-0123456789AB";
    image.write(info_block + 0x34, std::as_bytes(std::span(uuid)));
    const auto report = inspect(image.descriptor(), image.size(), 512);
    CHECK(report->volumes.at(0).problem.empty());
    CHECK(parameter(report->volumes.at(0), "journal_place") == "on another device");
    CHECK(parameter(report->volumes.at(0), "journal_device_uuid") == uuid);
}

TEST_CASE("damage: the report names each damaged field of the APFS container superblock with its offset") {
    const std::vector<Damage> damages{
        {"nx_block_size", 0, 0x24, le32(512)},
        {"nx_block_count", 0, 0x28, le64(0)},
        {"nx_block_count", 0, 0x28, le64(262145)},
        {"nx_next_xid", 0, 0x60, le64(1)},
        {"nx_xp_desc_base and nx_xp_desc_blocks", 0, 0x68, le32(0x80000040)},
        {"nx_xp_desc_base and nx_xp_desc_blocks", 0, 0x70, le64(262144)},
        {"nx_xp_data_base and nx_xp_data_blocks", 0, 0x6C, le32(262144)},
        {"nx_xp_desc_index and nx_xp_desc_len", 0, 0x88, le32(64)},
        {"nx_omap_oid", 0, 0xA0, le64(262144)},
        {"nx_max_file_systems", 0, 0xB4, le32(101)},
        {"o_type", 0, 0x18, {0x0D}},
    };
    is_named_each_time(apfs, damages, mend_apfs);
    is_named_each_time(apfs, {{"o_cksum", 0, 0x100, {1}}}, leave_apple);
}

TEST_CASE("damage: the report names each damaged field of the other APFS structures with its offset") {
    const std::uint64_t map = apple_block, space = 66 * apple_block, omap = 20000 * apple_block,
                        node = 20001 * apple_block;
    const std::uint64_t volume = 20002 * apple_block, own_map = 20003 * apple_block;
    const std::vector<Damage> damages{
        {"o_type: 0x5, expected 0xc", map, map + 0x18, {5}},
        {"cpm_count", map, map + 0x24, le32(103)},
        {"sm_block_size", space, space + 0x20, le32(8192)},
        {"sm_blocks_per_chunk", space, space + 0x24, le32(0)},
        {"sm_chunks_per_cib", space, space + 0x28, le32(0)},
        {"sm_cibs_per_cab", space, space + 0x2C, le32(0)},
        {"sm_block_count", space, space + 0x30, le64(262143)},
        {"sm_chunk_count", space, space + 0x38, le64(9)},
        {"sm_cib_count", space, space + 0x40, le32(2)},
        {"sm_free_count", space, space + 0x48, le64(262145)},
        {"sm_ip_base and sm_ip_block_count", space, space + 0x98, le64(1 << 20)},
        {"sm_ip_bm_base and sm_ip_bm_block_count", space, space + 0xA8, le64(1 << 20)},
        {"sm_ip_base and sm_ip_block_count", space, space + 0xB0, le64(1 << 20)},
        {"o_type: 0x1, expected 0xb", omap, omap + 0x18, {1}},
        {"btn_flags", node, node + 0x20, {3}},
        {"btn_table_space", node, node + 0x24, le32(5000)},
        {"the key or the value of entry 0 is not completely inside the node", node, node + 0x38, {0xFF, 0xFF}},
        {"object 0x402 is not in the object map", node, node + 0x24, le32(0)},
        {"apfs_magic", volume, volume + 0x20, {'X'}},
        {"o_type: 0x1, expected 0xb", own_map, own_map + 0x18, {1}},
    };
    is_named_each_time(apfs, damages, mend_apfs);
    std::vector<Damage> checksums;
    for (const std::uint64_t at : {map, space, omap, node, volume, own_map})
        checksums.push_back({"o_cksum", at, at + 0x800, {1}});
    is_named_each_time(apfs, checksums, leave_apple);
    const auto said_after = [](std::uint64_t at, const std::vector<int>& bytes) {
        Image image = apfs();
        image.write(at, bytes);
        mend_apfs(image, {"", 0, at, {}});
        return complaints(image);
    };
    CHECK_THAT(said_after(omap + 0x30, le64(300000)),
               ContainsSubstring("object map node: block 300000 is outside the container"));
    CHECK_THAT(said_after(map + 0x70, le64(300000)),
               ContainsSubstring("space manager: block 300000 is outside the container"));
}
