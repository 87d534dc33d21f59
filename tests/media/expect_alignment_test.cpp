// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/expect/alignment.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using Lines = std::vector<std::string>;

namespace {

/// An exFAT volume as the SD layout has it: FAT half-way into the first 16 MiB, heap at their end.
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

Lines brief(const std::vector<Deviation>& deviations) {
    Lines lines;
    for (const Deviation& deviation : deviations)
        lines.push_back(fmt::format("{} {} {}: {}", name_of(deviation.severity), deviation.subject, deviation.name,
                                    deviation.found));
    return lines;
}

} // namespace

TEST_CASE("alignment: the places that count, from the beginning of the medium") {
    CHECK(alignment_points(card(16_MiB, 8_MiB, 16_MiB)) ==
          std::vector<AlignmentPoint>{{"volume 1", "start", 16_MiB},
                                      {"volume 1", "fat_offset", 24_MiB},
                                      {"volume 1", "cluster_heap_offset", 32_MiB}});
    // Beyond the volume there is no place.
    CHECK(alignment_points(card(16_MiB, 8_MiB, 33_GiB)).size() == 2);
    CHECK(alignment_points({}).empty());
}

TEST_CASE("alignment: a layout on whole units of the card has no deviation") {
    CHECK(brief(deviations_against_unit(card(16_MiB, 8_MiB, 16_MiB), 4_MiB)).empty());
    CHECK(brief(deviations_against_unit(card(24_MiB, 24_MiB, 48_MiB), 12_MiB)).empty());
    CHECK(brief(deviations_against_unit(card(16_MiB, 8_MiB, 16_MiB), 0_B)).empty());
}

TEST_CASE("alignment: a partition off the unit is a warning") {
    const auto found = deviations_against_unit(card(1_MiB, 7_MiB, 15_MiB), 4_MiB);
    REQUIRE(brief(found) == Lines{"warning volume 1 start: 1048576 (1 MiB)"});
    CHECK(found[0].expected == "a whole multiple of 4194304 (4 MiB), the card's allocation unit");
    CHECK(found[0].certainty == Certainty::specification);
}

TEST_CASE("alignment: a FAT off the unit is a note") {
    CHECK(brief(deviations_against_unit(card(16_MiB, 8_MiB, 16_MiB), 16_MiB)) ==
          Lines{"note volume 1 fat_offset: 25165824 (24 MiB)"});
}

TEST_CASE("alignment: a cluster heap off the unit is a warning") {
    CHECK(brief(deviations_against_unit(card(4_MiB, 4_MiB, 6_MiB), 4_MiB)) ==
          Lines{"warning volume 1 cluster_heap_offset: 10485760 (10 MiB)"});
}

TEST_CASE("alignment: units of 12 and 24 MiB are no powers of two") {
    CHECK(
        brief(deviations_against_unit(card(16_MiB, 8_MiB, 16_MiB), 12_MiB)) ==
        Lines{"warning volume 1 start: 16777216 (16 MiB)", "warning volume 1 cluster_heap_offset: 33554432 (32 MiB)"});
    CHECK(brief(deviations_against_unit(card(32_MiB, 16_MiB, 40_MiB), 24_MiB)) ==
          Lines{"warning volume 1 start: 33554432 (32 MiB)"});
}
