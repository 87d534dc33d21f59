// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the selection of the volume and of its kernel node, without a device.
#include <filesystem>
#include <fstream>

#include "host/media/format/partition/linux/kernel_partition.hpp"
#include "host/media/format/partition/volume_choice.hpp"
#include "tests/catch.hpp"
#include "tests/media/format/format_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
namespace fs = std::filesystem;

namespace {

constexpr const char* efi_type = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b";

InspectedVolume volume(Bytes start, Bytes length, const std::string& file_system, const std::string& type = {},
                       const std::string& number = {}) {
    InspectedVolume made{.start = start, .length = length, .file_system = file_system};
    if (!type.empty()) made.parameters.emplace_back("partition_type", type);
    if (!number.empty()) made.parameters.emplace_back("partition_number", number);
    return made;
}

InspectReport report(const std::string& scheme, std::vector<InspectedVolume> volumes) {
    return {.size = 1_GiB, .scheme = scheme, .volumes = std::move(volumes)};
}

/// A disk's folder in sysfs with two partitions.
class FakeSysfs {
public:
    FakeSysfs() {
        write("size", "2097152\n");
        fs::create_directories(path_ / "queue");
        partition("sdb1", "1", "2048", "131072", "8:17");
        partition("sdb2", "2", "133120", "1964032", "8:18");
    }
    void partition(const std::string& name, const std::string& number, const std::string& start,
                   const std::string& size, const std::string& dev) {
        fs::create_directories(path_ / name);
        write(name + "/partition", number + "\n");
        write(name + "/start", start + "\n");
        write(name + "/size", size + "\n");
        write(name + "/dev", dev + "\n");
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(path_ / name) << text; }
    void remove(const std::string& name) { fs::remove(path_ / name); }
    [[nodiscard]] std::string path() const { return path_; }

private:
    test::ToolFolder folder_;
    fs::path path_{folder_.path()};
};

} // namespace

TEST_CASE("the only volume of a medium needs no number") {
    const auto found = choose_volume(report("none", {volume({}, 1_GiB, "exfat")}), {.fs = FileSystem::exfat}, "card");
    REQUIRE(reason(found) == "success");
    CHECK(found->fs == FileSystem::exfat);
    CHECK(found->span == VolumeSpan{.start = {}, .length = 1_GiB, .partition = 0});
    CHECK(name_of(found->span) == "the whole medium");
    CHECK(reason(choose_volume(report("none", {volume({}, 1_GiB, "exfat")}), {.partition = 1}, "card")) ==
          "card has no partition 1 (exfat): leave the number out, or name an existing partition");
}

TEST_CASE("the first suitable partition is used, and further suitable partitions are counted") {
    const auto found = report("mbr", {volume(1_MiB, 1_MiB, "", "0x83"), volume(2_MiB, 4_MiB, "ntfs", "0x07"),
                                      volume(8_MiB, 64_MiB, "hfs+j", "0xaf"), volume(96_MiB, 64_MiB, "fat32", "0x0c")});
    const auto first = choose_volume(found, {}, "card");
    REQUIRE(reason(first) == "success");
    CHECK(first->fs == FileSystem::hfs_plus_journaled);
    CHECK(first->span == VolumeSpan{.start = 8_MiB, .length = 64_MiB, .partition = 3});
    CHECK(first->passed_over == 1);
    CHECK(name_of(first->span) == "partition 3");
    // The request uses blkid's name: the driver is the same with or without a journal.
    CHECK(choose_volume(found, {.fs = FileSystem::hfs_plus}, "card")->span.partition == 3);
    CHECK(choose_volume(found, {.fs = FileSystem::hfs_plus}, "card")->passed_over == 0);
    CHECK(choose_volume(found, {.partition = 4}, "card")->fs == FileSystem::fat32);
    CHECK(reason(choose_volume(found, {.fs = FileSystem::apfs}, "card")) ==
          "card holds no APFS (partition 1: nothing known, 2: ntfs, 3: hfs+j, 4: fat32): make one with mediarig "
          "format, or measure the bare device (--raw)");
}

TEST_CASE("a volume in an overlapping partition is refused, whichever partition is requested") {
    const auto found = report("mbr", {volume(1_MiB, 127_MiB, "exfat", "0x07"), volume(64_MiB, 32_MiB, "fat32", "0x0c"),
                                      volume(128_MiB, 32_MiB, "fat32", "0x0c")});
    for (const std::uint32_t number : {1U, 2U}) {
        const auto refused = choose_volume(found, {.partition = number}, "card");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::refused);
        CHECK_THAT(refused.error().detail, ContainsSubstring("of card overlap: a write to one"));
    }
    CHECK(choose_volume(found, {.partition = 3}, "card"));
}

TEST_CASE("the partition number is that of the table, not the position in the list") {
    const auto found = report("gpt", {volume(1_MiB, 64_MiB, "exfat", "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "7")});
    CHECK(choose_volume(found, {}, "card")->span.partition == 7);
    CHECK(choose_volume(found, {.partition = 7}, "card")->span.start == 1_MiB);
    CHECK_FALSE(choose_volume(found, {.partition = 1}, "card"));
}

TEST_CASE("an EFI system partition is used only if its number is given") {
    const auto mac = report("gpt", {volume(20_KiB, 200_MiB, "fat32", efi_type), volume(201_MiB, 1_GiB, "apfs")});
    CHECK(choose_volume(mac, {}, "card")->fs == FileSystem::apfs);
    CHECK(choose_volume(mac, {}, "card")->passed_over == 0);
    CHECK(choose_volume(mac, {.partition = 1}, "card")->fs == FileSystem::fat32);
    CHECK(reason(choose_volume(mac, {.fs = FileSystem::fat32}, "card")) ==
          "card holds no FAT32 (partition 1: fat32 (EFI system partition), 2: apfs): mount it and measure its folder, "
          "or erase it with mediarig format or --raw");
    const auto mbr = report("mbr", {volume(1_MiB, 200_MiB, "fat16", "0xef")});
    CHECK_FALSE(choose_volume(mbr, {}, "card"));
}

TEST_CASE("the error for a medium without a volume lists its contents") {
    CHECK(reason(choose_volume(report("none", {}), {}, "card")) ==
          "card holds no file system that mediarig can mount (nothing known): make one with mediarig format, or "
          "measure the bare device (--raw)");
    CHECK(reason(choose_volume(report("gpt", {}), {}, "card")) ==
          "card holds no file system that mediarig can mount (a table without partitions): make one with mediarig "
          "format, or measure the bare device (--raw)");
}

TEST_CASE("the kernel's node of a partition is found by start and length in units of 512 bytes") {
    const FakeSysfs disk;
    const auto first = kernel_partition(disk.path(), 1_MiB, 64_MiB);
    REQUIRE(reason(first) == "success");
    CHECK(*first == KernelPartition{.name = "sdb1", .number = {8, 17}});
    CHECK((**kernel_partition(disk.path(), 65_MiB, 959_MiB)).number == DeviceNumber{8, 18});
    CHECK_FALSE(*kernel_partition(disk.path(), 1_MiB, 63_MiB));
    CHECK_FALSE(*kernel_partition(disk.path(), 2_MiB, 64_MiB));
    CHECK_FALSE(*kernel_partition(disk.path() + "/absent", 1_MiB, 64_MiB));
}

TEST_CASE("an unreadable sysfs entry of a partition is an error, but a missing entry is not") {
    FakeSysfs disk;
    disk.remove("sdb1/start");
    CHECK_FALSE(*kernel_partition(disk.path(), 1_MiB, 64_MiB));
    disk.write("sdb2/dev", "8-18\n");
    CHECK(reason(kernel_partition(disk.path(), 65_MiB, 959_MiB)) ==
          disk.path() + "/sdb2/dev holds no device number: '8-18'");
    disk.write("sdb2/start", "many\n");
    CHECK(reason(kernel_partition(disk.path(), 65_MiB, 959_MiB)) ==
          disk.path() + "/sdb2/start holds no number: 'many'");
}
