// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/conformance/layout.hpp"
#include "host/media/conformance/profile.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

/// A 64 GB card as formatted by a camera.
InspectReport camera_card() {
    InspectReport report{.size = Bytes{124735488ULL * 512}, .scheme = "mbr", .volumes = {}};
    report.volumes.push_back({.start = 16_MiB,
                              .length = Bytes{124702720ULL * 512},
                              .file_system = "exfat",
                              .label = {},
                              .parameters = {{"partition_type", "0x07"},
                                             {"cluster_size", "131072"},
                                             {"sector_size", "512"},
                                             {"partition_offset", "16777216"},
                                             {"fat_offset", "8388608"},
                                             {"fat_length", "8388608"},
                                             {"cluster_heap_offset", "16777216"},
                                             {"volume_dirty", "no"},
                                             {"serial_number", "1234-5678"}},
                              .problem = {},
                              .places = {},
                              .usable = {},
                              .fingerprint = {}});
    return report;
}

void set(InspectReport& report, const std::string& name, const std::string& value) {
    for (auto& [key, text] : report.volumes.at(0).parameters)
        if (key == name) text = value;
}

std::vector<std::string> lines_of(const std::vector<Deviation>& deviations) {
    std::vector<std::string> lines;
    for (const Deviation& deviation : deviations)
        lines.push_back(fmt::format("{} {} {}: {} not {}", name_of(deviation.severity), deviation.subject,
                                    deviation.name, deviation.found, deviation.expected));
    return lines;
}

std::vector<std::string> against_sd(const InspectReport& report) {
    return lines_of(deviations_from(ConformanceStandard::sd, report));
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a camera-formatted card meets the expectations of SD hosts") {
    CHECK(against_sd(camera_card()).empty());
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, camera_card())).empty());
}

TEST_CASE("sd: each single deviation is named by parameter and expected value") {
    struct Row {
        const char* name;
        const char* value;
        Lines lines;
    };
    const Row rows[] = {
        {"cluster_size", "32768", {"warning volume 1 cluster_size: 32768 (32 KiB) not 131072 (128 KiB)"}},
        {"partition_type", "0x0c", {"error volume 1 partition_type: 0x0c not the type of exfat"}},
        {"cluster_heap_offset",
         "16646144",
         {"warning volume 1 cluster_heap_offset: 33423360 (32640 KiB) on the medium not a multiple of 16777216 (16 "
          "MiB)"}},
        {"fat_offset", "1048576", {"warning volume 1 fat_offset: 1048576 (1 MiB) not 8388608 (8 MiB)"}},
        {"sector_size", "4096", {"error volume 1 sector_size: 4096 not 512"}},
        {"partition_offset", "1048576", {"warning volume 1 partition_offset: 1048576 (1 MiB) not 16777216 (16 MiB)"}},
        {"partition_offset", "0", {}},
        {"volume_dirty", "yes", {"warning volume 1 volume_dirty: yes not no"}},
        // The FAT is intentionally large on real cards.
        {"fat_length", "4194304", {"note volume 1 fat_length: 4194304 (4 MiB) not 8388608 (8 MiB)"}},
        {"serial_number", "0000-0000", {}},
    };
    for (const Row& row : rows) {
        InspectReport report = camera_card();
        set(report, row.name, row.value);
        INFO(row.name << " = " << row.value);
        CHECK(against_sd(report) == row.lines);
    }
}

TEST_CASE("sd: a wrong table, file system or start is reported as a deviation") {
    InspectReport gpt = camera_card();
    gpt.scheme = "gpt";
    CHECK(against_sd(gpt) == Lines{"warning partition table scheme: gpt not mbr"});

    InspectReport bare = camera_card();
    bare.volumes.clear();
    CHECK(against_sd(bare) ==
          Lines{"error medium content: no partition not a file system", "warning partition table partitions: 0 not 1"});

    InspectReport hfs = camera_card();
    hfs.volumes.at(0).file_system = "hfs+j";
    CHECK(against_sd(hfs) == Lines{"error volume 1 partition_type: 0x07 not the type of hfs+j",
                                   "warning volume 1 file_system: hfs+j not exfat"});

    InspectReport linux_start = camera_card();
    linux_start.volumes.at(0).start = 1_MiB;
    set(linux_start, "partition_offset", "1048576");
    CHECK(against_sd(linux_start) ==
          Lines{"warning volume 1 start: 1048576 (1 MiB) not a multiple of 16777216 (16 MiB)",
                "warning volume 1 cluster_heap_offset: 17825792 (17 MiB) on the medium not a multiple of 16777216 (16 "
                "MiB)"});

    InspectReport dos = camera_card();
    dos.volumes.at(0).start = Bytes{63 * 512};
    set(dos, "partition_offset", "0");
    CHECK(against_sd(dos).front() == "warning volume 1 start: 32256 not a multiple of 16777216 (16 MiB)");
}

TEST_CASE("sd: cluster size, boundary unit and file system follow from the capacity, also at the limits of a class") {
    struct Row {
        Bytes capacity;
        Bytes cluster, unit;
        const char* file_system;
    };
    const Row rows[] = {{8_MiB, 8_KiB, 8_KiB, "fat12"},      {64_MiB, 16_KiB, 16_KiB, "fat12"},
                        {256_MiB, 16_KiB, 32_KiB, "fat16"},  {1_GiB, 16_KiB, 64_KiB, "fat16"},
                        {2_GiB, 32_KiB, 64_KiB, "fat16"},    {2_GiB + 512_B, 32_KiB, 4_MiB, "fat32"},
                        {32_GiB, 32_KiB, 4_MiB, "fat32"},    {32_GiB + 512_B, 128_KiB, 16_MiB, "exfat"},
                        {128_GiB, 128_KiB, 16_MiB, "exfat"}, {128_GiB + 512_B, 256_KiB, 32_MiB, "exfat"},
                        {512_GiB, 256_KiB, 32_MiB, "exfat"}, {512_GiB + 512_B, 512_KiB, 64_MiB, "exfat"},
                        {2048_GiB, 512_KiB, 64_MiB, "exfat"}};
    for (const Row& row : rows) {
        const auto layout = sd_layout_for(row.capacity);
        INFO(row.capacity.count);
        REQUIRE(layout);
        CHECK(layout->cluster_size == row.cluster);
        CHECK(layout->boundary_unit == row.unit);
        CHECK(name_of(layout->file_system) == row.file_system);
    }
    CHECK_FALSE(sd_layout_for(2048_GiB + 512_B));
    InspectReport huge = camera_card();
    huge.size = 4096_GiB;
    // A value for which no public source exists is not reported as a deviation.
    CHECK(against_sd(huge) ==
          Lines{"note medium size: 4398046511104 (4194304 MiB) not a medium with a published layout"});
}

TEST_CASE("sd: the start of FAT16 aligns its data area, and FAT32 begins at a boundary unit") {
    // A card of 2 GB in the layout of SdFat's formatter.
    InspectReport card{.size = Bytes{3'862'528ULL * 512}, .scheme = "mbr", .volumes = {}};
    card.volumes.push_back({.start = Bytes{135 * 512},
                            .length = Bytes{3'862'393ULL * 512},
                            .file_system = "fat16",
                            .label = {},
                            .parameters = {{"partition_type", "0x06"},
                                           {"cluster_size", "32768"},
                                           {"data_offset", std::to_string(505 * 512)}},
                            .problem = {},
                            .places = {},
                            .usable = {},
                            .fingerprint = {}});
    CHECK(against_sd(card) == Lines{});
    // The result of "format --profile sd" is sound, but a misaligned start is not.
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, card)) == Lines{});
    card.volumes.front().start = Bytes{137 * 512};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, card)) ==
          Lines{"warning volume 1 start: 70144 not a whole MiB"});
    card.volumes.front().start = Bytes{63 * 512};
    CHECK(against_sd(card) == Lines{"warning volume 1 data_offset: 290816 (284 KiB) on the medium not a multiple of "
                                    "65536 (64 KiB)"});
    InspectReport larger = card;
    larger.size = Bytes{7'744'512ULL * 512};
    larger.volumes.front().file_system = "fat32";
    set(larger, "partition_type", "0x0b");
    set(larger, "data_offset", std::to_string(8192 * 512 - 63 * 512));
    larger.volumes.front().length = larger.size - Bytes{63 * 512};
    CHECK(against_sd(larger) == Lines{"warning volume 1 start: 32256 not a multiple of 4194304 (4 MiB)"});
}

TEST_CASE("the EFI partition of a Mac is expected at Apple's offset") {
    InspectReport mac{.size = 64_GiB, .scheme = "gpt", .volumes = {}};
    mac.volumes.push_back({.start = Bytes{40 * 512},
                           .length = Bytes{409600 * 512},
                           .file_system = "fat32",
                           .label = "EFI",
                           .parameters = {{"partition_type", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"}},
                           .problem = {},
                           .places = {},
                           .usable = {},
                           .fingerprint = {}});
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, mac)) ==
          Lines{"note volume 1 start: 20480 (20 KiB) not a whole MiB"});
    set(mac, "partition_type", "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7");
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, mac)) ==
          Lines{"warning volume 1 start: 20480 (20 KiB) not a whole MiB"});
}

TEST_CASE("any medium: damage gives an error, stale signatures give a warning outside volumes and a note inside") {
    InspectReport report = camera_card();
    report.problem = "backup: GPT header in sector 9: HeaderCRC32";
    report.volumes.at(0).problem = "root directory at byte 12: no allocation bitmap in the root directory";
    report.stale_signatures = {{.what = "backup GPT header", .at = 4096_B, .in_volume = false},
                               {.what = "FAT boot sector", .at = 64_MiB, .in_volume = true}};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"error partition table problem: backup: GPT header in sector 9: HeaderCRC32 not none",
                "error volume 1 problem: root directory at byte 12: no allocation bitmap in the root directory not "
                "none",
                "warning medium stale signature: backup GPT header at byte 4096 not none",
                "note medium stale signature: FAT boot sector at byte 67108864 not none"});
}

TEST_CASE("a medium with unknown contents causes an error about its contents, not about a missing table") {
    const InspectReport report{.size = 64_GiB, .scheme = "none", .volumes = {}, .problem = "empty: nothing begins"};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"error medium content: empty: nothing begins not a file system"});
}

TEST_CASE("the standards windows, macos and linux expect the known defaults of their formatters") {
    InspectReport report = camera_card();
    const std::string start = "note volume 1 start: 16777216 (16 MiB) not 1048576 (1 MiB)";
    CHECK(lines_of(deviations_from(ConformanceStandard::windows, report)) == Lines{start});
    set(report, "cluster_size", "32768");
    CHECK(lines_of(deviations_from(ConformanceStandard::windows, report)) ==
          Lines{"warning volume 1 cluster_size: 32768 (32 KiB) not 131072 (128 KiB)", start});
    CHECK(lines_of(deviations_from(ConformanceStandard::linux, camera_card())) ==
          Lines{"note volume 1 start: 16777216 (16 MiB) not 1048576 (1 MiB)",
                "note volume 1 fat_offset: 8388608 (8 MiB) not 1048576 (1 MiB)"});
    // macOS's layout of small media is unknown.
    InspectReport small = camera_card();
    small.size = 2_GiB;
    CHECK(lines_of(deviations_from(ConformanceStandard::macos, small)) ==
          Lines{"note medium size: 2147483648 (2048 MiB) not a medium with a published layout"});
    CHECK(lines_of(deviations_from(ConformanceStandard::macos, camera_card())) ==
          Lines{"warning partition table scheme: mbr not gpt", "note partition table partitions: 1 not 2",
                "note volume 1 start: 16777216 (16 MiB) not 210763776 (201 MiB)",
                "note volume 1 fat_offset: 8388608 (8 MiB) not 1048576 (1 MiB)"});

    InspectReport hfs{.size = 120_GiB, .scheme = "gpt", .volumes = {}};
    hfs.volumes.push_back({.start = Bytes{40 * 512},
                           .length = Bytes{409600 * 512},
                           .file_system = "fat32",
                           .label = "EFI",
                           .parameters = {{"partition_type", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"}},
                           .problem = {},
                           .places = {},
                           .usable = {},
                           .fingerprint = {}});
    hfs.volumes.push_back({.start = Bytes{409640ULL * 512},
                           .length = 120_GiB - 128_MiB - Bytes{409640ULL * 512} - 20_KiB,
                           .file_system = "hfs+j",
                           .label = {},
                           .parameters = {{"partition_type", "48465300-0000-11aa-aa11-00306543ecac"},
                                          {"block_size", "4096"},
                                          {"journaled", "yes"},
                                          {"journal_size", "16777216"},
                                          {"catalog_node_size", "8192"},
                                          {"extents_node_size", "4096"},
                                          {"attributes_node_size", "8192"}},
                           .problem = {},
                           .places = {},
                           .usable = {},
                           .fingerprint = {}});
    CHECK(lines_of(deviations_from(ConformanceStandard::macos, hfs)) == Lines{});
    hfs.volumes[1].parameters[2].second = "no";
    hfs.volumes[1].parameters[3].second = "8388608";
    CHECK(lines_of(deviations_from(ConformanceStandard::macos, hfs)) ==
          Lines{"warning volume 2 journaled: no not yes",
                "warning volume 2 journal_size: 8388608 (8 MiB) not 16777216 (16 MiB)"});
}

TEST_CASE("partitions without a file system are equivalent to an empty medium") {
    InspectReport report = camera_card();
    report.volumes[0].file_system.clear();
    report.volumes[0].parameters = {{"partition_type", "0x07"}};
    report.volumes[0].length = report.size - 16_MiB;
    const std::string nothing = "error medium content: no file system known in any partition not a file system";
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) == Lines{nothing});
    CHECK(lines_of(deviations_from(ConformanceStandard::windows, report)).front() == nothing);

    // Microsoft's reserved partition is empty and exists next to a partition with contents.
    InspectReport reserved = camera_card();
    reserved.volumes.push_back(report.volumes[0]);
    reserved.volumes.back().length = 16_MiB;
    CHECK(deviations_from(ConformanceStandard::sound, reserved).empty());
}

TEST_CASE("the partition types of FAT in an MBR are equivalent, and the type of exFAT differs from them") {
    for (const char* type : {"0x01", "0x04", "0x06", "0x0b", "0x0c", "0x0e"})
        for (const char* width : {"fat12", "fat16", "fat32"}) {
            CAPTURE(type, width);
            InspectReport report = camera_card();
            report.volumes[0].file_system = width;
            report.volumes[0].parameters = {{"partition_type", type}};
            CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)).empty());
        }
    InspectReport report = camera_card();
    report.volumes[0].file_system = "fat32";
    report.volumes[0].parameters = {{"partition_type", "0x07"}};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"error volume 1 partition_type: 0x07 not the type of fat32"});
}

TEST_CASE("a FAT32 with the clusters of FAT12 or FAT16 is reported as a deviation") {
    InspectReport report = camera_card();
    report.volumes[0].file_system = "fat32";
    report.volumes[0].parameters = {{"partition_type", "0x0c"}, {"cluster_count", "64495"}};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"warning volume 1 cluster_count: 64495 not at least 65525"});
    report.volumes[0].parameters = {{"partition_type", "0x0c"}, {"cluster_count", "65525"}};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)).empty());
}

TEST_CASE("a file system that the expected system does not mount gives a warning") {
    struct Row {
        ConformanceStandard system;
        const char* file_system;
        const char* expected; ///< nullptr if the system mounts the file system
    };
    const char* const windows = "exfat, fat32, fat16, fat12, ntfs, refs, udf, iso9660, bitlocker";
    const char* const macos = "exfat, fat32, fat16, fat12, apfs, hfs+, hfs+j, hfsx, hfsx+j, udf, iso9660, core_storage";
    const Row rows[] = {
        {ConformanceStandard::windows, "ntfs", nullptr},
        {ConformanceStandard::windows, "apfs", windows},
        {ConformanceStandard::windows, "ext4", windows},
        {ConformanceStandard::windows, "hfs+j", windows},
        {ConformanceStandard::windows, "luks", windows},
        {ConformanceStandard::macos, "apfs", nullptr},
        {ConformanceStandard::macos, "hfsx+j", "exfat, apfs, hfs+j, fat32"}, // diskutil makes HFSX on request only
        {ConformanceStandard::macos, "ext4", macos},
        {ConformanceStandard::macos, "bitlocker", macos},
        {ConformanceStandard::linux, "ext4", nullptr},
        {ConformanceStandard::linux, "hfs+j", "exfat, fat32"}, // Linux mounts HFS+, and the profile does not make HFS+
        {ConformanceStandard::linux, "luks", nullptr},
        {ConformanceStandard::linux, "apfs", "a file system that Linux mounts"},
        {ConformanceStandard::linux, "refs", "a file system that Linux mounts"},
        {ConformanceStandard::macos, "core_storage", nullptr},
    };
    for (const Row& row : rows) {
        CAPTURE(row.file_system);
        InspectReport report = camera_card();
        report.volumes[0].file_system = row.file_system;
        report.volumes[0].parameters.clear();
        Lines told;
        for (const std::string& line : lines_of(deviations_from(row.system, report)))
            if (line.find("file_system") != std::string::npos) told.push_back(line);
        Lines expected;
        if (row.expected != nullptr)
            expected.push_back(fmt::format("warning volume 1 file_system: {} not {}", row.file_system, row.expected));
        CHECK(told == expected);
    }
}

TEST_CASE("a file system that is recognised only by its signature gives a note") {
    InspectReport report = camera_card();
    report.volumes[0].file_system = "ext4";
    report.volumes[0].parameters = {{"signature", "ext4"}};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"note volume 1 file_system: ext4 not a file system that mediarig reads"});
}

TEST_CASE("a maker's profile is made from a golden medium, stored as JSON and matched by an equal medium") {
    const InspectReport golden = camera_card();
    const Profile profile = profile_from(golden, "card of 64 GB");
    const auto read = profile_from_json(to_json(profile).dump());
    REQUIRE(reason(read) == "success");
    CHECK(*read == profile);
    CHECK(deviations_from(*read, golden).empty());

    InspectReport like = golden;
    set(like, "serial_number", "DEAD-BEEF");
    CHECK(deviations_from(*read, like).empty());

    InspectReport other = golden;
    set(other, "cluster_size", "65536");
    other.volumes.at(0).label = "NEW";
    CHECK(lines_of(deviations_from(*read, other)) ==
          Lines{"warning volume 1 label: NEW not ", "warning volume 1 cluster_size: 65536 not 131072"});
    InspectReport without = golden;
    without.volumes.clear();
    CHECK(lines_of(deviations_from(*read, without)) == Lines{"warning partition table partitions: 0 not 1"});
}

TEST_CASE("a profile does not check omitted parameters") {
    const auto profile = profile_from_json(R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr"})");
    REQUIRE(reason(profile) == "success");
    CHECK(deviations_from(*profile, camera_card()).empty());
    const auto without = profile_from_json(R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": []})");
    REQUIRE(reason(without) == "success");
    CHECK(lines_of(deviations_from(*without, camera_card())) == Lines{"warning partition table partitions: 1 not 0"});
}

TEST_CASE("a profile omits values that differ between media, for each volume of an APFS container") {
    InspectReport golden = camera_card();
    golden.volumes[0].parameters = {{"volume_uuid", "1"},     {"volume_2_uuid", "2"},   {"volume_2_role", "0x0"},
                                    {"volume_12_files", "3"}, {"volume_2_files", "4"},  {"volume_role", "0x0"},
                                    {"volume_x_uuid", "5"},   {"volume_12_uuid", "0x0"}};
    const Profile profile = profile_from(golden, "two volumes");
    REQUIRE(profile.volumes.value().size() == 1);
    std::vector<std::string> names;
    for (const RequiredValue& expected : profile.volumes->front()) names.push_back(expected.name);
    CHECK(names == std::vector<std::string>{"start", "length", "file_system", "label", "volume_2_role", "volume_role",
                                            "volume_x_uuid"});
}

TEST_CASE("an invalid profile is refused with the position of the fault") {
    struct Row {
        const char* text;
        const char* fault;
    };
    const Row rows[] = {
        {"", "/: line 1, column 1: is empty"},
        {"{", "/: line 1, column 2: is incomplete"},
        {"[]", "/: must be an object, is an empty list"},
        {"{}", "/mediarig_profile: is missing; a profile begins with \"mediarig_profile\": 1; and 2 more faults"},
        {R"({"mediarig_profile": 2, "name": "x", "scheme": "mbr"})",
         "/mediarig_profile: is 2, and this mediarig reads version 1"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volums": []})",
         "/volums: unknown member; did you mean \"volumes\"?"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "name": "y"})", "/name: occurs twice; keep one"},
        {R"({"mediarig_profile": 1, "name": "x"})", "/scheme: is missing; use \"none\", \"mbr\" or \"gpt\""},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mrb"})",
         "/scheme: unknown partition table \"mrb\"; did you mean \"mbr\"?"},
        {R"({"mediarig_profile": 1, "name": 5, "scheme": "mbr"})", "/name: must be text, is 5"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "size": 99999999999999999999})", "/size: "},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "size": -1})", "/size: "},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": [1]})", "/volumes/0: "},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": [[{"name": "a"}]]})",
         "/volumes/0/0/value: is missing; give the expected value as a string"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": [[{"name": "a", "value": 1}]]})",
         "/volumes/0/0/value: must be text, is 1"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr",
             "volumes": [[{"name": "a", "value": "1", "sevrity": "error"}]]})",
         "/volumes/0/0/sevrity: unknown member; did you mean \"severity\"?"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr",
             "volumes": [[{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]]})",
         "/volumes/0/1: \"a\" is expected twice; keep one"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr",
             "volumes": [[{"name": "a", "value": "1", "severity": "loud"}]]})",
         "/volumes/0/0/severity: unknown severity \"loud\""}};
    for (const Row& row : rows) CHECK_THAT(reason(profile_from_json(row.text)), Catch::Matchers::StartsWith(row.fault));
}

TEST_CASE("the layout of a medium has no gaps or overlaps and ends with the medium") {
    InspectReport report = camera_card();
    report.volumes.push_back(report.volumes.front());
    report.volumes.back().start = 24_MiB;
    const std::vector<Region> regions = layout_of(report);
    Bytes reached{};
    for (const Region& region : regions) {
        CHECK(region.start == reached);
        CHECK(region.length > 0_B);
        reached += region.length;
    }
    CHECK(reached == report.size);
    CHECK(regions[0] == Region{0_B, 512_B, "partition table", 0_B});
    CHECK(regions[1].what == "free");
    CHECK(regions[2] == Region{16_MiB, 8_MiB, "exfat: boot regions", 16_MiB});
    CHECK(regions[3].what == "exfat: FAT");
    CHECK(regions[4] == Region{32_MiB, Bytes{124702720ULL * 512} - 16_MiB, "exfat: cluster heap", 32_MiB});
}

TEST_CASE("an unknown standard is refused with the choices") {
    CHECK(standard_from("SD") == ConformanceStandard::sd);
    CHECK(reason(standard_from("amiga")) ==
          "unknown standard 'amiga': use one of sound, sd, windows, macos, linux, or the path of a profile");
}

TEST_CASE("FAT: a flag in the boot sector alone counts as not cleanly unmounted") {
    InspectReport report = camera_card();
    report.volumes[0].parameters.emplace_back("dirty_in_boot_sector", "yes");
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"warning volume 1 dirty_in_boot_sector: yes not no"});
}

TEST_CASE("a volume that was not cleanly unmounted or had read errors has a fault mark, a misplaced one has none") {
    CHECK_FALSE(has_fault_mark(camera_card()));
    for (const auto& [name, value] : {std::pair{"volume_dirty", "yes"},
                                      {"media_failure", "yes"},
                                      {"hard_error", "yes"},
                                      {"unmounted", "no"},
                                      {"inconsistent", "yes"},
                                      {"dirty_in_boot_sector", "yes"}}) {
        CAPTURE(name);
        InspectReport report = camera_card();
        std::erase_if(report.volumes.at(0).parameters, [&](const auto& each) { return each.first == name; });
        report.volumes.at(0).parameters.emplace_back(name, value);
        CHECK(has_fault_mark(report));
        CHECK_FALSE(has_no_warning(general_deviations(report)));
    }
    InspectReport misplaced = camera_card();
    misplaced.volumes.at(0).start = 512_B * 63;
    CHECK_FALSE(has_fault_mark(misplaced));
}

TEST_CASE("HFSX whose catalog ignores case is not reported as case-sensitive") {
    InspectReport report = camera_card();
    report.volumes[0].file_system = "hfsx";
    report.volumes[0].parameters = {{"case_sensitive", "no"}};
    CHECK(deviations_from(ConformanceStandard::sound, report).empty());
    report.volumes[0].parameters = {{"case_sensitive", "yes"}};
    CHECK(lines_of(deviations_from(ConformanceStandard::sound, report)) ==
          Lines{"note volume 1 case_sensitive: yes not no"}); // a sound volume
}
