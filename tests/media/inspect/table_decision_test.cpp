// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which partition table counts, partitions within partitions, and the names of contents without a volume.
#include <fmt/format.h>

#include <algorithm>

#include "host/base/process/run_process.hpp"
#include "host/media/inspect/partition_names.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "host/media/inspect/signature.hpp"
#include "tests/media/inspect/damaged.hpp"
#include "tests/media/inspect/tables.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

constexpr std::uint64_t mib = 1 << 20;

/// The beginning of an XFS, which is known by its signature.
void put_volume(Image& image, std::uint64_t at) {
    image.write(at, bytes_of("XFSB"));
}

/// A consistent FAT16 boot sector of 20 MiB.
void put_fat(Image& image, std::uint64_t at) {
    image.write(at, {0xEB, 0x3C, 0x90, 'm',  'k',  'f',  's',  '.',  'f',  'a',  't',  0x00,
                     0x02, 0x04, 0x01, 0x00, 0x02, 0x00, 0x02, 0x00, 0xA0, 0xF8, 0x28, 0x00});
    image.write(at + 510, std::vector<int>{0x55, 0xAA});
}

/// Footer of a fixed VHD with a disk of `disk` bytes.
std::vector<std::byte> vhd_footer(Bytes disk) {
    std::vector<std::byte> footer = bytes_of("conectix");
    footer.resize(container_footer.count);
    for (std::size_t i = 0; i < 8; ++i) footer[48 + i] = static_cast<std::byte>(disk.count >> (56 - 8 * i));
    std::uint32_t sum = 0;
    for (const std::byte byte : footer) sum += std::to_integer<std::uint32_t>(byte);
    for (std::size_t i = 0; i < 4; ++i) footer[64 + i] = static_cast<std::byte>(~sum >> (24 - 8 * i));
    return footer;
}

/// Trailer of a UDIF image with `data` bytes of contents at byte 0.
std::vector<std::byte> udif_trailer(Bytes data) {
    std::vector<std::byte> trailer = bytes_of(std::string_view("koly\0\0\0\4\0\0\2\0", 12));
    trailer.resize(container_footer.count);
    for (std::size_t i = 0; i < 8; ++i) trailer[32 + i] = static_cast<std::byte>(data.count >> (56 - 8 * i));
    return trailer;
}

InspectReport looked_at(const Image& image, std::uint32_t sector = 512) {
    auto report = inspect(image.descriptor(), image.size(), sector);
    REQUIRE(reason(report) == "success");
    return std::move(*report);
}

std::vector<Bytes> starts_of(const InspectReport& report) {
    std::vector<Bytes> starts;
    for (const InspectedVolume& volume : report.volumes) starts.push_back(volume.start);
    return starts;
}

bool has_stale(const InspectReport& report, std::string_view what) {
    return std::ranges::any_of(report.stale_signatures,
                               [&](const StaleSignature& stale) { return stale.what == what; });
}

} // namespace

TEST_CASE("an MBR with a valid entry takes precedence over a GPT that it does not announce") {
    Image image(64_MiB);
    put_gpt(image);
    put_entry(image, 0, 1, 0x0B, 8192, 40960);
    const InspectReport report = looked_at(image);
    CHECK(report.scheme == "mbr");
    CHECK(starts_of(report) == std::vector<Bytes>{4_MiB});
    CHECK(report.problem.empty());
    CHECK(has_stale(report, "GPT header"));
    CHECK(has_stale(report, "backup GPT header"));
    SECTION("an entry of type EE that begins elsewhere announces nothing") {
        put_entry(image, 0, 2, 0xEE, 63, 100);
        CHECK(looked_at(image).scheme == "mbr");
    }
    SECTION("an entry of type EE from sector 1 on announces the GPT") {
        put_entry(image, 0, 2, 0xEE, 1, 2047);
        const InspectReport hybrid = looked_at(image);
        CHECK(hybrid.scheme == "gpt");
        CHECK(starts_of(hybrid) == std::vector<Bytes>{1_MiB});
    }
}

TEST_CASE("an entry of type EE from sector 1 on without a valid copy is a damaged GPT") {
    Image image(64_MiB);
    put_entry(image, 0, 1, 0xEE, 1, 0xFFFFFFFF, 0x80);
    CHECK(looked_at(image).scheme == "gpt");
    CHECK(looked_at(image).volumes.empty());
    CHECK_THAT(looked_at(image).problem, StartsWith("GPT header in sector 1 (byte 512): Signature"));
    put_gpt(image);
    CHECK(looked_at(image).problem.empty());
    image.write(512, std::vector<int>(512, 0)); // the backup is left
    CHECK(starts_of(looked_at(image)) == std::vector<Bytes>{1_MiB});
}

TEST_CASE("one invalid entry or reserved field of a GPT is reported, and the other entries are used") {
    Image image(64_MiB);
    put_gpt(image);
    put_entry(image, 0, 1, 0xEE, 1, 0xFFFFFFFF);
    const auto correct = [&image](std::uint64_t header) {
        image.write(header + 0x58, le32(media::crc32(image.read(1024, 16384))));
        image.write(header + 0x10, le32(0));
        image.write(header + 0x10, le32(media::crc32(image.read(header, 92))));
    };
    SECTION("an entry that ends before it begins") {
        image.write(1024 + 128, image.read(1024, 128));
        image.write(1024 + 128 + 32, le64(9000));
        correct(512);
        CHECK(starts_of(looked_at(image)) == std::vector<Bytes>{1_MiB});
        CHECK_THAT(looked_at(image).problem,
                   StartsWith("GPT of sector 1 (byte 512): entry 2 ends before it begins (EndingLBA)"));
    }
    SECTION("reserved bytes and another revision") {
        image.write(512 + 0x14, le32(1));
        image.write(512 + 0x08, le32(0x00010002));
        correct(512);
        CHECK(starts_of(looked_at(image)) == std::vector<Bytes>{1_MiB});
        CHECK_THAT(looked_at(image).problem,
                   StartsWith("GPT of sector 1 (byte 512): Revision is 0x10002, 0x10000 expected; GPT of sector 1 "
                              "(byte 512): Reserved is 0x1, 0x0 expected"));
    }
}

TEST_CASE("if there is no other table, a GPT is used even if no MBR announces it") {
    Image image(64_MiB);
    put_gpt(image);
    CHECK(looked_at(image).scheme == "gpt");
    CHECK_THAT(looked_at(image).problem, ContainsSubstring("no protective MBR: BootSignature"));
    image.write(510, std::vector<int>{0x55, 0xAA});
    CHECK_THAT(looked_at(image).problem, ContainsSubstring("no protective MBR: sector 0 has no entry of type 0xee"));
}

TEST_CASE("a partition table within a boot sector takes precedence over the volume if all its entries are sound") {
    Image image(64_MiB);
    put_fat(image, 0);
    put_entry(image, 0, 1, 0x0C, 2048, 40960);
    CHECK(looked_at(image).scheme == "none");
    CHECK(looked_at(image).volumes.at(0).file_system == "fat16");
    put_fat(image, mib);
    const InspectReport report = looked_at(image);
    CHECK(report.scheme == "mbr");
    CHECK(starts_of(report) == std::vector<Bytes>{1_MiB});
    CHECK(has_stale(report, "FAT boot sector"));

    SECTION("the volume takes precedence over a table with an invalid status") {
        put_entry(image, 0, 2, 0x0C, 65536, 2048, 0x41);
        CHECK(looked_at(image).scheme == "none");
    }
    SECTION("the volume takes precedence over a table with an entry beyond the medium") {
        put_entry(image, 0, 2, 0x0C, 65536, 1 << 20);
        CHECK(looked_at(image).scheme == "none");
    }
    SECTION("the volume takes precedence over a table with a partition without a volume") {
        put_entry(image, 0, 2, 0x0C, 65536, 2048);
        CHECK(looked_at(image).scheme == "none");
        put_volume(image, 65536 * 512);
        CHECK(looked_at(image).scheme == "mbr");
    }
    SECTION("the volume takes precedence over the dummy entry of mkfs.fat, which begins in sector 0") {
        put_entry(image, 0, 2, 0x0C, 0, 40960, 0x80);
        const InspectReport bare = looked_at(image);
        CHECK(bare.scheme == "none");
        CHECK_THAT(bare.problem, !ContainsSubstring("partition table"));
    }
}

TEST_CASE("one invalid entry of an MBR is reported, and the others are used") {
    Image image(64_MiB);
    put_entry(image, 0, 1, 0x0C, 2048, 40960, 0x80);
    put_fat(image, mib);
    put_entry(image, 0, 2, 0x83, 0, 0);
    CHECK(starts_of(looked_at(image)) == std::vector<Bytes>{1_MiB});
    CHECK(looked_at(image).problem == "partition table in sector 0: entry 2 (byte 462): type 0x83 without sectors");
    put_entry(image, 0, 2, 0x83, 65536, 2048, 0x12);
    CHECK(starts_of(looked_at(image)) == std::vector<Bytes>{1_MiB});
    CHECK(looked_at(image).problem ==
          "partition table in sector 0: entry 2 (byte 462): status 0x12, 0x00 or 0x80 expected");
    put_entry(image, 0, 1, 0x83, 0, 0); // no valid entry is left
    CHECK(looked_at(image).scheme == "none");
}

TEST_CASE("an optical image with an MBR is one volume") {
    Image image(64_MiB);
    image.write(32769, bytes_of("CD001"));
    SECTION("its first entry begins in sector 0") {
        put_entry(image, 0, 1, 0x17, 0, 131072, 0x80);
        put_entry(image, 0, 2, 0xEF, 8192, 2048);
    }
    SECTION("its first entry begins in sector 0 without a type") {
        put_entry(image, 0, 1, 0x00, 0, 131072, 0x80);
        put_entry(image, 0, 2, 0xEF, 8192, 2048);
    }
    SECTION("one entry contains the descriptors") {
        put_entry(image, 0, 1, 0xCD, 1, 131071, 0x80);
    }
    CHECK(looked_at(image).scheme == "none");
    CHECK(looked_at(image).volumes.at(0).file_system == "iso9660");
}

TEST_CASE("logical partitions are followed") {
    for (const int type : {0x05, 0x0F, 0x85}) {
        CAPTURE(type);
        Image image(64_MiB);
        put_entry(image, 0, 1, 0x0C, 2048, 8192);
        put_entry(image, 0, 2, type, 16384, 98304);
        put_entry(image, 16384 * 512, 1, 0x83, 2048, 2048); // sector 18432
        put_entry(image, 16384 * 512, 2, 0x05, 8192, 8192); // record in sector 24576
        put_entry(image, 24576 * 512, 1, 0x0C, 2048, 6144); // sector 26624
        put_volume(image, 26624 * 512);
        const InspectReport report = looked_at(image);
        CHECK(report.scheme == "mbr");
        CHECK(report.problem.empty());
        CHECK(starts_of(report) == std::vector<Bytes>{1_MiB, Bytes{18432 * 512}, Bytes{26624 * 512}});
        CHECK(parameter(report.volumes[1], "partition_number") == "5");
        CHECK(parameter(report.volumes[2], "partition_number") == "6");
        CHECK(report.volumes[2].file_system == "xfs");
        for (const InspectedVolume& volume : report.volumes) CHECK(volume.problem.empty());
        const auto place = std::ranges::find(report.volumes[2].places, "partition_type", &FieldLocation::name);
        REQUIRE(place != report.volumes[2].places.end());
        CHECK(place->at == Bytes{24576 * 512 + 450});
        const auto extended =
            std::ranges::find(report.parameters, "extended_partition_2_start", &Parameters::value_type::first);
        REQUIRE(extended != report.parameters.end());
        CHECK(extended->second == "8388608");
        CHECK(partition_spans({image.descriptor(), image.size()}, 512_B).size() == 4);
    }
}

TEST_CASE("a chain of logical partitions ends at a damaged record, which is reported with its place") {
    Image image(64_MiB);
    put_entry(image, 0, 1, 0x05, 16384, 98304);
    put_entry(image, 16384 * 512, 1, 0x83, 2048, 2048);
    put_entry(image, 16384 * 512, 2, 0x05, 8192, 8192);
    SECTION("a loop") {
        put_entry(image, 24576 * 512, 1, 0x83, 2048, 2048);
        put_entry(image, 24576 * 512, 2, 0x05, 8192, 8192); // itself
        const InspectReport report = looked_at(image);
        CHECK(report.volumes.size() == 2);
        CHECK(report.problem ==
              "extended boot record in sector 24576 (byte 12582912): the chain of logical partitions returns to it");
    }
    SECTION("a record without its signature") {
        const InspectReport report = looked_at(image);
        CHECK(report.volumes.size() == 1);
        CHECK(report.problem == "extended boot record in sector 24576 (byte 12582912): BootSignature");
    }
    SECTION("a record beyond the medium") {
        put_entry(image, 16384 * 512, 2, 0x05, 1 << 20, 8192);
        CHECK(looked_at(image).problem ==
              "extended boot record in sector 1064960 (byte 545259520): it is beyond the medium");
    }
    SECTION("a long chain") {
        for (std::uint32_t i = 0; i < 200; ++i) {
            const std::uint64_t record = (16384 + std::uint64_t{i} * 64) * 512;
            put_entry(image, record, 1, 0x83, 1, 63);
            put_entry(image, record, 2, 0x05, (i + 1) * 64, 64);
        }
        const InspectReport report = looked_at(image);
        CHECK(report.volumes.size() == 128);
        CHECK_THAT(report.problem, ContainsSubstring("the chain has more than 128 records"));
    }
}

TEST_CASE(
    "the positions of the volumes determine the unit of a partition table that differs from the medium's sector size") {
    Image image(64_MiB);
    put_entry(image, 0, 1, 0x07, 256, 2048); // sectors of 4096 bytes: 1 MiB, 8 MiB
    put_entry(image, 0, 2, 0x07, 2560, 2048);
    put_volume(image, mib);
    put_volume(image, 10 * mib);
    const InspectReport report = looked_at(image);
    CHECK(starts_of(report) == std::vector<Bytes>{1_MiB, 10_MiB});
    CHECK(report.problem == "the MBR counts in sectors of 4096 bytes, the medium in 512");
    CHECK(partition_spans({image.descriptor(), image.size()}, 512_B) ==
          std::vector<VolumeSpan>{{1_MiB, 8_MiB, 1}, {10_MiB, 8_MiB, 2}});
    SECTION("a volume in the unit of the medium decides") {
        put_volume(image, 256 * 512);
        CHECK(starts_of(looked_at(image)).front() == Bytes{256 * 512});
    }
    for (const std::uint64_t unit : {1024u, 2048u, 4096u}) {
        CAPTURE(unit);
        Image other(64_MiB);
        put_gpt(other, unit);
        put_entry(other, 0, 1, 0xEE, 1, 0xFFFFFFFF);
        CHECK(starts_of(looked_at(other)) == std::vector<Bytes>{1_MiB});
        CHECK_THAT(looked_at(other).problem, StartsWith(fmt::format("the GPT at byte {} counts in sectors", unit)));
    }
}

TEST_CASE("an Apple partition map is a partition table") {
    Image image(64_MiB);
    const auto put_map_entry = [&image](std::uint64_t block, std::uint32_t number, std::uint32_t count,
                                        std::uint32_t first, std::uint32_t blocks, std::string_view type) {
        const std::uint64_t at = block * number;
        image.write(at, bytes_of("PM"));
        image.write(at + 4, be32(count));
        image.write(at + 8, be32(first));
        image.write(at + 12, be32(blocks));
        image.write(at + 16, bytes_of("disk"));
        image.write(at + 48, bytes_of(type));
    };
    for (const unsigned block : {512u, 2048u}) {
        CAPTURE(block);
        image.write(0, std::vector<int>(8192, 0));
        image.write(0, bytes_of("ER"));
        image.write(2, be16(block));
        put_map_entry(block, 1, 3, 1, 63, "Apple_partition_map");
        put_map_entry(block, 2, 3, static_cast<std::uint32_t>(mib / block), 4096, "Apple_HFS");
        put_map_entry(block, 3, 3, static_cast<std::uint32_t>(32 * mib / block), 100, "Apple_Free");
        put_volume(image, mib);
        const InspectReport report = looked_at(image);
        CHECK(report.scheme == "apm");
        CHECK(report.problem.empty());
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].start == 1_MiB);
        CHECK(report.volumes[0].length == Bytes{4096ULL * block});
        CHECK(report.volumes[0].file_system == "xfs");
        CHECK(parameter(report.volumes[0], "partition_type") == "Apple_HFS");
        CHECK(parameter(report.volumes[0], "partition_name") == "disk");
        CHECK_FALSE(has_stale(report, "Apple partition map"));
        CHECK(partition_spans({image.descriptor(), image.size()}, 512_B).size() == 1);
        image.write(3ULL * block, std::vector<int>{0, 0});
        CHECK(looked_at(image).problem ==
              fmt::format("Apple partition map: entry 3 at byte {} has no signature PM", 3 * block));
    }
    image.write(2048 + 4, be32(0x10000000));
    CHECK_THAT(looked_at(image).problem, ContainsSubstring("pmMapBlkCnt of entry 1 at byte 2048 is 268435456"));
    put_entry(image, 0, 1, 0x83, 2048, 2048);
    CHECK(looked_at(image).scheme == "mbr");
}

TEST_CASE("well-known partition types are named") {
    CHECK(gpt_type_name("e3c9e316-0b5c-4db8-817d-f92df00215ae") == "Microsoft reserved");
    CHECK(gpt_type_name("21686148-6449-6e6f-744e-656564454649") == "BIOS boot");
    CHECK(gpt_type_name("53746f72-6167-11aa-aa11-00306543ecac") == "Apple Core Storage");
    CHECK(gpt_type_name("00000000-0000-0000-0000-000000000001").empty());
    CHECK(mbr_type_name(0x0C) == "FAT32 (LBA)");
    CHECK(mbr_type_name(0x77).empty());
    Image image(64_MiB);
    put_entry(image, 0, 1, 0x82, 2048, 2048);
    put_entry(image, 0, 2, 0x77, 8192, 2048);
    const InspectReport report = looked_at(image);
    CHECK(parameter(report.volumes.at(0), "partition_type_name") == "Linux swap");
    CHECK_FALSE(parameter(report.volumes.at(1), "partition_type_name"));
}

TEST_CASE("a bridge of UDF and ISO 9660 is recognised as UDF by any of its descriptors") {
    const auto put_descriptors = [](Image& image, const std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size(); ++i) image.write(32769 + 2048 * i, bytes_of(names[i]));
    };
    for (const std::vector<std::string>& names :
         {std::vector<std::string>{"CD001", "BEA01", "NSR02", "TEA01"},
          std::vector<std::string>{"CD001", "CD001", "CD001", "BEA01", "NSR02", "TEA01"},
          std::vector<std::string>{"CD001", "CD001", "CD001", "CD001", "CD001", "CD001", "CD001", "CD001", "BEA01",
                                   "BOOT2", "NSR03", "TEA01"},
          std::vector<std::string>{"BEA01", "", "NSR03", "", "TEA01"}}) { // blocks of 4096 bytes
        Image image(8_MiB);
        put_descriptors(image, names);
        CHECK(looked_at(image).volumes.at(0).file_system == "udf");
        CHECK(looked_at(image).stale_signatures.empty());
    }
    Image iso(8_MiB);
    put_descriptors(iso, {"CD001", "CD001", "CD001", "CD001", "CD001", "CD001"});
    CHECK(looked_at(iso).volumes.at(0).file_system == "iso9660");
}

TEST_CASE("a bridge with foreign descriptors between its own, or with an MBR, is one UDF volume") {
    Image image(64_MiB);
    const std::vector<std::string> names{"CD001", "CDW02", "CD001", "CD001", "BEA01", "NSR02", "TEA01"};
    for (std::size_t i = 0; i < names.size(); ++i) image.write(32769 + 2048 * i, bytes_of(names[i]));
    SECTION("without a table") {}
    SECTION("an MBR whose entry begins in sector 0") {
        put_entry(image, 0, 1, 0x17, 0, 131072, 0x80);
    }
    const InspectReport report = looked_at(image);
    CHECK(report.scheme == "none");
    REQUIRE(report.volumes.size() == 1);
    CHECK(report.volumes[0].file_system == "udf");
    CHECK(report.volumes[0].start == 0_B);
}

TEST_CASE("a partition of a hybrid image that contains the descriptors of the image has its file system") {
    for (const auto& [second, file_system] : {std::pair{"CD001", "iso9660"}, {"NSR02", "udf"}}) {
        CAPTURE(file_system);
        Image image(64_MiB);
        image.write(32769, bytes_of("CD001"));
        image.write(32769 + 2048, bytes_of(second));
        put_entry(image, 0, 1, 0xEE, 1, 131071);
        put_gpt(image, 512, 32_KiB);
        const InspectReport report = looked_at(image);
        CHECK(report.scheme == "gpt");
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].file_system == file_system);
        CHECK(report.stale_signatures.empty());
        // A partition that begins after the descriptors does not contain them.
        put_gpt(image, 512, 1_MiB);
        CHECK(looked_at(image).volumes.at(0).file_system.empty());
    }
}

TEST_CASE("containers of emulators and of macOS are named as such") {
    struct Row {
        const char* name;
        std::uint64_t at;
        std::vector<std::byte> bytes;
        bool encrypted;
    };
    const std::uint64_t size = 8 * mib;
    const Row rows[] = {
        {"qcow2", 0, bytes_of(std::string_view("QFI\xFB\0\0\0\3", 8)), false},
        {"vhdx", 0, bytes_of("vhdxfile"), false},
        {"vhd", 0, bytes_of("conectix"), false},
        {"vhd", size - 512, vhd_footer(8_MiB - 512_B), false},
        {"vdi", 64, bytes_of("\x7F\x10\xDA\xBE"), false},
        {"vmdk", 0, bytes_of("KDMV"), false},
        {"dmg", size - 512, udif_trailer(1_MiB), false},
        {"dmg", 0, bytes_of("encrcdsa"), true},
        {"dmg", size - 8, bytes_of("cdsaencr"), true},
        {"dmg", 0, bytes_of("sprs"), false},
        {"ewf", 0, bytes_of(std::string_view("EVF2\r\n\x81\0", 8)), false},
    };
    for (const Row& row : rows) {
        INFO(row.name << " at byte " << row.at);
        Image image(8_MiB);
        image.write(row.at, row.bytes);
        const InspectReport report = looked_at(image);
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].file_system == row.name);
        CHECK_THAT(report.volumes[0].problem, StartsWith(row.encrypted ? "encrypted: dmg" : "container: "));
    }
}

TEST_CASE("a container with a footer is named although the contents of a medium precede the footer") {
    const Bytes whole = 8_MiB + 512_B;
    struct Row {
        const char* name;
        std::vector<std::byte> footer;
    };
    for (const Row& row : {Row{"vhd", vhd_footer(8_MiB)}, {"dmg", udif_trailer(7_MiB)}}) {
        CAPTURE(row.name);
        Image image(whole);
        put_entry(image, 0, 1, 0x83, 2048, 2048);
        put_volume(image, mib);
        image.write((8_MiB).count, row.footer);
        const InspectReport report = looked_at(image);
        CHECK(report.scheme == "none");
        REQUIRE(report.volumes.size() == 1);
        CHECK(report.volumes[0].file_system == row.name);
        CHECK(report.volumes[0].problem ==
              fmt::format("container: an image file of the format {} by its signature at byte 8388608; convert it to a "
                          "raw image to read its contents",
                          row.name));
        CHECK(report.stale_signatures.empty());
        // A copy of the image on a larger medium is a medium.
        Image copied(16_MiB);
        put_entry(copied, 0, 1, 0x83, 2048, 2048);
        put_volume(copied, mib);
        copied.write((8_MiB).count, row.footer);
        CHECK(looked_at(copied).volumes.at(0).file_system == "xfs");
    }
}

TEST_CASE("a footer that does not fit the file is not the footer of a container") {
    const Bytes whole = 8_MiB + 512_B;
    auto wrong_sum = vhd_footer(8_MiB);
    wrong_sum[100] = std::byte{1};
    for (const std::vector<std::byte>& footer :
         {vhd_footer(7_MiB), wrong_sum, udif_trailer(9_MiB), bytes_of("koly"), bytes_of("conectix")}) {
        Image image(whole);
        put_entry(image, 0, 1, 0x83, 2048, 2048);
        put_volume(image, mib);
        image.write((8_MiB).count, footer);
        CHECK(looked_at(image).volumes.at(0).file_system == "xfs");
    }
    CHECK_FALSE(recognise_container_footer(bytes_of("koly"), 512_B));
}

TEST_CASE("Core Storage is not called encrypted, because its header does not state it") {
    Image image(8_MiB);
    image.write(8, std::vector<int>{1, 0, 0x10, 0});
    image.write(75, std::vector<int>{1});
    image.write(88, bytes_of("CS"));
    const InspectReport report = looked_at(image);
    REQUIRE(report.volumes.size() == 1);
    CHECK(report.volumes[0].file_system == "core_storage");
    CHECK(report.volumes[0].problem ==
          "possibly encrypted: core_storage by its signature at byte 88, its contents cannot be read");
}
