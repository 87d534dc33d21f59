// SPDX-License-Identifier: GPL-3.0-or-later
/// Copies of superblocks far after the first superblock, which a quick format by another tool does not overwrite.
#include "host/media/inspect/superblock_copies.hpp"

#include "host/base/process/run_process.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

std::string run(const std::string& program, const std::vector<std::string>& arguments) {
    const auto done = process::run_process({.program = program, .arguments = arguments});
    if (!done) return done.error().detail;
    return done->succeeded() ? "" : program + ": " + done->err;
}

std::vector<StaleSignature> stale_signatures_of(const Image& image) {
    const auto report = inspect(image.descriptor(), image.size(), 512);
    REQUIRE(reason(report) == "success");
    return report->stale_signatures;
}

constexpr std::string_view md = "\xFC\x4E\x2B\xA9";

std::vector<int> boot_sector_of_ntfs() {
    std::vector<int> sector(512);
    sector[0] = 0xEB;
    std::ranges::copy(std::string_view("NTFS    "), sector.begin() + 3);
    sector[510] = 0x55;
    sector[511] = 0xAA;
    return sector;
}

} // namespace

TEST_CASE("an ext file system without its start is found by its backup superblock, whatever its block size") {
    struct Row {
        const char* block;
        Bytes size, copy;
    };
    for (const Row& row :
         {Row{"1024", 16_MiB, 8_MiB + 1_KiB}, Row{"2048", 64_MiB, 32_MiB}, Row{"4096", 256_MiB, 128_MiB}}) {
        CAPTURE(row.block);
        Image image(row.size);
        const std::string made = run("mke2fs", {"-q", "-F", "-t", "ext4", "-b", row.block, image.path()});
        if (!made.empty()) MEDIARIG_SKIP(made);
        CHECK(stale_signatures_of(image).empty());
        image.write(0, std::vector<int>(4096));
        CHECK(stale_signatures_of(image) ==
              std::vector<StaleSignature>{{.what = "copy of an ext superblock", .at = row.copy}});
    }
}

TEST_CASE("a LUKS volume without its first header is found by its second header") {
    Image image(32_MiB);
    const std::string made = run("cryptsetup", {"luksFormat", "--batch-mode", "--type", "luks2", "--pbkdf", "pbkdf2",
                                                "--pbkdf-force-iterations", "1000", image.path(), "/etc/os-release"});
    if (!made.empty()) MEDIARIG_SKIP(made);
    CHECK(stale_signatures_of(image).empty());
    image.write(0, std::vector<int>(4096));
    CHECK(stale_signatures_of(image) == std::vector<StaleSignature>{{.what = "second LUKS header", .at = 16_KiB}});
}

TEST_CASE("a second LUKS header is found at the position of each size of the metadata") {
    for (Bytes at = 16_KiB; at <= 4_MiB; at = at * 2) {
        CAPTURE(at.count);
        Image image(8_MiB);
        image.write(at.count, bytes_of(std::string_view("SKUL\xBA\xBE\0\2", 8)));
        image.write(4086, bytes_of("SWAPSPACE2"));
        CHECK(stale_signatures_of(image) ==
              std::vector<StaleSignature>{{.what = "second LUKS header", .at = at, .in_volume = true}});
    }
}

TEST_CASE("a RAID member is named by the superblock before its end if no file system is known at its start") {
    for (const bool old : {false, true}) {
        CAPTURE(old);
        for (const Bytes start : {0_B, 1_MiB}) {
            Image image(64_MiB);
            if (start != 0_B) { // a partition up to the end
                image.write(446, {0, 0, 2, 0, 0xFD, 0xFE, 0xFF, 0xFF, 0, 8, 0, 0});
                image.write(458, le32(static_cast<std::uint32_t>((64_MiB - start) / 512_B)));
                image.write(510, std::vector<int>{0x55, 0xAA});
            }
            const Bytes at = old ? old_md_superblock_before(64_MiB) : md_superblock_before(64_MiB);
            image.write(at.count, bytes_of(std::string(md) + (old ? '\0' : '\1')));
            const auto report = inspect(image.descriptor(), image.size(), 512);
            REQUIRE(reason(report) == "success");
            REQUIRE(report->volumes.size() == 1);
            const InspectedVolume& member = report->volumes[0];
            CHECK(member.start == start);
            CHECK(member.file_system == "md_raid");
            CHECK(member.problem.empty());
            CHECK(member.places.back().at == at);
            CHECK(report->stale_signatures.empty());
        }
    }
}

TEST_CASE("copies of btrfs and F2FS are found after each start and attributed to their volume") {
    Image image(300_GiB);
    image.write((1_MiB + 64_MiB).count + 0x40, bytes_of("_BHRfS_M"));
    image.write((1_MiB + 256_GiB).count + 0x40, bytes_of("_BHRfS_M"));
    image.write((4_MiB + 5_KiB).count, bytes_of("\x10\x20\xF5\xF2"));
    CHECK(stale_signatures_of(image) ==
          std::vector<StaleSignature>{{.what = "copy of an F2FS superblock", .at = 4_MiB + 5_KiB},
                                      {.what = "copy of a btrfs superblock", .at = 65_MiB},
                                      {.what = "copy of a btrfs superblock", .at = 256_GiB + 1_MiB}});
    Image volume(128_MiB);
    volume.write(0x10040, bytes_of("_BHRfS_M"));
    volume.write((64_MiB).count + 0x40, bytes_of("_BHRfS_M"));
    CHECK(stale_signatures_of(volume).empty());
}

TEST_CASE("RAID superblocks and NTFS boot sector copies before the end are found") {
    for (const Bytes size : {64_MiB, 64_MiB + 512_B, 64_MiB + 65024_B}) {
        CAPTURE(size.count);
        const Bytes newer = align_down(size - 8_KiB, 4_KiB), older = align_down(size, 64_KiB) - 64_KiB;
        Image image(size);
        image.write(0, bytes_of("XFSB"));
        image.write(newer.count, bytes_of(std::string(md) + '\1'));
        image.write(older.count, bytes_of(md));
        image.write((size - 512_B).count, boot_sector_of_ntfs());
        CHECK(stale_signatures_of(image) ==
              std::vector<StaleSignature>{{.what = "MD RAID superblock", .at = older, .in_volume = true},
                                          {.what = "MD RAID superblock", .at = newer, .in_volume = true},
                                          {.what = "backup NTFS boot sector", .at = size - 512_B, .in_volume = true}});
    }
    Image ntfs(64_MiB);
    ntfs.write(0, boot_sector_of_ntfs());
    ntfs.write((64_MiB - 512_B).count, boot_sector_of_ntfs());
    CHECK(stale_signatures_of(ntfs).empty());
}

TEST_CASE("a medium that is too short for a copy contains no copy, and a magic alone is not a copy") {
    Image image(4_KiB);
    CHECK(stale_signatures_of(image).empty());
    Image larger(200_MiB);
    larger.write((128_MiB).count + 0x38, std::vector<int>{0x53, 0xEF});
    larger.write((16_KiB).count, bytes_of("SKUL\xBA\xBE")); // version 0
    CHECK(stale_signatures_of(larger).empty());
    CHECK(md_superblock_before(8_KiB) == 0_B);
    CHECK(old_md_superblock_before(64_KiB) == 0_B);
}
