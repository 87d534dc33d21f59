// SPDX-License-Identifier: GPL-3.0-or-later
/// Emulated media in parallel lanes with real drivers: the record equals that of sequential media, except for times.
#include <iostream>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// Tests two emulated USB sticks; each stick is verified bare and swept with two formats.
Tested two_sticks_with_lanes(const Folder& folder, unsigned lanes) {
    json plan = {{"mediarig_plan", 1},
                 {"name", "lanes"},
                 {"formats", {"exfat", "hfs+j"}},
                 {"suites",
                  {{{"suite", "verify"}, {"where", "raw"}},
                   {{"suite", "quickbench"},
                    {"quick", true},
                    {"blocks", {"64KiB"}},
                    {"span", "8MiB"},
                    {"volume", "1MiB"},
                    {"time_limit_s", 600}}}}};
    unsigned slot = 0;
    for (const std::string name : {"one", "two"}) {
        write_file(folder / (name + ".json"), json{{"claimed_bytes", "256MiB"}}.dump());
        plan["media"].push_back({{"slot", ++slot}, {"name", name}});
        plan["lab"].push_back({{"slot", slot}, {"kind", "usb"}, {"card", (folder / (name + ".json")).string()}});
    }
    return test_with_lanes(folder, plan, lanes);
}

} // namespace

TEST_CASE("two emulated media in two lanes have the same records as in one lane, except times") {
    MEDIARIG_LAB_PART(4);
    NEEDS_LAB();
    const Folder folder;
    const Tested alone = two_sticks_with_lanes(folder, 1);
    const Tested beside = two_sticks_with_lanes(folder, 2);
    check_same_records(alone, beside, 2, 3);
    std::cout << "two emulated media: " << alone.wall.count() << " s with one lane, " << beside.wall.count()
              << " s with two\n";
}
