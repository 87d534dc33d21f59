// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/media/expect/layout.hpp"
#include "host/media/expect/profile.hpp"
#include "host/media/expect/rules.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

/// A 64 GB card as a camera formats it.
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

std::vector<std::string> brief(const std::vector<Deviation>& deviations) {
    std::vector<std::string> lines;
    for (const Deviation& deviation : deviations)
        lines.push_back(fmt::format("{} {} {}: {} not {}", name_of(deviation.severity), deviation.subject,
                                    deviation.name, deviation.found, deviation.expected));
    return lines;
}

std::vector<std::string> against_sd(const InspectReport& report) {
    return brief(deviations_from(Expectation::sd, report));
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a card as a camera formats it meets what SD hosts expect") {
    CHECK(against_sd(camera_card()).empty());
    CHECK(brief(deviations_from(Expectation::sound, camera_card())).empty());
}

TEST_CASE("sd: each single deviation is named by its parameter, with what was expected") {
    struct Row {
        const char* name;
        const char* value;
        Lines lines;
    };
    const Row rows[] = {
        {"cluster_size", "32768", {"warning volume 1 cluster_size: 32768 (32 KiB) not 131072 (128 KiB)"}},
        {"partition_type",
         "0x0c",
         {"error volume 1 partition_type: 0x0c not the type of exfat",
          "warning volume 1 partition_type: 0x0c not 0x07"}},
        {"cluster_heap_offset",
         "16646144",
         {"warning volume 1 cluster_heap_offset: 33423360 (32640 KiB) on the medium not a multiple of 16777216 (16 "
          "MiB)"}},
        {"fat_offset", "1048576", {"warning volume 1 fat_offset: 1048576 (1 MiB) not 8388608 (8 MiB)"}},
        {"sector_size", "4096", {"error volume 1 sector_size: 4096 not 512"}},
        {"partition_offset", "1048576", {"warning volume 1 partition_offset: 1048576 (1 MiB) not 16777216 (16 MiB)"}},
        {"partition_offset", "0", {}},
        {"volume_dirty", "yes", {"warning volume 1 volume_dirty: yes not no"}},
        // Deliberately large on real cards.
        {"fat_length", "4194304", {}},
        {"serial_number", "0000-0000", {}},
    };
    for (const Row& row : rows) {
        InspectReport report = camera_card();
        set(report, row.name, row.value);
        INFO(row.name << " = " << row.value);
        CHECK(against_sd(report) == row.lines);
    }
}

TEST_CASE("sd: the wrong table, the wrong file system, the wrong start") {
    InspectReport gpt = camera_card();
    gpt.scheme = "gpt";
    CHECK(against_sd(gpt) == Lines{"warning partition table scheme: gpt not mbr"});

    InspectReport bare = camera_card();
    bare.volumes.clear();
    CHECK(against_sd(bare) == Lines{"warning partition table partitions: 0 not 1"});

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
    CHECK(against_sd(dos).front() == "warning volume 1 start: 32256 not a whole MiB");
}

TEST_CASE("sd: cluster size, boundary unit and file system by capacity, edges included") {
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
        CHECK(layout->file_system == row.file_system);
    }
    CHECK_FALSE(sd_layout_for(2048_GiB + 512_B));
    InspectReport huge = camera_card();
    huge.size = 4096_GiB;
    // What is not publicly known is not flagged.
    CHECK(against_sd(huge) == Lines{"note medium size: 4398046511104 (4194304 MiB) not 2 TiB or less"});
}

TEST_CASE("sd: FAT16 begins where its data area comes to lie on a boundary unit, FAT32 on one itself") {
    // A card of 2 GB, as SdFat's formatter lays it out.
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
    CHECK(brief(deviations_from(Expectation::sound, card)) == Lines{"warning volume 1 start: 69120 not a whole MiB"});
    card.volumes.front().start = Bytes{63 * 512};
    CHECK(against_sd(card) == Lines{"warning volume 1 data_offset: 290816 (284 KiB) on the medium not a multiple of "
                                    "65536 (64 KiB)"});
    InspectReport larger = card;
    larger.size = Bytes{7'744'512ULL * 512};
    larger.volumes.front().file_system = "fat32";
    set(larger, "partition_type", "0x0b");
    set(larger, "data_offset", std::to_string(8192 * 512 - 63 * 512));
    CHECK(against_sd(larger) == Lines{"warning volume 1 start: 32256 not a whole MiB",
                                      "warning volume 1 start: 32256 not a multiple of 4194304 (4 MiB)"});
}

TEST_CASE("the EFI partition of a Mac lies where macOS puts it") {
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
    CHECK(brief(deviations_from(Expectation::sound, mac)) ==
          Lines{"note volume 1 start: 20480 (20 KiB) not a whole MiB"});
    set(mac, "partition_type", "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7");
    CHECK(brief(deviations_from(Expectation::sound, mac)) ==
          Lines{"warning volume 1 start: 20480 (20 KiB) not a whole MiB"});
}

TEST_CASE("any medium: damage is an error, leftovers are a warning outside of volumes and a note within") {
    InspectReport report = camera_card();
    report.problem = "backup: GPT header in sector 9: HeaderCRC32";
    report.volumes.at(0).problem = "root directory at byte 12: no allocation bitmap in the root directory";
    report.leftovers = {{.what = "backup GPT header", .at = 4096_B, .in_volume = false},
                        {.what = "FAT boot sector", .at = 64_MiB, .in_volume = true}};
    CHECK(brief(deviations_from(Expectation::sound, report)) ==
          Lines{"error partition table problem: backup: GPT header in sector 9: HeaderCRC32 not none",
                "error volume 1 problem: root directory at byte 12: no allocation bitmap in the root directory not "
                "none",
                "warning medium leftover: backup GPT header at byte 4096 not none",
                "note medium leftover: FAT boot sector at byte 67108864 not none"});
}

TEST_CASE("a medium that holds nothing known is an error of its content, not of a table that it does not have") {
    const InspectReport report{.size = 64_GiB, .scheme = "none", .volumes = {}, .problem = "empty: nothing begins"};
    CHECK(brief(deviations_from(Expectation::sound, report)) ==
          Lines{"error medium content: empty: nothing begins not a file system"});
}

TEST_CASE("windows, macos and linux: their formatters' defaults, as far as they are known") {
    InspectReport report = camera_card();
    CHECK(brief(deviations_from(Expectation::windows, report)).empty());
    set(report, "cluster_size", "32768");
    CHECK(brief(deviations_from(Expectation::windows, report)) ==
          Lines{"warning volume 1 cluster_size: 32768 (32 KiB) not 131072 (128 KiB)"});
    CHECK(brief(deviations_from(Expectation::linux, camera_card())) ==
          Lines{"note volume 1 start: 16777216 (16 MiB) not 1048576 (1 MiB)",
                "note volume 1 fat_offset: 8388608 (8 MiB) not 1048576 (1 MiB)"});
    CHECK(brief(deviations_from(Expectation::macos, camera_card())) ==
          Lines{"warning partition table scheme: mbr not gpt",
                "note volume 1 fat_offset: 8388608 (8 MiB) not 1048576 (1 MiB)"});

    InspectReport hfs{.size = 120_GiB, .scheme = "gpt", .volumes = {}};
    hfs.volumes.push_back({.start = Bytes{409640ULL * 512},
                           .length = 110_GiB,
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
    CHECK(brief(deviations_from(Expectation::macos, hfs)) ==
          Lines{"note volume 1 start: 209735680 (204820 KiB) not a whole MiB"});
    set(hfs, "journal_size", "8388608");
    set(hfs, "journaled", "no");
    CHECK(brief(deviations_from(Expectation::macos, hfs)) ==
          Lines{"warning volume 1 journal_size: 8388608 (8 MiB) not 16777216 (16 MiB)",
                "warning volume 1 journaled: no not yes",
                "note volume 1 start: 209735680 (204820 KiB) not a whole MiB"});
}

TEST_CASE("a maker's profile: made from a golden medium, kept as JSON, and met by its like") {
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
    CHECK(brief(deviations_from(*read, other)) ==
          Lines{"warning volume 1 label: NEW not ", "warning volume 1 cluster_size: 65536 not 131072"});
    InspectReport without = golden;
    without.volumes.clear();
    CHECK(brief(deviations_from(*read, without)) == Lines{"warning partition table partitions: 0 not 1"});
}

TEST_CASE("a profile that is wrong is named by its place") {
    struct Row {
        const char* text;
        const char* fault;
    };
    const Row rows[] = {
        {"{", "/: this is not JSON"},
        {"[]", "/mediarig_profile: a profile begins with \"mediarig_profile\": 1"},
        {R"({"mediarig_profile": 2})", "/mediarig_profile: a profile begins with \"mediarig_profile\": 1"},
        {R"({"mediarig_profile": 1, "colour": 3})", "/colour: no such member"},
        {R"({"mediarig_profile": 1, "name": "x"})", ".scheme: missing"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": [1]})",
         "/volumes/0: not a list of expected values"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": [[{"name": "a"}]]})",
         "/volumes/0/0.value: missing"},
        {R"({"mediarig_profile": 1, "name": "x", "scheme": "mbr", "volumes": [[{"name": "a", "value": "1", "severity": "loud"}]]})",
         "/volumes/0/0/severity: take note, warning or error"}};
    for (const Row& row : rows) CHECK(reason(profile_from_json(row.text)) == row.fault);
}

TEST_CASE("the layout has no gaps and no overlaps, and ends where the medium ends") {
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

TEST_CASE("an unknown expectation is refused with the choices") {
    CHECK(reason(expectation_from("amiga")) ==
          "no expectation is called 'amiga': take sound, sd, windows, macos, linux, or the path of a profile");
}

TEST_CASE("FAT: a mark in the boot sector alone counts as a volume that was not put away") {
    InspectReport report = camera_card();
    report.volumes[0].parameters.emplace_back("dirty_in_boot_sector", "yes");
    CHECK(brief(deviations_from(Expectation::sound, report)) ==
          Lines{"warning volume 1 dirty_in_boot_sector: yes not no"});
}

TEST_CASE("HFSX whose catalog folds case is not called case sensitive") {
    InspectReport report = camera_card();
    report.volumes[0].file_system = "hfsx";
    report.volumes[0].parameters = {{"case_sensitive", "no"}};
    CHECK(deviations_from(Expectation::sound, report).empty());
    report.volumes[0].parameters = {{"case_sensitive", "yes"}};
    CHECK(brief(deviations_from(Expectation::sound, report)) == Lines{"warning volume 1 case_sensitive: yes not no"});
}
