// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "host/base/process/run_process.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "host/media/inspect/recognise.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/media/inspect/image.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;
using Catch::Matchers::StartsWith;

namespace {

/// A sector 0 with one entry, as written by sfdisk for a 64 GB card: start 32768, 124702720 sectors.
Image sd_card_mbr() {
    Image image(1_MiB);
    image.write(446, {0x00, 0x0A, 0x09, 0x02, 0x07, 0xFE, 0xFF, 0xFF, 0x00, 0x80, 0x00, 0x00, 0x00, 0xD0, 0x6E, 0x07});
    image.write(510, std::vector<int>{0x55, 0xAA});
    return image;
}

/// Writes a table to an image by sfdisk. Returns false if sfdisk is missing.
bool sfdisk(const Image& image, const std::string& script) {
    std::string path = "/tmp/mediarig-table-XXXXXX";
    const int fd = ::mkstemp(path.data());
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, script.data(), script.size()) == static_cast<ssize_t>(script.size()));
    ::close(fd);
    // sfdisk reads its script from standard input only.
    const auto made = process::run_process(
        {.program = "sh", .arguments = {"-c", "sfdisk -q \"$1\" < \"$2\"", "sh", image.path(), path}});
    ::unlink(path.c_str());
    REQUIRE(reason(made) == "success");
    return made->succeeded();
}

/// Writes entry `number` of an MBR and its signature.
void put_mbr_entry(Image& image, int number, int type, std::uint32_t first, std::uint32_t sectors) {
    const std::uint64_t at = mbr_entries.count + mbr_entry_length.count * static_cast<std::uint64_t>(number - 1);
    image.write(at, {0x00, 0x00, 0x00, 0x00, type, 0x00, 0x00, 0x00});
    image.write(at + 8, le32(first));
    image.write(at + 12, le32(sectors));
    image.write(510, std::vector<int>{0x55, 0xAA});
}

std::vector<VolumeSpan> spans_of(const Image& image, Bytes sector = 512_B) {
    return partition_spans({image.descriptor(), image.size()}, sector);
}

Result<InspectReport> look_at(const Image& image) {
    return inspect(image.descriptor(), image.size(), 512);
}

std::string value(const InspectedVolume& volume, const std::string& name) {
    for (const auto& [key, text] : volume.parameters)
        if (key == name) return text;
    return "(none)";
}

} // namespace

TEST_CASE("CRC-32 agrees with the published check value") {
    CHECK(media::crc32(std::as_bytes(std::span("123456789", 9))) == 0xCBF43926);
    CHECK(media::crc32({}) == 0);
}

TEST_CASE("MBR: the entry of an SD card is decoded by its sector numbers only") {
    const auto entries = parse_mbr(sd_card_mbr().read(0, 512));
    REQUIRE(reason(entries) == "success");
    REQUIRE(entries->entries.size() == 1);
    CHECK(entries->defects.empty());
    CHECK(entries->entries.front() == MbrEntry{.type = 7, .active = false, .first = {32768}, .sectors = 124702720});
    CHECK_FALSE(is_protective(entries->entries));
}

TEST_CASE("MBR: an invalid entry is named with number and byte, and does not affect the others") {
    struct Row {
        const char* what;
        std::size_t offset;
        std::vector<int> bytes;
    };
    const Row rows[] = {
        {"entry 1 (byte 446): status 0x55, 0x00 or 0x80 expected", 446, {0x55}},
        {"entry 3 (byte 478): status 0x01, 0x00 or 0x80 expected", 478, {0x01}},
        {"entry 1 (byte 446): type 0x07 without sectors", 458, le32(0)},
        {"entry 1 (byte 446): type 0x07 begins in sector 0", 454, le32(0)},
        {"entry 1 (byte 446): type 0x00 with 124702720 sectors from sector 32768 on", 450, {0}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Image image = sd_card_mbr();
        put_mbr_entry(image, 2, 0x83, 2048, 1024);
        image.write(row.offset, row.bytes);
        const auto mbr = parse_mbr(image.read(0, 512));
        REQUIRE(reason(mbr) == "success");
        REQUIRE(mbr->defects.size() == 1);
        CHECK(mbr->defects.front().what == row.what);
        REQUIRE_FALSE(mbr->entries.empty());
        CHECK(mbr->entries.back().number == 2);
    }
    CHECK(reason(parse_mbr({})) == "BootSignature");
    Image unsigned_sector = sd_card_mbr();
    unsigned_sector.write(510, std::vector<int>{0});
    CHECK(reason(parse_mbr(unsigned_sector.read(0, 512))) == "BootSignature");
}

TEST_CASE("GPT: an invalid header or entry is refused") {
    Image image(64_MiB);
    if (!sfdisk(image, "label: gpt\nstart=2048, size=8192, name=\"first\"\n")) MEDIARIG_SKIP("no sfdisk");
    const auto sector = image.read(512, 512);
    const auto header = parse_gpt_header(sector, Lba{1});
    REQUIRE(reason(header) == "success");
    CHECK(header->alternate == Lba{131071});
    CHECK(header->entry_count == 128);
    const auto array = image.read(byte_offset(header->entries, 512_B).count, header->entries_length().count);
    REQUIRE(reason(parse_gpt_entries(array, *header)) == "success");

    CHECK(reason(parse_gpt_header(sector, Lba{2})) == "MyLBA");
    CHECK(reason(parse_gpt_header({}, Lba{1})) == "Signature");
    struct Row {
        const char* what;
        std::size_t offset;
        std::vector<int> bytes;
        bool new_checksum;
    };
    const Row rows[] = {
        {"Signature", 0, {'X'}, false},
        {"HeaderSize", 0x0C, le32(91), false},
        {"HeaderSize", 0x0C, le32(513), false},
        {"HeaderCRC32", 0x28, le32(35), false},
        {"SizeOfPartitionEntry", 0x54, le32(64), true},
        {"SizeOfPartitionEntry", 0x54, le32(0xFFFFFF80), true},
        {"NumberOfPartitionEntries", 0x50, le32(0xFFFFFFFF), true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Image other(1_MiB);
        other.write(0, sector);
        other.write(row.offset, row.bytes);
        if (row.new_checksum) {
            other.write(0x10, le32(0));
            other.write(0x10, le32(media::crc32(other.read(0, 92))));
        }
        CHECK(reason(parse_gpt_header(other.read(0, 512), Lba{1})) == row.what);
    }
    auto damaged = array;
    damaged[32] = std::byte{1};
    CHECK(reason(parse_gpt_entries(damaged, *header)) == "PartitionEntryArrayCRC32");
    CHECK(reason(parse_gpt_entries({}, *header)) == "PartitionEntryArrayCRC32");
    damaged = array;
    damaged[40] = damaged[41] = std::byte{0}; // last sector before the first
    GptHeader fitting = *header;
    fitting.entries_checksum = media::crc32(damaged);
    const auto without = parse_gpt_entries(damaged, fitting);
    REQUIRE(reason(without) == "success");
    CHECK(without->entries.empty());
    CHECK(without->defects == std::vector<std::string>{"entry 1 ends before it begins (EndingLBA)"});
}

TEST_CASE("a GPT medium lists its partitions and contents") {
    Image image(64_MiB);
    if (!sfdisk(image,
                "label: gpt\n"
                "start=2048, size=16384, type=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7, name=\"Größe\", "
                "uuid=12345678-1234-1234-1234-123456789ABC\n"
                "start=32768, size=2048\n"))
        MEDIARIG_SKIP("no sfdisk");
    const Image exfat(8_MiB);
    const auto made = process::run_process({.program = "mkfs.exfat", .arguments = {"-L", "INNER", exfat.path()}});
    if (!made) MEDIARIG_SKIP(made.error().detail);
    image.write(1 << 20, exfat.read(0, exfat.size().count));

    auto report = look_at(image);
    REQUIRE(reason(report) == "success");
    CHECK(report->scheme == "gpt");
    REQUIRE(report->volumes.size() == 2);
    const InspectedVolume& first = report->volumes[0];
    CHECK(first.start == 1_MiB);
    CHECK(first.length == 8_MiB);
    CHECK(first.file_system == "exfat");
    CHECK(first.label == "INNER");
    CHECK(first.problem.empty());
    CHECK(value(first, "partition_type") == "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7");
    CHECK(value(first, "partition_guid") == "12345678-1234-1234-1234-123456789abc");
    CHECK(value(first, "partition_name") == "Größe");
    CHECK(value(first, "cluster_size") == "4096");
    CHECK(report->volumes[1].file_system.empty());
    CHECK(report->volumes[1].length == 1_MiB);
    // sfdisk puts the entries in sector 2, of 128 bytes each. The GUID is at offset 16.
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& places = report->volumes[i].places;
        const auto guid = std::ranges::find(places, "partition_guid", &FieldLocation::name);
        REQUIRE(guid != places.end());
        CHECK(guid->at == Bytes{2 * 512 + 128 * i + 16});
    }

    SECTION("a damaged main header is reported and the backup is used") {
        image.write(512 + 0x28, le32(35));
        report = look_at(image);
        REQUIRE(reason(report) == "success");
        REQUIRE(report->volumes.size() == 2);
        CHECK(report->problem == "GPT header in sector 1 (byte 512): HeaderCRC32");
        CHECK(report->volumes[0].label == "INNER");
    }
    SECTION("a lost backup is a fault, not an error") {
        image.write((64 << 20) - 512, std::vector<int>{0});
        report = look_at(image);
        REQUIRE(reason(report) == "success");
        CHECK(report->problem == "backup: GPT header in sector 131071 (byte 67108352): Signature");
        CHECK(report->volumes[0].label == "INNER");
    }
    SECTION("if both headers are missing, the scheme follows from the protective MBR") {
        image.write(512, std::vector<int>{0});
        image.write((64 << 20) - 512, std::vector<int>{0});
        report = look_at(image);
        REQUIRE(reason(report) == "success");
        CHECK(report->scheme == "gpt");
        CHECK(report->volumes.empty());
        CHECK(report->problem ==
              "GPT header in sector 1 (byte 512): Signature; backup: GPT header in sector 131071 (byte 67108352): "
              "Signature");
    }
}

TEST_CASE("an MBR medium reports and truncates partitions beyond its end") {
    const auto report = look_at(sd_card_mbr());
    REQUIRE(reason(report) == "success");
    CHECK(report->scheme == "mbr");
    REQUIRE(report->volumes.size() == 1);
    CHECK(value(report->volumes[0], "partition_type") == "0x07");
    CHECK(report->volumes[0].problem ==
          "the partition of 63847792640 bytes at byte 16777216 reaches beyond the medium of 1048576 bytes");
    CHECK(report->volumes[0].length == 0_B);
}

TEST_CASE("a bare volume is not mistaken for a partition table because of its sector signature") {
    const Image image = image_from_hex("apfs_1gib.hex", 1_GiB);
    const auto apfs = look_at(image);
    REQUIRE(reason(apfs) == "success");
    CHECK(apfs->scheme == "none");
    REQUIRE(apfs->volumes.size() == 1);
    CHECK(apfs->volumes[0].file_system == "apfs");
    CHECK(apfs->volumes[0].label == "APTEST");
    CHECK(apfs->volumes[0].problem.empty());
    CHECK(value(apfs->volumes[0], "volume_formatted_by") == "mkapfs for linux, version 0.1");
    CHECK(value(apfs->volumes[0], "free_blocks") == "256124");

    const auto exfat = look_at(image_from_hex("exfat_1gib.hex", 1_GiB));
    REQUIRE(reason(exfat) == "success");
    CHECK(exfat->scheme == "none");
    REQUIRE(exfat->volumes.size() == 1);
    CHECK(exfat->volumes[0].file_system == "exfat");
    CHECK(exfat->volumes[0].label == "EXTEST");
    CHECK(value(exfat->volumes[0], "serial_number") == "1234-5678");
    CHECK(value(exfat->volumes[0], "boot_checksum") == "0x8423d968");
}

TEST_CASE("an empty medium, a medium with random bytes and an unreadable medium are distinguished") {
    const auto empty = look_at(Image(1_MiB));
    REQUIRE(reason(empty) == "success");
    CHECK(empty->volumes.empty());
    CHECK(empty->scheme == "none");
    CHECK(empty->problem ==
          "empty: no partition table and no known file system was found; the first and the last 1048576 bytes contain "
          "zeros");
    CHECK(empty->stale_signatures.empty());
    CHECK(empty->blank);
    CHECK(inspect_report_from_json(to_json(*empty))->blank);

    Image noise(1_MiB);
    noise.write(0, std::vector<int>(4096, 0xA5));
    CHECK(look_at(noise)->volumes.empty());
    noise.write(510, std::vector<int>{0x55, 0xAA});
    CHECK(look_at(noise)->scheme == "none");
    CHECK_THAT(look_at(noise)->problem,
               StartsWith("partition table in sector 0: entry 1 (byte 446): status 0xa5, 0x00 or 0x80 expected; "));

    CHECK(reason(inspect(-1, 1_MiB, 512)) == "cannot read at byte 0: Bad file descriptor");
    CHECK(reason(inspect(-1, 512_B, 512)) == "a medium of 512 bytes in sectors of 512 has nothing to inspect");
}

TEST_CASE("the FAT type follows from the number of clusters, as in mkfs.fat") {
    struct Row {
        Bytes size;
        const char* width;
    };
    for (const Row& row : {Row{2_MiB, "12"}, Row{32_MiB, "16"}, Row{512_MiB, "32"}}) {
        const Image image(row.size);
        const auto made = process::run_process({.program = "mkfs.fat", .arguments = {"-F", row.width, image.path()}});
        if (!made) MEDIARIG_SKIP(made.error().detail);
        REQUIRE(made->succeeded());
        CHECK(recognise_boot_sector(image.read(0, 512)) == std::string("fat") + row.width);
        CHECK(look_at(image)->scheme == "none");
    }
    std::vector<std::byte> sector(512);
    CHECK(recognise_boot_sector(sector).empty());
    sector[510] = std::byte{0x55};
    sector[511] = std::byte{0xAA};
    sector[0] = std::byte{0xEB};
    CHECK(recognise_boot_sector(sector).empty());
    std::memcpy(sector.data() + 3, "NTFS    ", 8);
    CHECK(recognise_boot_sector(sector) == "ntfs");
}

TEST_CASE("a GPT on a truncated medium lists its entries and reads only existing sectors") {
    const Image whole(64_MiB);
    const auto made = process::run_process(
        {.program = "sgdisk", .arguments = {"-n", "1:2048:+24M", "-n", "2:81920:+8M", whole.path()}});
    if (!made || !made->succeeded()) MEDIARIG_SKIP("no sgdisk");
    Image image(16_MiB);
    image.write(0, whole.read(0, 17408));
    auto report = look_at(image);
    REQUIRE(reason(report) == "success");
    REQUIRE(report->volumes.size() == 2);
    CHECK(value(report->volumes[0], "partition_start") == "1048576");
    CHECK(value(report->volumes[0], "partition_length") == "25165824");
    CHECK(report->volumes[0].length == 15_MiB);
    CHECK_THAT(
        report->volumes[0].problem,
        ContainsSubstring("the partition of 25165824 bytes at byte 1048576 reaches beyond the medium of 16777216"));
    CHECK(value(report->volumes[1], "partition_start") == "41943040");
    CHECK(value(report->volumes[1], "partition_length") == "8388608");
    CHECK(report->volumes[1].length == 0_B);
    CHECK_THAT(report->volumes[1].problem,
               ContainsSubstring("the partition of 8388608 bytes at byte 41943040 reaches beyond the medium"));

    SECTION("sector numbers beyond the byte range are reported in sectors") {
        image.write(1024 + 32, le64(0x4000'0000'0000'0000));
        image.write(1024 + 40, le64(~0ULL));
        image.write(1024 + 128 + 32, le64(0));
        image.write(1024 + 128 + 40, le64(~0ULL));
        image.write(512 + 0x58, le32(media::crc32(image.read(1024, 16384))));
        image.write(512 + 0x10, le32(0));
        image.write(512 + 0x10, le32(media::crc32(image.read(512, 92))));
        report = look_at(image);
        REQUIRE(reason(report) == "success");
        REQUIRE(report->volumes.size() == 2);
        CHECK(value(report->volumes[0], "partition_start") == "4611686018427387904");
        CHECK(value(report->volumes[0], "partition_length") == "13835058055282163712");
        CHECK(report->volumes[0].length == 0_B);
        CHECK_THAT(report->volumes[0].problem,
                   ContainsSubstring("the partition from sector 4611686018427387904 to sector 18446744073709551615 "
                                     "reaches beyond the medium of 16777216 bytes"));
        for (const FieldLocation& place : report->volumes[0].places)
            if (place.name == "partition_start" || place.name == "partition_length") CHECK(place.unit == "sectors");
        CHECK(value(report->volumes[1], "partition_start") == "0");
        CHECK(value(report->volumes[1], "partition_length") == "18446744073709551616");
        CHECK(report->volumes[1].length == 16_MiB);
    }
}

TEST_CASE("partition spans of an MBR equal its entries, limited to the medium") {
    Image image(64_MiB);
    put_mbr_entry(image, 1, 0x07, 2048, 8192);
    put_mbr_entry(image, 4, 0x83, 98304, 65536); // the second half of the partition is beyond the end
    CHECK(spans_of(image) == std::vector<VolumeSpan>{{1_MiB, 4_MiB, 1}, {48_MiB, 16_MiB, 4}});
    put_mbr_entry(image, 2, 0x83, 0xFFFF'FFFF, 0xFFFF'FFFF); // beyond the end
    CHECK(spans_of(image).at(1) == VolumeSpan{64_MiB, 0_B, 2});
    CHECK(spans_of(image, 4_KiB).at(0) == VolumeSpan{8_MiB, 32_MiB, 1});
}

TEST_CASE("an extended partition without a record is one partition span") {
    Image image(64_MiB);
    put_mbr_entry(image, 1, 0x83, 2048, 8192);
    for (const int type : {0x05, 0x0F, 0x85}) {
        put_mbr_entry(image, 2, type, 16384, 32768);
        CHECK(spans_of(image) == std::vector<VolumeSpan>{{1_MiB, 4_MiB, 1}, {8_MiB, 16_MiB, 2}});
    }
}

TEST_CASE("partition spans of a GPT come from the first valid copy") {
    Image image(64_MiB);
    if (!sfdisk(image, "label: gpt\n1 : start=2048, size=16384\n5 : start=32768, size=2048\n"))
        MEDIARIG_SKIP("no sfdisk");
    const std::vector<VolumeSpan> both{{1_MiB, 8_MiB, 1}, {16_MiB, 1_MiB, 5}};
    CHECK(spans_of(image) == both);
    const std::uint64_t last_sector = (64 << 20) - 512;

    SECTION("the sector size of the medium differs from that of the table") {
        CHECK(spans_of(image, 4_KiB) == both);
    }
    SECTION("a hybrid MBR does not replace the GPT") {
        put_mbr_entry(image, 1, 0xEE, 1, 2047);
        put_mbr_entry(image, 2, 0x0C, 40960, 2048);
        CHECK(spans_of(image) == both);
    }
    SECTION("an MBR replaces the GPT if none of its entries announces the GPT") {
        put_mbr_entry(image, 1, 0x0C, 40960, 2048);
        CHECK(spans_of(image) == std::vector<VolumeSpan>{{20_MiB, 1_MiB, 1}});
    }
    SECTION("an MBR with entries beyond the medium does not replace the GPT") {
        put_mbr_entry(image, 1, 0x0C, 1 << 20, 2048);
        CHECK(spans_of(image) == both);
    }
    SECTION("an empty MBR does not replace the GPT") {
        image.write(446, std::vector<int>(64, 0));
        CHECK(spans_of(image) == both);
    }
    SECTION("the first header is damaged") {
        image.write(512 + 0x28, le32(35));
        CHECK(spans_of(image) == both);
    }
    SECTION("the first header is erased") {
        image.write(512, std::vector<int>(512, 0));
        CHECK(spans_of(image) == both);
    }
    SECTION("the first entries are damaged") {
        image.write(1024 + 32, le32(4096));
        CHECK(spans_of(image) == both);
    }
    SECTION("the backup is erased") {
        image.write(last_sector, std::vector<int>(512, 0));
        CHECK(spans_of(image) == both);
    }
    SECTION("the backup is not in the last sector, and the first copy is damaged") {
        Image larger(80_MiB);
        larger.write(0, image.read(0, image.size().count));
        CHECK(spans_of(larger) == both);
        larger.write(512 + 0x28, le32(35));
        CHECK(spans_of(larger).empty());
    }
    SECTION("both headers are damaged: the MBR that announces the GPT gives no span") {
        image.write(512 + 0x28, le32(35));
        image.write(last_sector + 0x28, le32(35));
        CHECK(spans_of(image).empty());
    }
}

TEST_CASE("a medium without a valid table has no partition spans") {
    Image image(1_MiB);
    CHECK(spans_of(image).empty());
    put_mbr_entry(image, 1, 0x07, 2048, 0); // an empty entry is impossible
    CHECK(spans_of(image).empty());
    CHECK(partition_spans({-1, 1_MiB}, 512_B).empty());
}

TEST_CASE("partition spans of a medium whose sector 0 is unreadable come from its backup GPT") {
    Image image(64_MiB);
    if (!sfdisk(image, "label: gpt\nstart=2048, size=16384\n")) MEDIARIG_SKIP("no sfdisk");
    const auto bytes = image.read(0, image.size().count);
    MemoryMedium medium{.size = image.size(), .pieces = {{.at = {}, .bytes = bytes}}, .unreadable = {}};
    medium.unreadable = {{.at = {}, .length = 4_KiB}};
    CHECK(partition_spans(MediumReader(medium), 512_B) == std::vector<VolumeSpan>{{1_MiB, 8_MiB, 1}});
    medium.unreadable.push_back({.at = 64_MiB - 512_B, .length = 512_B});
    CHECK(partition_spans(MediumReader(medium), 512_B).empty());
}
