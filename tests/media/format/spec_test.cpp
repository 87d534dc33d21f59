// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/apfs_formatter.hpp"
#include "host/media/format/linux/exfat_formatter.hpp"
#include "host/media/format/linux/fat_formatter.hpp"
#include "host/media/format/linux/formatters.hpp"
#include "host/media/format/linux/hfsplus_formatter.hpp"
#include "host/media/format/linux/label.hpp"
#include "host/media/format/linux/table_writer.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

FormatSpec exfat(std::optional<Bytes> cluster, std::string label = {}) {
    return {.fs = FileSystem::exfat, .cluster_size = cluster, .label = std::move(label)};
}
FormatSpec apfs(std::optional<Bytes> cluster, std::string label = {}) {
    return {.fs = FileSystem::apfs, .cluster_size = cluster, .label = std::move(label)};
}

} // namespace

TEST_CASE("exFAT: an impossible format is refused before any write") {
    struct Row {
        FormatSpec spec;
        Bytes medium, sector;
        const char* why;
    };
    const Row rows[] = {
        {exfat({}), 64_GiB, 512_B, "success"},
        {exfat(512_B), 1_GiB, 512_B, "success"},
        {exfat(32_MiB), 161_MiB, 512_B, "success"},
        {exfat({}, "elf zeichen"), 64_GiB, 512_B, "success"},
        {exfat({}), Bytes{(3 << 20) - 512}, 512_B,
         "a medium of 3145216 bytes is too small for exFAT, which takes at least 3145728 bytes"},
        {exfat(Bytes{3000}), 1_GiB, 512_B,
         "cluster size 3000: exFAT on this medium takes powers of two from 512 to 33554432"},
        {exfat(0_B), 1_GiB, 512_B, "cluster size 0: exFAT on this medium takes powers of two from 512 to 33554432"},
        {exfat(2_KiB), 1_GiB, 4_KiB,
         "cluster size 2048: exFAT on this medium takes powers of two from 4096 to 33554432"},
        {exfat(64_MiB), 64_GiB, 512_B,
         "cluster size 67108864: exFAT on this medium takes powers of two from 512 to 33554432"},
        {exfat(32_MiB), 160_MiB, 512_B,
         "cluster size 33554432 and boundary 1048576 need a volume of at least 169 MB, this one has "
         "168 MB"},
        {exfat(512_B), 2048_GiB, 512_B,
         "cluster size 512: a medium of 2.20 TB would have more than 4294967285 clusters, take a larger "
         "size"},
        {exfat({}, "zwölfzeichen"), 1_GiB, 512_B, "the label 'zwölfzeichen' has 12 characters: exFAT takes at most 11"},
        {exfat({}, "a\nb"), 1_GiB, 512_B,
         "the label is not UTF-8 text without control characters: choose another label"},
        {exfat({}, "\xFF"), 1_GiB, 512_B,
         "the label is not UTF-8 text without control characters: choose another label"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        const auto checked = check_exfat_spec(row.spec, row.medium, row.sector);
        CHECK(reason(checked) == row.why);
        if (!checked) CHECK(checked.error().code == Errc::bad_request);
    }
}

TEST_CASE("APFS: an impossible format is refused before any write") {
    struct Row {
        FormatSpec spec;
        Bytes medium;
        const char* version;
        const char* why;
    };
    const Row rows[] = {
        {apfs({}), 128_MiB, "0.1", "success"},
        {apfs(4_KiB, std::string(255, 'x')), 1387008_MiB, "0.1", "success"},
        {apfs({}), 2048_GiB, "0.2.0", "success"},
        {apfs({}), 127_MiB, "0.1", "a medium of 133 MB is too small for APFS, which takes at least 134 MB"},
        {apfs({}), 1387009_MiB, "0.1",
         "a medium of 1454384349184 bytes is too large: mkapfs 0.1 makes damaged containers above 1454383300608 bytes; "
         "format it on a Mac, or install apfsprogs 0.2"},
        {apfs(32_KiB), 1_GiB, "0.1", "cluster size 32768: mkapfs makes blocks of 4096 bytes only, leave it out"},
        {apfs({}, std::string(256, 'x')), 1_GiB, "0.1", "the label has 256 bytes: APFS takes at most 255"},
        {apfs({}, "a\x7f"), 1_GiB, "0.1",
         "the label is not UTF-8 text without control characters: choose another label"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        const auto checked = check_apfs_spec(row.spec, row.medium, row.version);
        CHECK(reason(checked) == row.why);
        if (!checked) CHECK(checked.error().code == Errc::bad_request);
    }
}

TEST_CASE("FAT: an impossible format is refused before any write") {
    struct Row {
        FormatSpec spec;
        Bytes medium, sector;
        const char* why;
    };
    const auto fat = [](FileSystem fs, std::optional<Bytes> cluster, std::string label = {}) {
        return FormatSpec{.fs = fs, .cluster_size = cluster, .label = std::move(label)};
    };
    const auto reserved = [&](FileSystem fs, std::uint32_t sectors) {
        FormatSpec spec = fat(fs, {});
        spec.reserved_sectors = sectors;
        return spec;
    };
    FormatSpec with_boundary = fat(FileSystem::fat32, {});
    with_boundary.boundary = 1_MiB;
    const Row rows[] = {
        {fat(FileSystem::fat32, {}), 64_GiB, 512_B, "success"},
        {fat(FileSystem::fat32, 64_KiB, "KARTE 1"), 64_GiB, 512_B, "success"},
        {fat(FileSystem::fat16, {}), 2_GiB, 512_B, "success"},
        {fat(FileSystem::fat12, {}), 1_MiB, 512_B, "success"},
        {fat(FileSystem::fat32, {}), 300_MiB, 4_KiB, "success"},
        {reserved(FileSystem::fat32, 9), 64_GiB, 512_B, "success"},
        {with_boundary, 1_GiB, 512_B, "boundary: FAT32 does not support this option, leave it out"},
        {fat(FileSystem::fat32, {}, "Karte"), 1_GiB, 512_B,
         "the label 'Karte': FAT32 takes at most 11 of A-Z, 0-9, spaces inside and !#$%&'()-@^_`{}~"},
        {fat(FileSystem::fat16, {}, "ZWOELFZEICHE"), 1_GiB, 512_B,
         "the label 'ZWOELFZEICHE': FAT16 takes at most 11 of A-Z, 0-9, spaces inside and !#$%&'()-@^_`{}~"},
        {fat(FileSystem::fat32, {}, "A\x1B[2J"), 1_GiB, 512_B,
         "the label 'A?[2J': FAT32 takes at most 11 of A-Z, 0-9, spaces inside and !#$%&'()-@^_`{}~"},
        {reserved(FileSystem::fat32, 8), 1_GiB, 512_B, "8 reserved sectors: FAT32 takes 9 to 65535"},
        {reserved(FileSystem::fat16, 0), 1_GiB, 512_B, "0 reserved sectors: FAT16 takes 1 to 65535"},
        {fat(FileSystem::fat32, 3_KiB), 1_GiB, 512_B,
         "cluster size 3072: FAT32 on this medium takes powers of two from 512 to 65536"},
        {fat(FileSystem::fat32, 128_KiB), 64_GiB, 512_B,
         "cluster size 131072: FAT32 on this medium takes powers of two from 512 to 65536"},
        {fat(FileSystem::fat32, 32_KiB), 64_MiB, 512_B,
         "cluster size 32768: a medium of 67.1 MB would have 2044 clusters, and mkfs.fat makes FAT32 with 65525 "
         "to "
         "268435444; take another size"},
        {fat(FileSystem::fat12, 16_KiB), 1_GiB, 512_B,
         "cluster size 16384: a medium of 1.07 GB would have 65522 clusters, and mkfs.fat makes FAT12 with 1 "
         "to "
         "4084; take another size"},
        {fat(FileSystem::fat32, {}), 32_MiB, 512_B,
         "a medium of 33.6 MB is too small for FAT32: mkfs.fat makes it with 65525 to 268435444 clusters of 512 "
         "to 65536 bytes"},
        {fat(FileSystem::fat16, {}), 8_GiB, 512_B,
         "a medium of 8.59 GB is too large for FAT16: mkfs.fat makes it with 4087 to 65524 clusters of 512 to "
         "65536 bytes"},
        {fat(FileSystem::fat32, {}), 2048_GiB, 512_B,
         "a medium of 2.20 TB is too large for FAT32, which counts sectors in 32 bits"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.why);
        const auto checked = check_fat_spec(row.spec, row.medium, row.sector);
        CHECK(reason(checked) == row.why);
        if (!checked) CHECK(checked.error().code == Errc::bad_request);
    }
}

TEST_CASE("a label that other systems refuse is refused before any write") {
    struct Row {
        FileSystem fs;
        const char* label;
        const char* why;
    };
    const Row rows[] = {
        {FileSystem::exfat, "Urlaub 2024", "success"},
        {FileSystem::exfat, "a+b;c=[d],.", "success"},
        {FileSystem::exfat, "A/B", "the label 'A/B': exFAT takes none of \"*/:<>?\\|, choose another label"},
        {FileSystem::exfat, "C:", "the label 'C:': exFAT takes none of \"*/:<>?\\|, choose another label"},
        {FileSystem::exfat, "what?", "the label 'what?': exFAT takes none of \"*/:<>?\\|, choose another label"},
        {FileSystem::exfat, "a\\b", "the label 'a\\b': exFAT takes none of \"*/:<>?\\|, choose another label"},
        {FileSystem::fat32, "NO-NAME", "success"},
        {FileSystem::fat32, "NO NAME",
         "the label 'NO NAME' marks a FAT32 without a label: leave it out, or choose another label"},
        {FileSystem::fat16, "NO NAME",
         "the label 'NO NAME' marks a FAT16 without a label: leave it out, or choose another label"},
        {FileSystem::fat32, "A.B",
         "the label 'A.B': FAT32 takes at most 11 of A-Z, 0-9, spaces inside and !#$%&'()-@^_`{}~"},
        {FileSystem::fat32, " A",
         "the label 'A': FAT32 takes at most 11 of A-Z, 0-9, spaces inside and !#$%&'()-@^_`{}~"},
        {FileSystem::apfs, "A/B:C", "success"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.label);
        const auto checked = check_label(row.fs, row.label);
        CHECK(reason(checked) == row.why);
        if (!checked) CHECK(checked.error().code == Errc::bad_request);
    }
    for (const char c : std::string("\"*/:<>?\\|")) CHECK_FALSE(check_label(FileSystem::exfat, std::string(1, c)));
}

TEST_CASE("FAT: clusters above 64 KiB are refused and never chosen, also on sectors of 4096 bytes") {
    FormatSpec spec{.fs = FileSystem::fat32, .cluster_size = 128_KiB, .label = {}};
    CHECK(reason(check_fat_spec(spec, 64_GiB, 4_KiB)) ==
          "cluster size 131072: FAT32 on this medium takes powers of two from 4096 to 65536");
    spec.cluster_size = 64_KiB;
    CHECK(reason(check_fat_spec(spec, 64_GiB, 4_KiB)) == "success");
    // 65524 clusters of 64 KiB are the largest FAT16.
    const FormatSpec fat16{.fs = FileSystem::fat16, .cluster_size = {}, .label = {}};
    CHECK(reason(check_fat_spec(fat16, 3_GiB, 4_KiB)) == "success");
    CHECK_THAT(reason(check_fat_spec(fat16, 8_GiB, 4_KiB)), ContainsSubstring("is too large for FAT16"));
}

TEST_CASE("exFAT: boundary and length of the FAT are checked") {
    FormatSpec spec = exfat({});
    spec.boundary = Bytes{3 << 20};
    CHECK(reason(check_exfat_spec(spec, 64_GiB, 512_B)) ==
          "boundary 3145728: exFAT on this medium takes powers of two from 512 to 1073741824");
    spec.boundary = 8_MiB;
    spec.fat_length = 1000_B;
    CHECK(reason(check_exfat_spec(spec, 64_GiB, 512_B)) ==
          "FAT length 1000: choose a multiple of 512 bytes, the sector size of this medium");
    spec.fat_length = 8_MiB;
    CHECK(reason(check_exfat_spec(spec, 64_GiB, 512_B)) == "success");
    spec.cluster_size = 4_KiB;
    CHECK(reason(check_exfat_spec(spec, 64_GiB, 512_B)) ==
          "FAT length 8388608: the clusters of this volume need 67035648, and 67108864 are available before the "
          "cluster heap; choose a length between them");
    spec.cluster_size = 128_KiB;
    CHECK(reason(check_exfat_spec(spec, 16_MiB, 512_B)) ==
          "cluster size 131072 and boundary 8388608 need a volume of at least 17.3 MB, this one has 16.8 MB");
}

TEST_CASE("the sfdisk script sets every value explicitly") {
    const auto mbr = plan_table({.start = 16_MiB, .length = 1_GiB}, FileSystem::fat32, 64_GiB, 512_B);
    REQUIRE(reason(mbr) == "success");
    CHECK(sfdisk_script(*mbr) == "label: dos\nunit: sectors\nstart=32768, size=2097152, type=0b\n");
    const auto mac = plan_table(
        {.table = TableScheme::gpt, .start = Bytes{409640 * 512}, .length = 1_GiB, .efi_system_partition = true},
        FileSystem::apfs, 64_GiB, 512_B);
    REQUIRE(reason(mac) == "success");
    CHECK(sfdisk_script(*mac) ==
          "label: gpt\nunit: sectors\nfirst-lba: 34\n"
          "start=40, size=409600, type=c12a7328-f81f-11d2-ba4b-00a0c93ec93b, name=\"EFI System Partition\"\n"
          "start=409640, size=2097152, type=7c3457ef-0000-11aa-aa11-00306543ecac\n");
    const auto large = plan_table({.table = TableScheme::gpt, .length = 1_GiB}, FileSystem::exfat, 64_GiB, 4_KiB);
    REQUIRE(reason(large) == "success");
    CHECK(sfdisk_script(*large) ==
          "label: gpt\nunit: sectors\nfirst-lba: 6\n"
          "start=256, size=262144, type=ebd0a0a2-b9e5-4433-87c0-68b6b72699c7\n");
}

TEST_CASE("the length of a label is its number of UTF-16 units") {
    CHECK(utf16_length("") == 0);
    CHECK(utf16_length("Größe") == 5);
    CHECK(utf16_length("\U0001F4BE") == 2);
    CHECK(utf16_length("a\tb") == std::nullopt);
    CHECK(utf16_length(std::string("a\0b", 3)) == std::nullopt);
}

TEST_CASE("formatters are selected by their abilities, and the error for a missing formatter names the remedy") {
    const Formatters formatters = make_formatters();
    for (const FileSystem fs :
         {FileSystem::exfat, FileSystem::apfs, FileSystem::hfs_plus, FileSystem::hfs_plus_journaled,
          FileSystem::hfsx_journaled, FileSystem::fat32, FileSystem::fat16, FileSystem::fat12}) {
        const auto chosen = select_formatter(formatters, fs);
        REQUIRE(reason(chosen) == "success");
        CHECK((*chosen)->handles(fs));
    }
    const auto chosen = select_formatter({}, FileSystem::fat32);
    REQUIRE_FALSE(chosen);
    CHECK(chosen.error() ==
          Error{Errc::no_driver, "formatting FAT32 is not available in this build: choose another file system"});
}

TEST_CASE("other formats refuse options of HFS+, and HFS+ without a journal refuses journal options") {
    FormatSpec spec = exfat({});
    spec.journal_size = 8_MiB;
    CHECK(reason(check_exfat_spec(spec, 1_GiB, 512_B)) ==
          "journal_size: exFAT does not support this option, leave it out");
    spec = apfs({});
    spec.volume_id = 1;
    CHECK(reason(check_apfs_spec(spec, 1_GiB, "0.2.0")) ==
          "volume_id: APFS does not support this option, leave it out");
    spec.volume_id.reset();
    spec.created = std::chrono::sys_seconds{};
    CHECK(reason(check_apfs_spec(spec, 1_GiB, "0.2.0")) == "created: APFS does not support this option, leave it out");
    spec = {.fs = FileSystem::hfs_plus};
    spec.journal_size = 8_MiB;
    CHECK(reason(hfs_plus_options(spec)) ==
          "journal_size: HFS+ without a journal does not support this option, leave it out or choose hfs+j");
}

TEST_CASE("HFS+: missing parameters get defaults, and given parameters are used") {
    const auto one = hfs_plus_options({.fs = FileSystem::hfs_plus_journaled});
    const auto two = hfs_plus_options({.fs = FileSystem::hfsx_journaled});
    REQUIRE(reason(one) == "success");
    REQUIRE(reason(two) == "success");
    CHECK(one->volume_id != two->volume_id);
    CHECK(one->name == u"untitled");
    CHECK(one->names == hfsplus::CaseSensitivity::ignore_case);
    CHECK(two->names == hfsplus::CaseSensitivity::case_sensitive);
    FormatSpec spec{.fs = FileSystem::hfs_plus_journaled, .cluster_size = 8_KiB, .label = "Karte"};
    spec.journal_size = 4_MiB;
    spec.volume_id = 7;
    spec.created = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000));
    const auto given = hfs_plus_options(spec);
    REQUIRE(reason(given) == "success");
    CHECK(given->volume_id == 7);
    CHECK(given->created == *spec.created);
    CHECK(given->journal_size == 4_MiB);
    CHECK(given->block_size == 8_KiB);
    CHECK(given->name == u"Karte");
    spec.label = "a\tb";
    CHECK(reason(hfs_plus_options(spec)) ==
          "the label is not UTF-8 text without control characters: choose another label");
}

TEST_CASE("exFAT: a boundary that leaves no space for clusters is refused, whatever the cluster size and start") {
    FormatSpec spec = exfat({});
    spec.boundary = 512_MiB;
    CHECK(reason(check_exfat_spec(spec, 1_GiB, 512_B)) ==
          "cluster size 32768 and boundary 536870912 need a volume of at least 1073872896 bytes, this one has "
          "1073741824 bytes");
    CHECK(reason(check_exfat_spec(spec, Bytes{1073872896}, 512_B)) == "success");
}

TEST_CASE("exFAT: a FAT must have entries for all clusters and end before the cluster heap") {
    FormatSpec spec = exfat(128_KiB);
    spec.boundary = 1_MiB;
    spec.fat_length = 64_MiB;
    const auto checked = check_exfat_spec(spec, 1_GiB, 512_B);
    REQUIRE_FALSE(checked);
    CHECK(checked.error() == Error{Errc::bad_request,
                                   "FAT length 67108864: the clusters of this volume need 32768, and 1048576 are "
                                   "available before the cluster heap; choose a length between them"});
    spec.fat_length = 1_MiB;
    CHECK(reason(check_exfat_spec(spec, 1_GiB, 512_B)) == "success");
}
