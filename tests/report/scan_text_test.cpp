// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/scan_text.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace std::chrono_literals;
using workload::PlaceState, workload::ScanReport;

namespace {

ScanReport sample() {
    return {.size = 4_MiB,
            .transfer = 1_MiB,
            .read = 3_MiB,
            .elapsed = 2s,
            .whole = false,
            .median = 50ms,
            .regions = {{.offset = 0_B, .length = 2_MiB, .read = 2_MiB, .elapsed = 100ms, .worst = 60ms},
                        {.offset = 2_MiB, .length = 2_MiB, .read = 0_B}},
            .places = {{.offset = 1_MiB, .length = 4_KiB, .state = PlaceState::unreadable, .failed = 5, .took = {}},
                       {.offset = 1536_KiB,
                        .length = 1_MiB,
                        .state = PlaceState::slow,
                        .failed = 1,
                        .took = {300ms, 400ms, 200ms, 300ms}}},
            .stopped = "1000 blocks are unreadable"};
}

const std::vector<media::Region> layout{
    {.start = 0_B, .length = 1_MiB, .what = "free", .alignment = {}},
    {.start = 1_MiB, .length = 3_MiB, .what = "exfat: cluster heap", .alignment = {}}};

} // namespace

TEST_CASE("the text of a scan has a map, a curve and the weak places with their use") {
    const std::string text = scan_text(sample(), layout, 200);
    CHECK_THAT(text, ContainsSubstring("places from 0 to 4.19 MB: "));
    CHECK_THAT(text, ContainsSubstring("21.0 MB/s  longest read 60 ms\n"));
    CHECK_THAT(text, ContainsSubstring("4.19 MB  not read\n"));
    CHECK_THAT(text, ContainsSubstring("3.15 MB of 4.19 MB were read in 2 s: 1 unreadable and 1 weak places. Stopped "
                                       "early: 1000 blocks are unreadable."));
    CHECK_THAT(text,
               ContainsSubstring("  unreadable at byte 1048576, 4.10 kB: 5 of 5 reads failed; exfat: cluster heap\n"));
    CHECK_THAT(text, ContainsSubstring("  slow at byte 1572864, 1.05 MB: 1 of 5 reads failed, 200 to 400 ms; exfat: "
                                       "cluster heap\n"));
    CHECK_THAT(scan_text(sample(), {}, 200), ContainsSubstring("5 of 5 reads failed\n"));
}

TEST_CASE("the text of a scan names the files at a weak place, and the volumes whose files are not named") {
    ScanReport scan = sample();
    scan.places[0].files = {"/DCIM/A.MOV", "/DCIM/\033B.MOV"};
    scan.places[0].more_files = 3;
    scan.unnamed = {"apfs: the files of this file system are not named"};
    const std::string text = scan_text(scan, layout, 200);
    CHECK_THAT(text, ContainsSubstring("exfat: cluster heap; /DCIM/A.MOV, /DCIM/"));
    CHECK_THAT(text, ContainsSubstring("B.MOV and 3 more\n"));
    CHECK(text.find('\033') == std::string::npos);
    CHECK(text.ends_with("apfs: the files of this file system are not named.\n"));
}

TEST_CASE("the text of two scans counts the places of each cause") {
    using workload::ScanFault;
    CHECK(scan_comparison_text({}, 200) == "Neither reader found a weak place.\n");
    const std::string text = scan_comparison_text({{.offset = 0_B,
                                                    .length = 4_KiB,
                                                    .here = PlaceState::unreadable,
                                                    .there = PlaceState::slow,
                                                    .fault = ScanFault::medium},
                                                   {.offset = 8_KiB,
                                                    .length = 4_KiB,
                                                    .here = PlaceState::unreadable,
                                                    .there = std::nullopt,
                                                    .fault = ScanFault::undecided}},
                                                  200);
    CHECK_THAT(text, ContainsSubstring("Cause of the weak places: 1 of 2: the medium; 1 of 2: undecided"));
    CHECK_THAT(text, ContainsSubstring("  at byte 0, 4.10 kB: unreadable here, slow there: the medium\n"));
    CHECK_THAT(text, ContainsSubstring("  at byte 8192, 4.10 kB: unreadable here, not read there: undecided"));
}

TEST_CASE("the CSV of a scan has a row per region and per weak place") {
    ScanReport scan = sample();
    scan.places[0].files = {"/A,\"1\".MOV", "/B.MOV"};
    scan.places[0].more_files = 3;
    CHECK(scan_csv(scan, layout) ==
          "kind,offset,length,state,bytes_per_second,longest_ns,failed,use,files\n"
          "region,0,2097152,read,20971520,60000000,,free,\n"
          "region,2097152,2097152,not_read,0,0,,exfat: cluster heap,\n"
          "place,1048576,4096,unreadable,,0,5,exfat: cluster heap,"
          "\"/A,\"\"1\"\".MOV, /B.MOV and 3 more\"\n"
          "place,1572864,1048576,slow,,400000000,1,exfat: cluster heap,\n");
}

TEST_CASE("the list of bad blocks contains the unreadable places in units of 1,024 bytes") {
    CHECK(badblocks_list(sample()) == "1024\n1025\n1026\n1027\n");
    ScanReport good = sample();
    good.places.clear();
    CHECK(badblocks_list(good).empty());
}
