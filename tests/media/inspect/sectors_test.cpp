// SPDX-License-Identifier: GPL-3.0-or-later
/// Media with sectors of 4096 bytes, made by the usual tools, and the amount of data read from large media.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "host/base/process/run_process.hpp"
#include "host/media/format/hfsplus/encode.hpp"
#include "host/media/format/hfsplus/layout.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

/// Runs a tool. Returns false if the tool is missing, which ends the test.
[[nodiscard]] bool make(const std::string& program, std::vector<std::string> arguments) {
    const auto made = process::run_process({.program = program, .arguments = std::move(arguments)});
    if (!made) {
        std::cout << "SKIPPED: " << made.error().detail << '\n';
        return false;
    }
    INFO(program << ": " << made->err);
    REQUIRE(made->succeeded());
    return true;
}

void put_hfs_plus(Image& image, Bytes at, Bytes size, Bytes sector) {
    const auto layout = hfsplus::plan_volume(
        size, sector,
        {.name = u"Inner", .created = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000)), .volume_id = 7});
    REQUIRE(reason(layout) == "success");
    std::vector<hfsplus::Piece> pieces = hfsplus::structures(*layout);
    std::ranges::move(hfsplus::volume_headers(*layout), std::back_inserter(pieces));
    for (const hfsplus::Piece& piece : pieces) image.write((at + piece.offset).count, piece.bytes);
}

void copy(Image& to, Bytes at, const Image& from, Bytes begin, Bytes length) {
    to.write((at + begin).count, from.read(begin.count, length.count));
}

InspectReport look(const Image& image, std::uint32_t sector) {
    auto report = inspect(image.descriptor(), image.size(), sector);
    REQUIRE(reason(report) == "success");
    return *report;
}

std::string told(const InspectReport& report, std::string_view name) {
    for (const auto& [key, value] : report.parameters)
        if (key == name) return value;
    return "(none)";
}

} // namespace

TEST_CASE("sectors of 4096 bytes: exFAT made by mkfs.exfat on such a device is read") {
    if (!may_make_loops()) MEDIARIG_SKIP("no right to make loop devices");
    const LoopMedium medium(256_MiB, 4096);
    if (!make("mkfs.exfat", {"-L", "LARGE", medium.node()})) return;
    const int fd = ::open(medium.node().c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    const auto report = inspect(fd, 256_MiB, 4096);
    ::close(fd);
    REQUIRE(reason(report) == "success");
    REQUIRE(report->volumes.size() == 1);
    const InspectedVolume& volume = report->volumes[0];
    CHECK(volume.problem.empty());
    CHECK(volume.label == "LARGE");
    CHECK(parameter(volume, "sector_size") == "4096");
    CHECK(parameter(volume, "fat_entry_0") == "0xfffffff8");
    CHECK(report->stale_signatures.empty());
    for (const FieldLocation& place : volume.places)
        if (place.name == "boot_checksum") CHECK(place.at == Bytes{11 * 4096});
}

TEST_CASE("sectors of 4096 bytes: FAT made by mkfs.fat is read on a medium with either sector size") {
    const Image image(1_GiB);
    if (!make("mkfs.fat", {"-F", "32", "-S", "4096", "-n", "LARGE", image.path()})) return;
    for (const std::uint32_t sector : {512u, 4096u}) {
        const InspectReport report = look(image, sector);
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].file_system == "fat32");
        CHECK(report.volumes[0].problem.empty());
        CHECK(parameter(report.volumes[0], "sector_size") == "4096");
        CHECK(parameter(report.volumes[0], "info_sector") == "1");
        CHECK(parameter(report.volumes[0], "free_clusters") == parameter(report.volumes[0], "free_clusters_hint"));
    }
}

TEST_CASE("sectors of 4096 bytes: a GPT made on such a device with HFS+ and APFS is read") {
    if (!may_make_loops()) MEDIARIG_SKIP("no right to make loop devices");
    const Bytes size = 2_GiB, first = 1_MiB, second = 513_MiB;
    Image image(size);
    {
        const LoopMedium medium(size, 4096);
        if (!make("sgdisk", {"-n", "1:256:+512M", "-t", "1:af00", "-n", "2:131328:+1G", "-t", "2:af0a", medium.node()}))
            return;
        const std::string head = medium.read(0, 64 * 1024);
        const std::string tail = medium.read((size - 64_KiB).count, 64 * 1024);
        image.write(0, std::as_bytes(std::span(head)));
        image.write((size - 64_KiB).count, std::as_bytes(std::span(tail)));
    }
    put_hfs_plus(image, first, 512_MiB, 4_KiB);
    const Image apfs = image_from_hex("apfs_1gib.hex", 1_GiB);
    for (const std::uint64_t block : {0u, 1u, 2u, 66u, 20000u, 20001u, 20002u, 20003u, 20004u})
        copy(image, second, apfs, Bytes{block * 4096}, 4_KiB);

    InspectReport report = look(image, 4096);
    CHECK(report.problem.empty());
    CHECK(report.scheme == "gpt");
    CHECK(told(report, "table_sector_size") == "4096");
    CHECK(told(report, "backup_at_end") == "yes");
    REQUIRE(report.volumes.size() == 2);
    CHECK(report.volumes[0].start == first);
    CHECK(report.volumes[0].file_system == "hfs+j");
    CHECK(report.volumes[0].label == "Inner");
    CHECK(report.volumes[0].problem.empty());
    CHECK(report.volumes[1].start == second);
    CHECK(report.volumes[1].file_system == "apfs");
    CHECK(report.volumes[1].label == "APTEST");
    CHECK(report.volumes[1].problem.empty());

    // View of the same medium through a card reader with sectors of 512 bytes.
    report = look(image, 512);
    CHECK(report.problem == "the GPT at byte 4096 counts in sectors of 4096 bytes, the medium in 512");
    REQUIRE(report.volumes.size() == 2);
    CHECK(report.volumes[0].start == first);
    CHECK(report.volumes[1].label == "APTEST");
}

TEST_CASE("sectors of 4096 bytes: a GPT made for 512-byte sectors is read on such a medium") {
    const Image image(64_MiB);
    if (!make("sgdisk", {"-n", "1:2048:+8M", image.path()})) return;
    const InspectReport report = look(image, 4096);
    CHECK_THAT(report.problem, StartsWith("the GPT at byte 512 counts in sectors of 512 bytes, the medium in 4096"));
    CHECK(report.volumes.size() == 1);
}

TEST_CASE("inspection reads less than 64 MiB of a medium of 1 TiB, whatever its contents") {
    const Bytes size = 1024_GiB;
    const auto reads_little = [](const Image& image, const char* file_system) {
        const InspectReport report = look(image, 512);
        INFO(file_system << ": " << report.read.count << " bytes read");
        CHECK(report.read <= 64_MiB);
        CHECK(report.unread.empty());
        REQUIRE_FALSE(report.volumes.empty());
        CHECK(report.volumes[0].file_system == file_system);
        for (const InspectedVolume& volume : report.volumes) CHECK(volume.problem.empty());
    };
    {
        const Image image(size);
        if (!make("mkfs.exfat", {image.path()})) return;
        reads_little(image, "exfat");
    }
    {
        const Image image(size);
        if (!make("mkfs.fat", {"-F", "32", "-s", "128", image.path()})) return;
        reads_little(image, "fat32");
    }
    {
        const Image image(size);
        if (!make("mkapfs", {image.path()})) return;
        reads_little(image, "apfs");
    }
    {
        Image image(size);
        put_hfs_plus(image, {}, size, 512_B);
        reads_little(image, "hfs+j");
    }
    Image image(size);
    if (!make("sgdisk", {"-n", "1:2048:+300G", "-n", "2:0:+300G", "-n", "3:0:+300G", image.path()})) return;
    Image inner(300_GiB);
    if (!make("mkfs.exfat", {inner.path()})) return;
    copy(image, 1_MiB, inner, {}, 64_MiB);
    put_hfs_plus(image, Bytes{1 << 20} + 300_GiB, 300_GiB, 512_B);
    reads_little(image, "exfat");
}

TEST_CASE("inspection of a medium with circular references ends after 64 MiB") {
    // A thousand partitions refer to the same large allocation bitmap.
    Image image(64_GiB);
    if (!make("mkfs.exfat", {"-c", "32K", image.path()})) return;
    const auto volume = image.read(0, (40_MiB).count);
    Image table(65_GiB);
    if (!make("sgdisk", {"-S", "1024", table.path()})) return;
    table.write((1_MiB).count, volume);
    // The table has 1000 entries for the same partition, with valid checksums.
    for (const std::uint64_t header : {std::uint64_t{512}, (65_GiB).count - 512}) {
        const auto raw = table.read(header, 512);
        const std::uint64_t entries = load_le<std::uint64_t>(raw, 0x48) * 512;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            table.write(entries + 128 * i, std::vector<int>(32, 7));
            table.write(entries + 128 * i + 32, le64(2048));
            table.write(entries + 128 * i + 40, le64(2048 + (64_GiB).count / 512 - 1));
        }
        table.write(header + 0x58, le32(crc32(table.read(entries, 1024 * 128))));
        table.write(header + 0x10, le32(0));
        table.write(header + 0x10, le32(crc32(table.read(header, 92))));
    }
    const InspectReport report = look(table, 512);
    CHECK(report.volumes.size() == 1000);
    CHECK(report.read <= 64_MiB);
    REQUIRE_FALSE(report.unread.empty());
    CHECK_THAT(report.unread.front().why, ContainsSubstring("exceed the limit of an inspection"));
    CHECK_THAT(report.volumes[999].problem, ContainsSubstring("was not read"));
}
