// SPDX-License-Identifier: GPL-3.0-or-later
/// exFAT, FAT and partition tables: each checked field is damaged alone.
#include "host/base/process/run_process.hpp"
#include "host/media/inspect/exfat.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr std::uint64_t sector = 512;

Image exfat() {
    return image_from_hex("exfat_1gib.hex", 1_GiB);
}
constexpr std::uint64_t fat = 0x100000, bitmap = 0x200000, table = 0x208000, root = 0x210000;

/// Corrects the boot checksum, and copies the whole region into the backup.
void mend_exfat(Image& image, const Damage& damage) {
    if (damage.offset >= 11 * sector) return;
    const std::uint32_t sum = exfat_boot_checksum(image.read(0, 11 * sector));
    for (std::size_t at = 11 * sector; at < 12 * sector; at += 4) image.write(at, le32(sum));
    image.write(12 * sector, image.read(0, 12 * sector));
}
void leave_it(Image&, const Damage&) {}

/// The first 2 MiB of a FAT32 by mkfs.fat, copied for each damage. Empty if mkfs.fat is missing.
std::vector<std::byte> made_by_mkfs_fat() {
    const Image image(64_MiB);
    const auto made = process::run_process(
        {.program = "mkfs.fat", .arguments = {"-F", "32", "-s", "1", "-n", "HEALTHY", image.path()}});
    if (!made || !made->succeeded()) return {};
    return image.read(0, 2 << 20);
}

std::vector<std::byte> made_by_sgdisk() {
    const Image image(64_MiB);
    const auto made = process::run_process(
        {.program = "sgdisk", .arguments = {"-n", "1:2048:+4M", "-n", "2:16384:+4M", "-c", "1:first", image.path()}});
    if (!made || !made->succeeded()) return {};
    return image.read(0, (64_MiB).count);
}

void new_checksum_of_header(Image& image, std::uint64_t at) {
    image.write(at + 0x10, le32(0));
    image.write(at + 0x10, le32(crc32(image.read(at, 92))));
}

} // namespace

TEST_CASE("damage: the report names each damaged field of exFAT's main boot sector with its offset") {
    const std::vector<Damage> damages{
        {"JumpBoot", 0, 0, {0xEB, 0x58, 0x90}},
        {"MustBeZero", 0, 11, {2}},
        {"PartitionOffset", 0, 64, {0, 0, 0, 0, 0, 0, 0, 0x80}},
        {"VolumeLength", 0, 72, le64(2047)},
        {"VolumeLength", 0, 72, le64(1ULL << 40)},
        {"FatOffset", 0, 80, le32(23)},
        {"FatLength", 0, 84, le32(255)},
        {"ClusterHeapOffset", 0, 88, le32(2303)},
        {"ClusterCount", 0, 92, le32(32705)},
        {"FirstClusterOfRootDirectory", 0, 96, le32(1)},
        {"FileSystemRevision", 0, 105, {0}},
        {"ActiveFat of VolumeFlags", 0, 106, {1}},
        {"BytesPerSectorShift", 0, 108, {13}},
        {"SectorsPerClusterShift", 0, 109, {17}},
        {"NumberOfFats", 0, 110, {3}},
        {"NumberOfFats is 2, and there is one allocation bitmap", root, 110, {2}},
        {"PercentInUse", 0, 112, {101}},
        {"BootSignature", 0, 510, {0}},
        {"ExtendedBootSignature of sector 3", 0, 4 * sector - 1, {0}},
    };
    is_named_each_time(exfat, damages, mend_exfat);
}

TEST_CASE("damage: the report names faults of the other exFAT structures with their offsets") {
    const std::vector<Damage> damages{
        {"BootChecksum", 0, 100, {0x79}}, // the checksum is not corrected
        {"BootChecksum", 0, 11 * sector + 508, le32(1)},
        {"differs from the main one at its byte 100 (VolumeSerialNumber)", 6144, 6144 + 100, {0}},
        {"differs from the main one at its byte 81 (FatOffset)", 6144, 6144 + 80, le32(0xFF00)},
        {"FatEntry[0]", fat, fat, {0xF0}},
        {"FatEntry[1]", fat, fat + 4, le32(0)},
        {"FatEntry[4]", fat + 16, fat + 16, le32(0)},
        {"no allocation bitmap", root, root + 32, {0x01}},
        {"allocation bitmap: cluster 1", root, root + 52, le32(1)},
        {"allocation bitmap: cluster 2, 4087 bytes", root, root + 56, le64(4087)},
        {"no up-case table", root, root + 64, {0x02}},
        {"up-case table: cluster 3, 131073 bytes", root, root + 88, le64(131073)},
        {"TableChecksum", table, root + 68, le32(1)},
        {"TableChecksum", table, table + 100, {0xEE, 0xEE}},
        {"volume label of 12 characters", root, root + 1, {12}},
        {"cluster 2 of the allocation bitmap is marked free", bitmap, bitmap, {0x06}},
        {"cluster 3 of the up-case table is marked free", bitmap, bitmap, {0x05}},
        {"cluster 4 of the root directory is marked free", bitmap, bitmap, {0x03}},
        {"SetChecksum", root + 96, root + 96, {0xA0, 0, 1, 0, 0, 0, 7}},
    };
    is_named_each_time(exfat, damages, leave_it);
}

TEST_CASE("damage: changes of the variable fields of a valid exFAT volume cause no fault") {
    const std::vector<Damage> changes{
        {"VolumeFlags of the backup", 0, 6144 + 106, {0x06}},
        {"PercentInUse of the backup", 0, 6144 + 112, {77}},
        {"VolumeFlags: dirty, without a new checksum", 0, 106, {2}},
        {"PercentInUse: stale", 0, 112, {55}},
        {"PercentInUse: unknown", 0, 112, {0xFF}},
        {"a bad cluster", 0, fat + 4 * 1000, le32(0xFFFFFFF7)},
        {"a used cluster", 0, bitmap + 100, {0xFF}},
        {"an unused volume label", 0, root, {0x03}},
    };
    is_not_noticed_once(exfat, changes, leave_it);
    is_not_noticed_once(exfat, {{"VolumeSerialNumber", 0, 100, {0}}, {"BootCode", 0, 200, {0xF4}}}, mend_exfat);
    Image image = exfat();
    image.write(fat + 4 * 1000, le32(0xFFFFFFF7));
    const auto report = inspect(image.descriptor(), image.size(), 512);
    CHECK(parameter(report->volumes.at(0), "bad_clusters") == "1");
}

TEST_CASE("damage: the report names each damaged field of FAT32's boot sector and FSInfo with its offset") {
    const auto head = made_by_mkfs_fat();
    if (head.empty()) MEDIARIG_SKIP("no mkfs.fat");
    const auto healthy = [&head] {
        Image image(64_MiB);
        image.write(0, head);
        return image;
    };
    const auto copy_boot_sector = [](Image& image, const Damage& damage) {
        if (damage.offset < sector) image.write(6 * sector, image.read(0, sector));
    };
    const std::uint64_t reserved = 32 * sector;
    const std::vector<Damage> damages{
        {"BPB_ExtFlags", 0, 0x28, {0x85}},
        {"BPB_FSVer", 0, 0x2A, {1}},
        {"BPB_RootClus", 0, 0x2C, le32(0x0FFFFFF0)},
        {"BPB_FSInfo", 0, 0x30, {0x90, 0x01}},
        {"BPB_BkBootSec", 0, 0x32, {0x90, 0x01}},
        {"BPB_TotSec", 0, 0x20, le32(131172)},
        {"differs from the main one at its byte 71", 6 * sector, 6 * sector + 0x47, {'X'}},
        {"FSI_LeadSig", sector, sector, {0}},
        {"FSI_StrucSig", sector, sector + 0x1E4, {0}},
        {"FSI_TrailSig", sector, sector + 0x1FE, {0}},
        {"FSI_Free_Count", sector, sector + 0x1E8, le32(0x0FFFFFF0)},
        {"FSI_Nxt_Free", sector, sector + 0x1EC, le32(0x0FFFFFF0)},
        {"FAT[0]", reserved, reserved, {0xF0}},
        {"FAT copy", reserved + 1009 * sector, reserved + 40, le32(7)},
    };
    is_named_each_time(healthy, damages, copy_boot_sector);
    const std::vector<Damage> changes{
        {"BS_Reserved1: mounted", 0, 0x41, {1}},
        {"FSI_Free_Count: unknown", 0, sector + 0x1E8, le32(0xFFFFFFFF)},
        {"FSI_Free_Count: stale", 0, sector + 0x1E8, le32(5)},
        {"FAT[1] of the first FAT: dirty", 0, reserved + 4, {0xFF, 0xFF, 0xFF, 0x07}},
    };
    is_not_noticed_once(healthy, changes, leave_it);
}

TEST_CASE("damage: the report names each damaged field of a GPT header, and the backup gives the partitions") {
    const auto made = made_by_sgdisk();
    if (made.empty()) MEDIARIG_SKIP("no sgdisk");
    const auto healthy = [&made] {
        Image image(64_MiB);
        image.write(0, made);
        return image;
    };
    const std::uint64_t last = (64 << 20) - sector;
    const auto mend = [&](Image& image, const Damage& damage) {
        if (damage.offset >= sector && damage.offset < 2 * sector && damage.offset != sector + 0x10)
            new_checksum_of_header(image, sector);
        if (damage.offset >= last && damage.offset != last + 0x10) new_checksum_of_header(image, last);
    };
    const std::vector<Damage> damages{
        {"Signature", sector, sector, {'X'}},
        {"Revision", sector, sector + 8, {1}},
        {"HeaderSize", sector, sector + 0x0C, le32(91)},
        {"HeaderCRC32", sector, sector + 0x10, le32(0)},
        {"Reserved", sector, sector + 0x14, {1}},
        {"MyLBA", sector, sector + 0x18, le64(2)},
        {"FirstUsableLBA and LastUsableLBA", sector, sector + 0x28, le64(1ULL << 40)},
        {"PartitionEntryLBA", sector, sector + 0x48, le64(1ULL << 40)},
        {"NumberOfPartitionEntries", sector, sector + 0x50, le32(1025)},
        {"SizeOfPartitionEntry", sector, sector + 0x54, le32(96)},
        {"PartitionEntryArrayCRC32", sector, sector + 0x58, le32(1)},
        {"PartitionEntryArrayCRC32", sector, 2 * sector + 32, {1}},
        {"backup: GPT header in sector 131071", last, last + 0x10, le32(0)},
        {"MyLBA", last, last + 0x18, le64(2)},
    };
    is_named_each_time(healthy, damages, mend);

    const auto sentence_after = [&](std::uint64_t offset, const std::vector<int>& bytes) {
        Image image = healthy();
        const Damage damage{"", 0, offset, bytes};
        image.write(offset, bytes);
        if (offset >= 2 * sector && offset < 34 * sector) {
            image.write(sector + 0x58, le32(crc32(image.read(2 * sector, 32 * sector))));
            new_checksum_of_header(image, sector);
        }
        mend(image, damage);
        return complaints(image);
    };
    CHECK_THAT(sentence_after(sector + 0x20, le64(99)),
               StartsWith("AlternateLBA: the backup GPT must be in sector 99, the last sector is 131071"));
    CHECK_THAT(sentence_after(sector + 0x38, {0xFF}),
               StartsWith("DiskGUID of the backup GPT in sector 131071 differs from that of sector 1"));
    CHECK_THAT(sentence_after(last + 0x28, le64(35)), StartsWith("FirstUsableLBA of the backup GPT in sector 131071"));
    CHECK_THAT(sentence_after(last + 0x30, le64(35)), StartsWith("LastUsableLBA of the backup GPT in sector 131071"));
    CHECK_THAT(sentence_after(last + 0x20, le64(35)), StartsWith("AlternateLBA of the backup GPT in sector 131071"));
    CHECK_THAT(sentence_after(2 * sector + 128 + 48, {4}),
               StartsWith("entry 2 of the backup GPT in sector 131071 differs from that of sector 1"));
    CHECK_THAT(sentence_after(2 * sector + 32, le64(9000)), ContainsSubstring("entry 1"));
    CHECK_THAT(sentence_after(2 * sector + 32, le64(30)),
               ContainsSubstring("StartingLBA 30 is below FirstUsableLBA 34"));
    CHECK_THAT(sentence_after(2 * sector + 128 + 40, le64(131040)),
               ContainsSubstring("EndingLBA 131040 is above LastUsableLBA 131038"));
    CHECK_THAT(sentence_after(2 * sector + 128 + 32, le64(4096)),
               ContainsSubstring("the partition overlaps the partition at byte 1048576"));
    CHECK_THAT(sentence_after(510, {0}), ContainsSubstring("no protective MBR: BootSignature"));
    CHECK_THAT(sentence_after(446 + 8, le32(2)), ContainsSubstring("protective MBR: StartingLBA of entry 1 is 2"));
}

TEST_CASE("damage: an image restored to a larger medium and an image without its first sectors are recognised") {
    const auto made = made_by_sgdisk();
    if (made.empty()) MEDIARIG_SKIP("no sgdisk");
    Image larger(128_MiB);
    larger.write(0, made);
    const auto report = inspect(larger.descriptor(), larger.size(), 512);
    REQUIRE(reason(report) == "success");
    CHECK_THAT(report->problem,
               ContainsSubstring("the backup GPT must be in sector 131071, the last sector is 262143"));
    CHECK(report->volumes.size() == 2);
    CHECK(report->volumes.at(1).parameters.front() == std::pair<std::string, std::string>{"partition_number", "2"});
    bool told = false;
    for (const auto& [name, value] : report->parameters) told = told || (name == "backup_at_end" && value == "no");
    CHECK(told);
}
