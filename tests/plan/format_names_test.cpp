// SPDX-License-Identifier: GPL-3.0-or-later

#include "host/plan/parse_plan.hpp"
#include "host/plan/steps.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/plan/plan_cases.hpp"

using namespace mediarig;
using namespace mediarig::plan;

TEST_CASE("steps, limits and printed plans refer to a named format by its name") {
    const auto plan = parse_plan(plan_text({R"({"formats": [{"fs": "exfat", "name": "small"}, "exfat"],
        "limits": [{"metric": "seq_write.1024KB.mb_per_s", "min": 6, "format": "small"}]})",
                                            {}}));
    REQUIRE(plan);
    CHECK(groups_of(*plan, 0).at(0).key == "m0.r1.small");
    CHECK(groups_of(*plan, 0).at(1).key == "m0.r1.exfat");
    CHECK(parse_plan(to_json(*plan).dump()) == *plan);
    const auto kept = parse_plan(plan_text({R"({"formats": [{"fs": "keep", "name": "as_sold"}]})", {}}));
    REQUIRE(kept);
    CHECK(groups_of(*kept, 0).at(0).key == "m0.r1.as_sold");
    CHECK(parse_plan(to_json(*kept).dump()) == *kept);
}

TEST_CASE("a plan with a duplicate format name, or with a name that step keys do not allow, is refused") {
    const PlanCase rows[] = {
        {R"({"formats": [{"fs": "exfat", "name": "raw"}]})",
         {"/formats/0/name: is already the name of another format; choose another name"}},
        {R"({"formats": [{"fs": "exfat", "name": "FAT32"}]})",
         {"/formats/0/name: is already the name of another format; choose another name"}},
        {R"({"formats": [{"fs": "exfat", "name": "4 KiB"}]})",
         {"/formats/0/name: must be letters, digits, \"-\", \"_\" and \"+\", beginning with a letter or digit, is \"4 "
          "KiB\""}},
        {R"({"formats": [{"fs": "exfat", "name": "a"}, {"fs": "apfs", "name": "a"}]})",
         {"/formats/1/name: \"a\" is already the name of another format; give each format a different name"}},
        {R"({"formats": [{"fs": "apfs", "name": "exfat-2"}, "exfat", {"fs": "exfat", "label": "X"}]})",
         {"/formats/0/name: \"exfat-2\" is already the name of another format; give each format a different name"}},
        {R"({"formats": null, "compare": {"baseline": {"fs": "exfat", "name": "a"}, "deviations": ["fs:fat32"]}})",
         {"/compare/baseline: has a \"name\"; a comparison names its formats by their deviations"}},
    };
    for (const PlanCase& row : rows) {
        CAPTURE(row.change);
        const auto plan = parse_plan(plan_text(row));
        REQUIRE_FALSE(plan);
        CHECK(plan.error().lines == row.faults);
    }
}
