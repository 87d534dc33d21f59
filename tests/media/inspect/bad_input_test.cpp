// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspects media that are empty, truncated, encrypted, unknown or fail during reading. Tests which values are reported
/// and which are missing.
#include <sys/mman.h>

#include "host/base/process/run_process.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "tests/json.hpp"
#include "tests/media/inspect/damaged.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

/// An image as a medium that fails to read some of its bytes.
class FailingMedium {
public:
    FailingMedium(const Image& image, std::vector<MemoryMedium::Span> unreadable)
        : length_(image.size().count),
          mapped_(::mmap(nullptr, length_, PROT_READ, MAP_SHARED, image.descriptor(), 0)),
          medium_{.size = image.size(), .pieces = {}, .unreadable = std::move(unreadable)} {
        REQUIRE(mapped_ != MAP_FAILED);
        medium_.pieces.push_back({.at = {}, .bytes = {static_cast<const std::byte*>(mapped_), length_}});
    }
    FailingMedium(const FailingMedium&) = delete;
    FailingMedium(FailingMedium&&) = delete;
    FailingMedium& operator=(const FailingMedium&) = delete;
    FailingMedium& operator=(FailingMedium&&) = delete;
    ~FailingMedium() { ::munmap(mapped_, length_); }
    [[nodiscard]] Result<InspectReport> inspect() const { return media::inspect(MediumReader(medium_), 512); }

private:
    std::size_t length_;
    void* mapped_;
    MemoryMedium medium_;
};

std::string problem_of(const InspectReport& report) {
    std::string all = report.problem;
    for (const InspectedVolume& volume : report.volumes) all += volume.problem;
    return all;
}

struct Failure {
    const char* structure; ///< name of the structure in the complaint
    std::uint64_t at;      ///< offset of an unreadable sector
    const char* missing;   ///< parameter that must be absent from the report; "" if there is no such parameter
};

void is_told_without_what_is_unread(const Image& image, const std::vector<Failure>& failures) {
    for (const Failure& failure : failures) {
        INFO(failure.structure << " at byte " << failure.at);
        const FailingMedium medium(image, {{.at = {failure.at}, .length = 512_B}});
        const auto report = medium.inspect();
        REQUIRE(reason(report) == "success");
        CHECK_THAT(problem_of(*report), ContainsSubstring(failure.structure));
        CHECK_THAT(problem_of(*report),
                   ContainsSubstring(fmt::format("cannot read at byte {}: Input/output error", failure.at)));
        REQUIRE_FALSE(report->unread.empty());
        CHECK(report->unread.front().at == Bytes{failure.at});
        REQUIRE(report->volumes.size() == 1);
        CHECK(report->volumes[0].parameters.size() > 10);
        CHECK_FALSE(parameter(report->volumes[0], failure.missing));
    }
}

} // namespace

TEST_CASE("a repeated fault is reported once") {
    std::string problem;
    for (const char* const met : {"FAT: cannot read at byte 8", "FAT: cannot read at byte 80", "", "checksum",
                                  "FAT: cannot read at byte 8", "check", "checksum"})
        add_problem(problem, met);
    CHECK(problem == "FAT: cannot read at byte 8; FAT: cannot read at byte 80; checksum; check");
}

TEST_CASE("an empty medium is reported as zeros or FF, and a medium with random bytes as unknown") {
    CHECK(complaints(Image(8_MiB)) ==
          "empty: no partition table and no known file system was found; the first and the last 1048576 bytes contain "
          "zeros");
    Image erased(2_MiB);
    erased.write(0, std::vector<std::byte>((2_MiB).count, std::byte{0xFF}));
    CHECK_THAT(complaints(erased), StartsWith("empty: ") && ContainsSubstring("contain bytes of FF"));
    Image noise(8_MiB);
    noise.write(700, std::vector<int>{1, 2, 3});
    CHECK_THAT(complaints(noise), StartsWith("unknown: ") && ContainsSubstring("contain nothing known"));
    const auto report = inspect(noise.descriptor(), noise.size(), 512);
    CHECK(report->volumes.empty());
    CHECK_FALSE(report->blank);
    CHECK(report->parameters.empty());
}

TEST_CASE("for a truncated image, the report names the structures beyond its end and contains no guessed values") {
    struct Cut {
        const char* golden;
        Bytes whole, at;
        const char* complaint;
        const char* missing;
    };
    const Cut cuts[] = {
        {"exfat_1gib.hex", 1_GiB, 8_KiB, "backup boot region: 6144 bytes at byte 6144 are outside", "free_clusters"},
        {"exfat_1gib.hex", 1_GiB, 64_KiB, "FAT: 8 bytes at byte 1048576 are outside", "fat_entry_0"},
        {"exfat_1gib.hex", 1_GiB, 2112_KiB, "root directory: 32768 bytes at byte 2162688 are outside",
         "bitmap_cluster"},
        {"exfat_1gib.hex", 1_GiB, 64_MiB, "VolumeLength: the volume of 1073741824 bytes is larger", ""},
        {"hfsplus_journaled_64mib.hex", 64_MiB, 4_KiB, "totalBlocks: the volume of 67108864 bytes is larger",
         "catalog_node_size"},
        {"hfsplus_journaled_64mib.hex", 64_MiB, 1_MiB, "catalog file: 512 bytes at byte 6828032 are outside",
         "volume_name"},
        {"hfsplus_journaled_64mib.hex", 64_MiB, Bytes{6828032 + 4096}, "first leaf of the catalog file: 4096 bytes",
         "volume_name"},
        {"hfsplus_journaled_64mib.hex", 64_MiB, 8_KiB, "journal info block: 180 bytes at byte 8192 are outside",
         "journal_size"},
        {"apfs_1gib.hex", 1_GiB, 64_KiB, "checkpoint descriptor area: 262144 bytes at byte 4096 are outside",
         "free_blocks"},
        {"apfs_1gib.hex", 1_GiB, 512_KiB, "object map: 4096 bytes at byte 81920000 are outside", "volume_name"},
        {"apfs_1gib.hex", 1_GiB, 128_MiB, "nx_block_count: 262144 blocks of 4096 bytes do not fit into", ""},
    };
    for (const Cut& cut : cuts) {
        INFO(cut.golden << " cut at byte " << cut.at.count);
        const Image whole = image_from_hex(cut.golden, cut.whole);
        Image image(cut.at);
        for (std::uint64_t at = 0; at < cut.at.count; at += 1 << 20)
            image.write(at, whole.read(at, std::min<std::uint64_t>(1 << 20, cut.at.count - at)));
        CHECK_THAT(complaints(image), ContainsSubstring(cut.complaint));
        const auto report = inspect(image.descriptor(), image.size(), 512);
        REQUIRE(reason(report) == "success");
        CHECK_FALSE(parameter(report->volumes.at(0), cut.missing));
    }
}

TEST_CASE("encrypted and foreign contents are recognised by their signature only") {
    struct Row {
        const char* name;
        std::uint64_t at;
        std::vector<std::byte> bytes;
        bool encrypted;
    };
    std::vector<std::byte> ext(1024);
    const auto put = [&ext](std::size_t at, std::vector<int> bytes) {
        for (const int byte : bytes) ext[at++] = static_cast<std::byte>(byte);
    };
    put(0, {1});
    put(4, {1});
    put(0x38, {0x53, 0xEF});
    put(0x5C, {4});
    const auto ext3 = ext;
    put(0x60, {0x40});
    const Row rows[] = {
        {"luks", 0, bytes_of("LUKS\xBA\xBE"), true},
        {"bitlocker", 3, bytes_of("-FVE-FS-"), true},
        {"bitlocker", 424, bytes_of("\x3B\xD6\x67\x49\x29\x2E\xD8\x4A\x83\x99\xF6\xA3\x39\xE3\xD0\x01"), true},
        {"ntfs", 3, bytes_of("NTFS    "), false},
        {"refs", 3, bytes_of(std::string_view("ReFS\0\0\0\0", 8)), false},
        {"xfs", 0, bytes_of("XFSB"), false},
        {"f2fs", 1024, bytes_of("\x10\x20\xF5\xF2"), false},
        {"lvm", 512, bytes_of("LABELONE"), false},
        {"swap", 4086, bytes_of("SWAPSPACE2"), false},
        {"swap", 8182, bytes_of("SWAP-SPACE"), false},
        {"swap", 16374, bytes_of("SWAPSPACE2"), false}, // a Raspberry Pi 5
        {"swap", 32758, bytes_of("LINHIB0001"), false},
        {"swap", 65526, bytes_of("S1SUSPEND"), false},
        {"btrfs", 0x10040, bytes_of("_BHRfS_M"), false},
        {"iso9660", 32769, bytes_of("CD001"), false},
        {"udf", 32769 + 2048, bytes_of("NSR02"), false},
        {"ext3", 1024, ext3, false},
        {"ext4", 1024, ext, false},
    };
    for (const Row& row : rows) {
        INFO(row.name << " at byte " << row.at);
        Image image(8_MiB);
        image.write(row.at, row.bytes);
        const auto report = inspect(image.descriptor(), image.size(), 512);
        REQUIRE(reason(report) == "success");
        REQUIRE(report->volumes.size() == 1);
        const InspectedVolume& volume = report->volumes[0];
        CHECK(volume.file_system == row.name);
        CHECK(volume.parameters.size() == 1);
        CHECK(parameter(volume, "signature") == row.name);
        CHECK(volume.places.at(0).at >= Bytes{row.at});
        CHECK(volume.problem ==
              (row.encrypted ? fmt::format("encrypted: {} by its signature at byte {}, its contents cannot be read",
                                           row.name, row.at)
                             : ""));
        CHECK(report->stale_signatures.empty());
    }
    Image hardly(8_MiB); // two bytes alone are no ext signature
    hardly.write(0x438, std::vector<int>{0x53, 0xEF});
    CHECK_THAT(complaints(hardly), StartsWith("unknown: "));
}

TEST_CASE("LUKS by cryptsetup and ext4 by mkfs.ext4 are recognised") {
    const Image ext(16_MiB);
    const auto made = process::run_process({.program = "mkfs.ext4", .arguments = {"-q", "-F", ext.path()}});
    if (!made) MEDIARIG_SKIP(made.error().detail);
    REQUIRE(made->succeeded());
    CHECK(inspect(ext.descriptor(), ext.size(), 512)->volumes.at(0).file_system == "ext4");
    const Image luks(32_MiB);
    const auto locked = process::run_process(
        {.program = "sh",
         .arguments = {"-c",
                       "printf secret | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations "
                       "1000 \"$1\" -",
                       "sh", luks.path()}});
    if (!locked || !locked->succeeded()) MEDIARIG_SKIP("no cryptsetup");
    CHECK(inspect(luks.descriptor(), luks.size(), 512)->volumes.at(0).file_system == "luks");
}

TEST_CASE("the report names structure and offset of an unreadable sector and contains no invented values") {
    is_told_without_what_is_unread(image_from_hex("exfat_1gib.hex", 1_GiB),
                                   {{"main boot region", 3 * 512, "boot_checksum"},
                                    {"main boot region", 9 * 512, "oem_parameters"},
                                    {"backup boot region", 6144 + 512, ""},
                                    {"FAT", 0x100000, "fat_entry_0"},
                                    {"root directory", 0x210000, "bitmap_cluster"},
                                    {"root directory", 0x210000 + 512, "bitmap_cluster"},
                                    {"up-case table", 0x208000 + 1024, ""},
                                    {"allocation bitmap", 0x200000 + 2048, "free_clusters"}});
    is_told_without_what_is_unread(image_from_hex("hfsplus_journaled_64mib.hex", 64_MiB),
                                   {{"alternate volume header", (64 << 20) - 1024, ""},
                                    {"extents overflow file", 0x83000, "extents_node_size"},
                                    {"catalog file", 0x683000, "catalog_node_size"},
                                    {"attributes file", 0x103000, "attributes_node_size"},
                                    {"first leaf of the catalog file", 0x684000 + 512, "volume_name"},
                                    {"journal info block", 8192, "journal_size"}});
    is_told_without_what_is_unread(image_from_hex("apfs_1gib.hex", 1_GiB),
                                   {{"checkpoint descriptor area", 30 * 4096, ""},
                                    {"space manager", 66 * 4096 + 1024, "free_blocks"},
                                    {"object map", 20000 * 4096, "volume_name"},
                                    {"object map node", 20001 * 4096, "volume_name"},
                                    {"volume superblock", 20002 * 4096 + 2048, "volume_name"},
                                    {"object map of volume", 20003 * 4096, ""}});
}

TEST_CASE("exFAT: the readable part of a root directory counts although the FAT chain is unreadable") {
    Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    SECTION("an unreadable FAT sector") {
        const FailingMedium medium(image, {{.at = {0x100000}, .length = 512_B}});
        const auto report = medium.inspect();
        REQUIRE(reason(report) == "success");
        CHECK(report->volumes.at(0).label == "EXTEST");
        CHECK(parameter(report->volumes[0], "free_clusters"));
        CHECK_THAT(report->volumes[0].problem, ContainsSubstring("FAT: cannot read at byte 1048576"));
    }
    SECTION("an unreadable later cluster of the directory") {
        const auto entries = image.read(0x210000, 96);
        image.write(0x210000, std::vector<std::byte>(32768, std::byte{0x85}));
        image.write(0x210000, entries);
        image.write(0x100000 + 4 * 4, le32(9));
        const FailingMedium medium(image, {{.at = {0x200000 + 7 * 32768}, .length = 512_B}});
        const auto report = medium.inspect();
        REQUIRE(reason(report) == "success");
        CHECK(report->volumes.at(0).label == "EXTEST");
        CHECK_THAT(report->volumes[0].problem, ContainsSubstring("root directory: cannot read at byte 2326528"));
    }
    SECTION("unread entries are not called missing") {
        image.write(0x210000, std::vector<std::byte>(32768, std::byte{0x85}));
        const FailingMedium medium(image, {{.at = {0x100000}, .length = 512_B}});
        const auto report = medium.inspect();
        REQUIRE(reason(report) == "success");
        CHECK_THAT(report->volumes.at(0).problem, !ContainsSubstring("no allocation bitmap"));
    }
}

TEST_CASE("an unreadable sector 0 ends the inspection only if no other data describes the medium") {
    const Image exfat = image_from_hex("exfat_1gib.hex", 1_GiB);
    const FailingMedium medium(exfat, {{.at = {}, .length = 512_B}});
    const auto nothing = medium.inspect();
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error() == Error{Errc::io_failed, "cannot read at byte 0: Input/output error"});

    const Image table(64_MiB);
    const auto made = process::run_process({.program = "sgdisk", .arguments = {"-n", "1:2048:+4M", table.path()}});
    if (!made || !made->succeeded()) MEDIARIG_SKIP("no sgdisk");
    for (const Bytes unread : {512_B, 1024_B, 1_MiB}) {
        const FailingMedium worn(table, {{.at = {}, .length = unread}});
        const auto report = worn.inspect();
        REQUIRE(reason(report) == "success");
        CHECK(report->scheme == "gpt");
        CHECK(report->volumes.size() == 1);
        CHECK_THAT(report->problem, StartsWith("sector 0: cannot read at byte 0: Input/output error"));
        CHECK(report->unread.front() == UnreadRange{0_B, 4_KiB, "cannot read at byte 0: Input/output error"});
    }
}

TEST_CASE("reports with unread ranges survive a round trip") {
    const Image image = image_from_hex("exfat_1gib.hex", 1_GiB);
    const FailingMedium medium(image, {{.at = {0x210000}, .length = 512_B}});
    const auto report = medium.inspect();
    REQUIRE(reason(report) == "success");
    const auto again = inspect_report_from_json(to_json(*report));
    REQUIRE(reason(again) == "success");
    CHECK(*again == *report);
    auto bad = to_json(*report);
    bad["unread"] = {{{"at", "x"}}};
    CHECK(reason(inspect_report_from_json(bad)) ==
          "inspect report.unread[0].at: must be a whole number from 0 to 2^64-1");
}
