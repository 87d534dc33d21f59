// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/conformance/alignment.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using Lines = std::vector<std::string>;

namespace {

/// An exFAT volume in the SD layout: FAT in the middle of the first 16 MiB, heap at their end.
InspectReport card(Bytes start, Bytes fat, Bytes heap) {
    InspectReport report{.size = 64_GiB, .scheme = "mbr", .volumes = {}};
    report.volumes.push_back(
        {.start = start,
         .length = 32_GiB,
         .file_system = "exfat",
         .label = {},
         .parameters = {{"fat_offset", std::to_string(fat.count)}, {"cluster_heap_offset", std::to_string(heap.count)}},
         .problem = {},
         .places = {},
         .usable = {},
         .fingerprint = {}});
    return report;
}

/// The SD layout of a card, as made by the formatter.
InspectReport sd_card(Bytes capacity) {
    const auto volume = sd_volume_for(capacity);
    REQUIRE(volume);
    InspectReport report = card(volume->start, volume->fat_offset, volume->data_offset);
    report.size = capacity;
    report.volumes[0].length = volume->length;
    report.volumes[0].file_system = name_of(volume->layout.file_system);
    if (volume->layout.file_system != FileSystem::exfat) report.volumes[0].parameters[1].first = "data_offset";
    return report;
}

/// A volume without a heap after an EFI partition, as made by macOS.
InspectReport mac(const std::string& file_system, Bytes start) {
    InspectReport report = card(20_KiB, 16_KiB, 3_MiB);
    report.scheme = "gpt";
    report.volumes[0].file_system = "fat32";
    report.volumes[0].length = 200_MiB;
    report.volumes[0].parameters = {{"data_offset", "1032192"},
                                    {"partition_type", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"}};
    report.volumes.push_back(report.volumes[0]);
    report.volumes[1] = card(start, 1_MiB, 17_MiB).volumes[0];
    report.volumes[1].file_system = file_system;
    if (file_system != "exfat") report.volumes[1].parameters.clear();
    return report;
}

Lines brief(const std::vector<Deviation>& deviations) {
    Lines lines;
    for (const Deviation& deviation : deviations)
        lines.push_back(fmt::format("{} {} {}: {}", name_of(deviation.severity), deviation.subject, deviation.name,
                                    deviation.found));
    return lines;
}

std::vector<Deviation> against(const InspectReport& report, Bytes unit,
                               ConformanceStandard expected = ConformanceStandard::sound) {
    return deviations_against_unit(report, unit, expected);
}

} // namespace

TEST_CASE("alignment: offsets count from the start of the medium") {
    CHECK(alignment_points(card(16_MiB, 8_MiB, 16_MiB)) ==
          std::vector<AlignmentPoint>{{"volume 1", "start", 16_MiB},
                                      {"volume 1", "fat_offset", 24_MiB},
                                      {"volume 1", "cluster_heap_offset", 32_MiB}});
    // Offsets beyond the end of the volume are omitted.
    CHECK(alignment_points(card(16_MiB, 8_MiB, 33_GiB)).size() == 2);
    CHECK(alignment_points({}).empty());
}

TEST_CASE("alignment: a layout on whole allocation units of the card has no deviation") {
    CHECK(brief(against(card(16_MiB, 8_MiB, 16_MiB), 4_MiB)).empty());
    CHECK(brief(against(card(24_MiB, 24_MiB, 48_MiB), 12_MiB)).empty());
    CHECK(brief(against(card(16_MiB, 8_MiB, 16_MiB), 0_B)).empty());
}

TEST_CASE("alignment: a misaligned partition whose contents are also misaligned gives a warning") {
    InspectReport report = card(1_MiB, 7_MiB, 15_MiB);
    report.volumes[0].parameters.clear();
    const auto found = against(report, 4_MiB);
    REQUIRE(brief(found) == Lines{"warning volume 1 start: 1048576 (1 MiB)"});
    CHECK(found[0].expected == "a whole multiple of 4194304 (4 MiB), the card's allocation unit");
    CHECK(found[0].certainty == Certainty::specification);
    CHECK(brief(against(card(1_MiB, 3_MiB, 16_MiB), 4_MiB)) ==
          Lines{"warning volume 1 start: 1048576 (1 MiB)", "warning volume 1 cluster_heap_offset: 17825792 (17 MiB)"});
}

TEST_CASE("alignment: a misaligned partition with an aligned cluster heap gives no deviation") {
    CHECK(brief(against(card(1_MiB, 7_MiB, 15_MiB), 4_MiB)).empty());
    CHECK(brief(against(card(1_MiB, 11_MiB, 23_MiB), 24_MiB)) == Lines{"note volume 1 fat_offset: 12582912 (12 MiB)"});
}

TEST_CASE("alignment: a misaligned FAT gives a note at any position") {
    CHECK(brief(against(card(16_MiB, 8_MiB, 16_MiB), 16_MiB)) == Lines{"note volume 1 fat_offset: 25165824 (24 MiB)"});
    CHECK(brief(against(card(16_MiB, 24_MiB, 32_MiB), 16_MiB)) == Lines{"note volume 1 fat_offset: 41943040 (40 MiB)"});
}

TEST_CASE("alignment: a misaligned cluster heap gives a warning") {
    CHECK(brief(against(card(4_MiB, 4_MiB, 6_MiB), 4_MiB)) ==
          Lines{"warning volume 1 cluster_heap_offset: 10485760 (10 MiB)"});
}

TEST_CASE("alignment: a boundary unit of the SD layout that differs from the card's unit gives a note") {
    for (const Bytes unit : {12_MiB, 24_MiB, 64_MiB}) {
        CAPTURE(unit.count);
        const auto found = against(card(16_MiB, 8_MiB, 16_MiB), unit);
        REQUIRE_FALSE(found.empty());
        for (const Deviation& each : found) CHECK(each.severity == DeviationSeverity::note);
    }
    CHECK(brief(against(card(16_MiB, 8_MiB, 16_MiB), 64_MiB)) ==
          Lines{"note volume 1 start: 16777216 (16 MiB)", "note volume 1 fat_offset: 25165824 (24 MiB)",
                "note volume 1 cluster_heap_offset: 33554432 (32 MiB)"});
    // The points are warnings with another partition table, or a file system other than that of the SD layout.
    InspectReport other = card(16_MiB, 8_MiB, 16_MiB);
    other.scheme = "gpt";
    CHECK(against(other, 64_MiB).front().severity == DeviationSeverity::warning);
    other.scheme = "mbr";
    other.volumes[0].file_system = "fat32";
    CHECK(against(other, 64_MiB).front().severity == DeviationSeverity::warning);
}

TEST_CASE("alignment: a card in the SD layout gives no deviation above a note, for any allocation unit") {
    for (const Bytes capacity : {16_MiB, 256_MiB, 1_GiB, 2_GiB, 8_GiB, 32_GiB, 64_GiB, 128_GiB, 512_GiB})
        for (const Bytes unit : {16_KiB, 512_KiB, 1_MiB, 4_MiB, 8_MiB, 12_MiB, 16_MiB, 24_MiB, 32_MiB, 64_MiB})
            for (const ConformanceStandard expected : {ConformanceStandard::sd, ConformanceStandard::sound}) {
                CAPTURE(capacity.count, unit.count);
                for (const Deviation& each : against(sd_card(capacity), unit, expected))
                    CHECK(each.severity == DeviationSeverity::note);
            }
}

TEST_CASE("alignment: the start of the partition is irrelevant for FAT16 in SD layout") {
    const InspectReport report = sd_card(2_GiB);
    REQUIRE(report.volumes[0].start % 4_MiB != 0_B);
    for (const Deviation& each : against(report, 4_MiB)) CHECK(each.name != "start");
    // Off the boundary unit of the SD layout, the data area is checked against the card's unit.
    InspectReport off = report;
    off.volumes[0].start += 512_B;
    const auto found = brief(against(off, 4_MiB));
    REQUIRE(found.size() == 2);
    CHECK(found[1].starts_with("warning volume 1 data_offset"));
}

TEST_CASE("alignment: a misaligned start of a macOS volume gives a note") {
    CHECK(brief(against(mac("apfs", Bytes{209'735'680}), 4_MiB)) ==
          Lines{"note volume 1 start: 20480 (20 KiB)", "note volume 1 data_offset: 1052672 (1028 KiB)",
                "note volume 2 start: 209735680 (204820 KiB)"});
    CHECK(brief(against(mac("apfs", Bytes{209'739'776}), 4_MiB)).back() ==
          "warning volume 2 start: 209739776 (204824 KiB)");
    const Bytes start = Bytes{210'763'776};
    CHECK(brief(against(mac("exfat", start), 16_MiB, ConformanceStandard::sound)).back() ==
          "warning volume 2 cluster_heap_offset: 228589568 (218 MiB)");
    for (const Deviation& each : against(mac("exfat", start), 16_MiB, ConformanceStandard::macos))
        CHECK(each.severity == DeviationSeverity::note);
}

TEST_CASE("alignment: a volume that starts at the position of the expected system gives only notes") {
    InspectReport report = card(1_MiB, 1_MiB, 2_MiB);
    for (const ConformanceStandard expected : {ConformanceStandard::windows, ConformanceStandard::linux}) {
        CHECK(brief(against(report, 4_MiB, expected)) == Lines{"note volume 1 start: 1048576 (1 MiB)",
                                                               "note volume 1 fat_offset: 2097152 (2 MiB)",
                                                               "note volume 1 cluster_heap_offset: 3145728 (3 MiB)"});
        report.volumes[0].start = 2_MiB;
        CHECK(against(report, 16_MiB, expected).front().severity == DeviationSeverity::warning);
        report.volumes[0].start = 1_MiB;
    }
    CHECK(against(report, 4_MiB, ConformanceStandard::sound).front().severity == DeviationSeverity::warning);
    CHECK(against(report, 4_MiB, ConformanceStandard::sd).front().severity == DeviationSeverity::warning);
    CHECK(against(report, 4_MiB, ConformanceStandard::macos).front().severity == DeviationSeverity::warning);
}
