// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which signatures are valid and which are stale on media that contain remains of former formats.
#include "host/base/process/run_process.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

InspectReport look_over(const Image& image) {
    auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    return *report;
}

/// An MBR with one entry of type 0x83 from 1 MiB on.
void put_mbr(Image& image, std::uint32_t sectors) {
    image.write(446, {0x00, 0x20, 0x21, 0x00, 0x83, 0xFE, 0xFF, 0xFF, 0x00, 0x08, 0x00, 0x00});
    image.write(458, le32(sectors));
    image.write(510, std::vector<int>{0x55, 0xAA});
}

struct Former {
    const char* file_system; ///< name of the file system on the bare medium
    const char* left_behind;
    std::uint64_t structure; ///< offset of the structure from the start of the volume
    std::uint64_t at;        ///< offset of the signature
    std::vector<std::byte> bytes;
};

std::vector<std::byte> ext4_superblock() {
    std::vector<std::byte> ext(1024);
    ext[0] = ext[4] = std::byte{1};
    ext[0x38] = std::byte{0x53};
    ext[0x39] = std::byte{0xEF};
    ext[0x60] = std::byte{0x40};
    return ext;
}

std::vector<std::byte> md_superblock() {
    return bytes_of(std::string_view("\xFC\x4E\x2B\xA9\x01\0\0\0", 8));
}
std::vector<std::byte> hfs_header(std::string_view embedded) {
    std::vector<std::byte> header = bytes_of("BD");
    header.resize(512);
    header[0x13] = std::byte{1};
    header[0x16] = std::byte{2};
    std::ranges::copy(bytes_of(embedded), header.begin() + 0x7C);
    return header;
}
std::vector<std::byte> core_storage_header() {
    std::vector<std::byte> header(512);
    header[8] = std::byte{1};     // version
    header[10] = std::byte{0x10}; // block type
    header[75] = std::byte{1};    // size of the physical volume
    std::ranges::copy(bytes_of("CS"), header.begin() + 88);
    return header;
}

std::vector<Former> formers() {
    return {{"luks", "LUKS header", 0, 0, bytes_of("LUKS\xBA\xBE")},
            {"bitlocker", "BitLocker boot sector", 0, 3, bytes_of("-FVE-FS-")},
            {"refs", "ReFS boot sector", 0, 3, bytes_of(std::string_view("ReFS\0\0\0\0", 8))},
            {"xfs", "XFS superblock", 0, 0, bytes_of("XFSB")},
            {"f2fs", "F2FS superblock", 1024, 1024, bytes_of("\x10\x20\xF5\xF2")},
            {"lvm", "LVM label", 512, 512, bytes_of("LABELONE")},
            {"swap", "swap header", 0, 4086, bytes_of("SWAPSPACE2")},
            {"swap", "swap header", 0, 16374, bytes_of("SWAPSPACE2")},
            {"btrfs", "btrfs superblock", 0x10000, 0x10040, bytes_of("_BHRfS_M")},
            {"iso9660", "ISO 9660 descriptor", 32768, 32769, bytes_of("CD001")},
            {"udf", "UDF descriptor", 32768 + 4096, 32769 + 4096, bytes_of("NSR03")},
            {"md_raid", "MD RAID superblock", 4096, 4096, md_superblock()},
            {"hfs", "HFS volume header", 1024, 1024, hfs_header("")},
            {"hfs_wrapper", "HFS volume header", 1024, 1024, hfs_header("H+")},
            {"core_storage", "Core Storage header", 0, 0, core_storage_header()},
            {"ext4", "ext superblock", 1024, 1024, ext4_superblock()}};
}

} // namespace

TEST_CASE("an MBR with a partition on the medium takes precedence over former formats") {
    for (const Former& former : formers()) {
        INFO(former.file_system);
        Image image(8_MiB);
        image.write(former.at, former.bytes);
        REQUIRE(look_over(image).volumes.at(0).file_system == former.file_system);

        put_mbr(image, 2048);
        const InspectReport report = look_over(image);
        CHECK(report.scheme == "mbr");
        CHECK(report.problem.empty());
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].start == 1_MiB);
        CHECK(report.stale_signatures ==
              std::vector<StaleSignature>{{.what = former.left_behind, .at = {former.structure}}});
    }
}

TEST_CASE("an HFS+ header or APFS superblock on a medium with an MBR is stale") {
    Image hfs = image_from_hex("hfsplus_64mib.hex", 64_MiB);
    put_mbr(hfs, 2048);
    CHECK(look_over(hfs).scheme == "mbr");
    CHECK(look_over(hfs).stale_signatures ==
          std::vector<StaleSignature>{{.what = "HFS+ volume header", .at = 1_KiB},
                                      {.what = "alternate HFS+ volume header", .at = 64_MiB - 1_KiB}});
    Image apfs = image_from_hex("apfs_1gib.hex", 1_GiB);
    put_mbr(apfs, 2048);
    CHECK(look_over(apfs).scheme == "mbr");
    CHECK(look_over(apfs).stale_signatures ==
          std::vector<StaleSignature>{{.what = "APFS container superblock", .at = 0_B}});
}

TEST_CASE("an MBR with all partitions beyond the medium is ignored") {
    for (const Former& former : formers()) {
        INFO(former.file_system);
        Image image(8_MiB);
        image.write(former.at, former.bytes);
        put_mbr(image, 1 << 20);
        const InspectReport report = look_over(image);
        CHECK(report.scheme == "none");
        CHECK(report.volumes.at(0).file_system == former.file_system);
        CHECK(report.stale_signatures.empty());
    }
}

TEST_CASE("a stick with a Linux image is a GPT medium after it was repartitioned by sgdisk") {
    Image image(64_MiB);
    image.write(32769, bytes_of("CD001"));
    image.write(0x10040, bytes_of("_BHRfS_M"));
    image.write(3, bytes_of("-FVE-FS-"));
    const auto made = process::run_process({.program = "sgdisk", .arguments = {"-n", "1:2048:+4M", image.path()}});
    if (!made || !made->succeeded()) MEDIARIG_SKIP("no sgdisk");
    const InspectReport report = look_over(image);
    CHECK(report.scheme == "gpt");
    CHECK(report.problem.empty());
    REQUIRE(report.volumes.size() == 1);
    CHECK(report.volumes[0].problem.empty());
    CHECK(report.stale_signatures == std::vector<StaleSignature>{{.what = "BitLocker boot sector", .at = 0_B},
                                                                 {.what = "ISO 9660 descriptor", .at = 32_KiB},
                                                                 {.what = "btrfs superblock", .at = 64_KiB}});
}

TEST_CASE("a boot sector of FAT or exFAT takes precedence over an interpretation as an MBR") {
    Image exfat = image_from_hex("exfat_1gib.hex", 1_GiB);
    put_mbr(exfat, 2048);
    CHECK(look_over(exfat).scheme == "none");
    CHECK(look_over(exfat).volumes.at(0).file_system == "exfat");

    Image fat(64_MiB);
    const auto made = process::run_process({.program = "mkfs.fat", .arguments = {"-F", "16", fat.path()}});
    if (!made) MEDIARIG_SKIP(made.error().detail);
    put_mbr(fat, 2048);
    CHECK(look_over(fat).scheme == "none");
    CHECK(look_over(fat).volumes.at(0).file_system == "fat16");
}

TEST_CASE("a FAT boot sector that remains in sector 0 with a table of sgdisk is stale") {
    Image image(64_MiB);
    auto made = process::run_process({.program = "mkfs.fat", .arguments = {"-F", "16", image.path()}});
    if (!made) MEDIARIG_SKIP(made.error().detail);
    made = process::run_process({.program = "sgdisk", .arguments = {"-g", "-n", "1:2048:+4M", image.path()}});
    if (!made || !made->succeeded()) MEDIARIG_SKIP("no sgdisk");
    const InspectReport report = look_over(image);
    CHECK(report.scheme == "gpt");
    CHECK(report.volumes.at(0).start == 1_MiB);
    CHECK(report.stale_signatures == std::vector<StaleSignature>{{.what = "FAT boot sector", .at = 0_B}});
}

TEST_CASE("signatures of former formats are found at the usual partition starts") {
    for (const Former& former : formers()) {
        INFO(former.file_system);
        Image image(64_MiB);
        image.write((4_MiB).count + former.at, former.bytes); // usual start on SDHC cards
        CHECK(look_over(image).stale_signatures ==
              std::vector<StaleSignature>{{.what = former.left_behind, .at = 4_MiB + Bytes{former.structure}}});
    }
    // Bare exFAT was written over a former Linux image, which other systems may still mount.
    Image exfat = image_from_hex("exfat_1gib.hex", 1_GiB);
    exfat.write(32769, bytes_of("CD001"));
    CHECK(look_over(exfat).volumes.at(0).file_system == "exfat");
    CHECK(look_over(exfat).stale_signatures ==
          std::vector<StaleSignature>{{.what = "ISO 9660 descriptor", .at = 32_KiB, .in_volume = true}});
}
