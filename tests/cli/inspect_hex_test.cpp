// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/inspect_text.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

TEST_CASE("the bytes of a parameter are shown with their offsets, and how many of them where not all are") {
    media::InspectReport report{.size = 1_MiB, .scheme = "none", .volumes = {}};
    report.parameters = {{"mark", "1"}, {"code", "other"}};
    report.places = {
        {.name = "mark", .field = "Mark", .unit = {}, .at = 16_B, .length = 2_B, .hex = "55aa"},
        {.name = "code", .field = "BootCode", .unit = {}, .at = 120_B, .length = 390_B, .hex = std::string(128, 'f')}};
    CHECK(reason(hex_of(report, "mark")) == "success");
    CHECK(*hex_of(report, "mark") == "partition table, Mark: 2 bytes at byte 16\n00000010  55 aa\n");
    CHECK(hex_of(report, "code")->starts_with("partition table, BootCode: the first 64 of 390 bytes at byte 120\n"));
    CHECK(reason(hex_of(report, "none")) == "no bytes are called 'none' here: code, mark");
}
