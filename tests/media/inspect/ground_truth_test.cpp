// SPDX-License-Identifier: GPL-3.0-or-later
/// Images that the given commands can reproduce, with all their known values.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/media/format/hfsplus_volume.hpp"
#include "tests/media/inspect/reference_checkers.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

struct Bits {
    std::uint64_t at;
    const char* hex;
    const char* what;
};
struct Told {
    const char* name;
    const char* value;
};

template <class Read>
void holds(const Read& hex_at, std::initializer_list<Bits> all) {
    for (const Bits& bits : all) {
        INFO(bits.what << " at " << bits.at);
        CHECK(hex_at(bits.at, std::string(bits.hex).size() / 2) == bits.hex);
    }
}

void tells(const InspectedVolume& volume, std::initializer_list<Told> all) {
    for (const Told& told : all) {
        INFO(told.name);
        CHECK(value(volume, told.name) == told.value);
    }
}

std::string repeated(const std::string& hex, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += hex;
    return text;
}

std::string sha256(const std::string& path) {
    return said_by("sha256sum", {path}).substr(0, 64);
}

} // namespace

TEST_CASE("ground truth: exFAT of 1 GiB by mkfs.exfat 1.2.0 and tune.exfat agrees in bytes and values") {
    MEDIARIG_NEEDS("mkfs.exfat", "tune.exfat", "sha256sum");
    const std::string version = match(run_checker("mkfs.exfat", {"-V"}).out, R"(version : ([0-9.]+))");
    if (version != "1.2.0") MEDIARIG_SKIP("known for exfatprogs 1.2.0, this is " + version);
    const CheckedImage image(1_GiB);
    (void)said_by("mkfs.exfat", {"-L", "EXTEST", image.path()});
    (void)said_by("tune.exfat", {"-I", "0x12345678", image.path()});
    CHECK(sha256(image.path()) == "d1d31a662405efec72817f292908c9dff0c0928f5325c31757024ab357faea5f");

    const auto hex = [&](std::uint64_t at, std::uint64_t length) { return image.hex(at, length); };
    holds(hex, {{0x00, "eb7690", "JumpBoot"},
                {0x03, "4558464154202020", "FileSystemName"},
                {0x40, "0000000000000000", "PartitionOffset"},
                {0x48, "0000200000000000", "VolumeLength"},
                {0x50, "00080000", "FatOffset"},
                {0x54, "00010000", "FatLength"},
                {0x58, "00100000", "ClusterHeapOffset"},
                {0x5C, "c07f0000", "ClusterCount"},
                {0x60, "04000000", "FirstClusterOfRootDirectory"},
                {0x64, "78563412", "VolumeSerialNumber"},
                {0x68, "0001", "FileSystemRevision"},
                {0x6A, "0000", "VolumeFlags"},
                {0x6C, "09060180", "shifts, NumberOfFats, DriveSelect"},
                {0x1FE, "55aa", "BootSignature"},
                {0x1600, "68d92384", "boot checksum"},
                {0x100000, "f8ffffff", "FAT[0]"},
                {0x100004, "ffffffffffffffffffffffffffffffff", "FAT[1..4]"},
                {0x200000, "0700", "bitmap"},
                {0x210000, "8306450058005400450053005400", "label"},
                {0x210020, "81", "bitmap entry"},
                {0x210034, "02000000f80f000000000000", "bitmap: cluster 2, 4088 bytes"},
                {0x210040, "82", "up-case entry"},
                {0x210044, "0dd319e6", "TableChecksum"},
                {0x210054, "03000000cc16000000000000", "up-case: cluster 3, 5836 bytes"}});
    CHECK(image.hex(9 * 512, 512) == repeated("ff", 512));
    CHECK(image.hex(0x78, 390) == repeated("00", 390));
    CHECK(image.hex(0x1600, 512) == repeated("68d92384", 128));
    // The rest of the cluster after the table of 5836 bytes is empty.
    CHECK(image.hex(0x208000 + 5836, 64) == repeated("00", 64));

    const InspectedVolume volume = image.only_volume();
    CHECK(volume.label == "EXTEST");
    CHECK(volume.usable == 32_KiB * 32701);
    CHECK(volume.fingerprint.formatter == "exfatprogs before 1.2.8");
    tells(volume, {{"cluster_size", "32768"},
                   {"sector_size", "512"},
                   {"volume_length", "1073741824"},
                   {"partition_offset", "0"},
                   {"fat_offset", "1048576"},
                   {"fat_length", "131072"},
                   {"number_of_fats", "1"},
                   {"cluster_heap_offset", "2097152"},
                   {"cluster_count", "32704"},
                   {"root_cluster", "4"},
                   {"serial_number", "1234-5678"},
                   {"revision", "1.00"},
                   {"volume_dirty", "no"},
                   {"media_failure", "no"},
                   {"oem_parameters", "filled with ff"},
                   {"boot_code", "00"},
                   {"boot_checksum", "0x8423d968"},
                   {"free_clusters", "32701"},
                   {"bitmap_cluster", "2"},
                   {"bitmap_length", "4088"},
                   {"upcase_cluster", "3"},
                   {"upcase_length", "5836"},
                   {"upcase_checksum", "0xe619d30d"}});
}

TEST_CASE("ground truth: HFS+ with a journal of 1 GiB has the layout of Apple's newfs_hfs") {
    using namespace mediarig::media::hfsplus;
    Options options = some_options(); // at Unix time 1700000000, UUID bytes 01 23 45 67 89 AB CD EF
    options.name = u"HFSTEST";
    const MadeVolume made = make_volume(1_GiB, options);
    const auto hex = [&](std::uint64_t at, std::uint64_t length) {
        std::string text;
        for (const std::byte byte : made.image.read(at, length))
            text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
        return text;
    };
    const auto header = [](std::uint64_t field) { return 0x400 + field; };
    holds(hex, {{header(0x00), "482b0004", "signature, version"},
                {header(0x04), "80002100", "attributes"},
                {header(0x08), "31302e30", "lastMountedVersion"},
                {header(0x0C), "00000009", "journalInfoBlock"},
                {header(0x10), "e179a180e179a180", "createDate, modifyDate"},
                {header(0x18), "00000000", "backupDate"},
                {header(0x1C), "e179a180", "checkedDate"},
                {header(0x20), "0000000200000000", "fileCount, folderCount"},
                {header(0x28), "0000100000040000", "blockSize, totalBlocks"},
                {header(0x30), "0003ebf50000640a", "freeBlocks, nextAllocation"},
                {header(0x38), "0001000000010000", "clump sizes"},
                {header(0x40), "0000001200000000", "nextCatalogID, writeCount"},
                {header(0x48), "0000000000000001", "encodingsBitmap"},
                {header(0x68), "0123456789abcdef", "UUID"},
                {header(0x70),
                 "0000000000008000000080000000000800000001"
                 "00000008",
                 "allocationFile"},
                {header(0xC0),
                 "000000000040000000400000000004000000080a"
                 "00000400",
                 "extentsFile"},
                {header(0x110),
                 "000000000040000000400000000004000000380a"
                 "00000400",
                 "catalogFile"},
                {header(0x160),
                 "0000000000400000004000000000040000000c0a"
                 "00000400",
                 "attributesFile"},
                {0x9000, "00000005", "journal info block: flags"},
                {0x9024, "000000000000a0000000000000800000", "journal info block: offset, size"},
                {0x380A000 + 0x20, "2000", "catalog: nodeSize"},
                {0x380A000 + 0x24, "00000200000001fe", "catalog: totalNodes, freeNodes"},
                {0x380A000 + 8192 + 8192 - 14, "032c02f402d201ac009c007c000e", "catalog leaf: offsets"}});
    CHECK(hex(0x1B0 + 0x400, 80) == repeated("00", 80)); // startupFile
    for (std::uint64_t at = 0xA000; at < 0xA000 + (8_MiB).count; at += (1_MiB).count)
        CHECK(made.image.read(at, (1_MiB).count) == std::vector<std::byte>((1_MiB).count));
    CHECK(hex((1_GiB).count - 1024, 512) == hex(0x400, 512));

    const auto report = look_at(made.image.path(), 1_GiB, 512);
    REQUIRE(report.volumes.size() == 1);
    const InspectedVolume& volume = report.volumes[0];
    CHECK(volume.file_system == "hfs+j");
    CHECK(volume.label == "HFSTEST");
    CHECK(volume.problem.empty());
    CHECK(volume.usable == 4_KiB * 257013);
    tells(volume, {{"block_size", "4096"},
                   {"block_count", "262144"},
                   {"free_blocks", "257013"},
                   {"journaled", "yes"},
                   {"case_sensitive", "no"},
                   {"unmounted", "yes"},
                   {"inconsistent", "no"},
                   {"last_mounted_by", "10.0"},
                   {"version", "4"},
                   {"created", "2023-11-14 22:13:20"},
                   {"modified", "2023-11-14 22:13:20"},
                   {"checked", "2023-11-14 22:13:20"},
                   {"file_count", "2"},
                   {"folder_count", "0"},
                   {"next_allocation", "25610"},
                   {"next_catalog_id", "18"},
                   {"write_count", "0"},
                   {"data_clump_size", "65536"},
                   {"resource_clump_size", "65536"},
                   {"volume_uuid", "de53349f-21ad-3c08-9044-ae10cd9587d3"},
                   {"allocation_file_size", "32768"},
                   {"extents_file_size", "4194304"},
                   {"extents_file_start", "8429568"},
                   {"extents_clump_size", "4194304"},
                   {"extents_node_size", "4096"},
                   {"catalog_file_size", "4194304"},
                   {"catalog_file_start", "58761216"},
                   {"catalog_clump_size", "4194304"},
                   {"catalog_node_size", "8192"},
                   {"attributes_file_size", "4194304"},
                   {"attributes_file_start", "12623872"},
                   {"attributes_clump_size", "4194304"},
                   {"attributes_node_size", "8192"},
                   {"volume_name", "HFSTEST"},
                   {"journal_offset", "40960"},
                   {"journal_size", "8388608"},
                   {"journal_place", "in the volume"},
                   {"journal_initialised", "no"}});
}

TEST_CASE("ground truth: APFS of 1 GiB by mkapfs with a fixed clock agrees in bytes and values") {
    MEDIARIG_NEEDS("mkapfs", "apfsck", "faketime", "sha256sum", "env");
    const CheckedImage image(1_GiB);
    (void)said_by("env",
                  {"TZ=UTC", "faketime", "-f", "2023-11-14 22:13:20", "mkapfs", "-L", "APTEST", "-U",
                   "11111111-2222-3333-4444-555555555555", "-u", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", image.path()});
    if (image.hex(0x70, 8) != "0100000000000000" || image.hex(0x6C, 4) != "10170000")
        MEDIARIG_SKIP("known for apfsprogs 0+git20230206; this mkapfs lays its areas out in another way");
    CHECK(sha256(image.path()) == "01e824c0916f786bdb46965288528be08ae589d5d8e3006e1a9ca568ca2ff0ee");
    CHECK(run_checker("apfsck", {"-cuw", image.path()}).succeeded());

    const auto hex = [&](std::uint64_t at, std::uint64_t length) { return image.hex(at, length); };
    constexpr std::uint64_t block = 4096, space = 66 * block, volume_block = 20002 * block;
    CHECK(hex(0, block) == hex(2 * block, block));
    holds(hex, {{0x00, "5c86a4e650ce1068", "o_cksum"},
                {0x08, "01000000000000000100000000000000", "o_oid, o_xid"},
                {0x18, "01000080", "o_type"},
                {0x20, "4e585342", "magic"},
                {0x24, "00100000", "block_size"},
                {0x28, "0000040000000000", "block_count"},
                {0x40, "0200000000000000", "incompatible features"},
                {0x48, "11111111222233334444555555555555", "UUID"},
                {0x58, "6404000000000000", "next_oid"},
                {0x60, "0200000000000000", "next_xid"},
                {0x68, "4000000010170000", "descriptor and data blocks"},
                {0x70, "01000000000000004100000000000000", "descriptor and data base"},
                {0x80, "0200000004000000", "next"},
                {0x88, "00000000020000000000000004000000", "index and length of descriptor and data"},
                {0x98, "0004000000000000", "space manager"},
                {0xA0, "204e000000000000", "object map"},
                {0xA8, "0104000000000000", "reaper"},
                {0xB4, "02000000", "most file systems"},
                {0xB8, "0204000000000000", "first volume"},
                {block + 0x24, "04000000", "checkpoint map: entries"},
                {block + 0x28, "11000080", "first mapping: a reaper"},
                {block + 0x28 + 32, "4100000000000000", "at block 65"},
                {block + 0x50, "05000080", "second mapping: the space manager"},
                {block + 0x50 + 32, "4200000000000000", "at block 66"},
                {block + 0x78 + 32, "4300000000000000", "a queue at block 67"},
                {block + 0xA0 + 32, "4400000000000000", "a queue at block 68"},
                {space + 0x48, "7ce8030000000000", "free blocks"},
                {volume_block + 0x00, "65a41d9ef52ffbf8", "volume: o_cksum"},
                {volume_block + 0x20, "41505342", "volume: magic"},
                {volume_block + 0x28, "0200000000000000", "volume: features"},
                {volume_block + 0x38, "0100000000000000", "volume: incompatible features"},
                {volume_block + 0x58, "0500000000000000", "volume: allocated blocks"},
                {volume_block + 0x80, "234e000000000000", "volume: object map"},
                {volume_block + 0xF0, "aaaaaaaabbbbccccddddeeeeeeeeeeee", "volume: UUID"},
                {volume_block + 0x108, "0100000000000000", "volume: flags"},
                {volume_block + 0x110, "6d6b6170667320666f72206c696e75782c2076657273696f6e20302e31", "formatted by"},
                {volume_block + 0x130, "00002a36fe9c9717", "formatted at"},
                {volume_block + 0x2C0, "41505445535400", "volume: name"},
                {volume_block + 0x3C4, "0000", "volume: role"}});

    const InspectedVolume volume = image.only_volume();
    CHECK(volume.label == "APTEST");
    CHECK(volume.usable == 4_KiB * 256124);
    tells(volume, {{"block_size", "4096"},
                   {"block_count", "262144"},
                   {"container_uuid", "11111111-2222-3333-4444-555555555555"},
                   {"checkpoint_transaction", "1"},
                   {"block_zero_is_live", "yes"},
                   {"descriptor_blocks", "64"},
                   {"data_blocks", "5904"},
                   {"features", "0x0"},
                   {"incompatible_features", "0x2"},
                   {"most_volumes", "2"},
                   {"volumes", "1"},
                   {"free_blocks", "256124"},
                   {"volume_name", "APTEST"},
                   {"volume_uuid", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"},
                   {"volume_case_sensitive", "no"},
                   {"volume_encrypted", "no"},
                   {"volume_formatted_by", "mkapfs for linux, version 0.1"},
                   {"volume_files", "0"},
                   {"volume_snapshots", "0"},
                   {"volume_allocated_blocks", "5"},
                   {"volume_reserve_blocks", "0"},
                   {"volume_quota_blocks", "0"}});
}
