// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares formats with the kernel's driver. A difference is found only if the emulated card is slower with one of the
/// formats. The cards are so slow that the time of the host hardly matters.
#include <cmath>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// Returns the only answer about a device.
const json& answer_of(const json& device) {
    const json& pair_results = device.at("comparison").at("pairs");
    REQUIRE(pair_results.size() == 1);
    return pair_results.at(0);
}

} // namespace

TEST_CASE(
    "a comparison finds a card's 8 % penalty for unaligned clusters and no difference on a card without the penalty") {
    MEDIARIG_LAB_PART(3);
    NEEDS_LAB();
    const Folder folder;
    // A large write takes 40 ms, and two partly filled units add 8 %. A busy host adds a few milliseconds in both
    // cases.
    json card = json::parse(
        R"({"claimed_bytes": "256MiB", "write": {"by_size": [{"from_bytes": 65536, "latency_ns": 40000000}]}})");
    write_file(folder / "unplanted.json", card.dump());
    card["program_unit"] = {{"bytes", "32KiB"}, {"partial_ns", 1'740'000}};
    write_file(folder / "planted.json", card.dump());
    json plan = json::parse(R"({
        "mediarig_plan": 1,
        "media": [{"slot": 1, "name": "planted"}, {"slot": 2, "name": "unplanted"}],
        "compare": {"baseline": {"fs": "exfat", "cluster_size": "64KiB"}, "deviations": [{"boundary": 512}], "blocks": 8},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})");
    for (const char* name : {"planted", "unplanted"})
        plan["lab"].push_back({{"slot", plan["lab"].size() + 1},
                               {"kind", "uas"},
                               {"card", (folder / (std::string(name) + ".json")).string()}});
    write_file(folder / "plan.json", plan.dump());

    Running running({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    // Each wait lasts at most two minutes: a slow machine needs several.
    for (int tries = 0; tries < 5 && !running.says(" finished after "); ++tries) continue;
    const ProgramOutput output = running.wait();
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    const json record = results(folder);
    const json& planted = answer_of(record.at("devices").at(0));
    const json& unplanted = answer_of(record.at("devices").at(1));
    CAPTURE(planted.dump(), unplanted.dump());
    CHECK(planted.at("decision") == "faster");
    CHECK(planted.at("format") == "exfat");
    CHECK(planted.at("lo").get<double>() < 1 / 0.92 - 1);
    CHECK(planted.at("hi").get<double>() > 0.04);
    // Checks the size of the difference and not the decision, because one of twenty comparisons without a difference
    // may find one by chance.
    CHECK(std::abs(unplanted.at("by").get<double>()) < 0.06);
    CHECK_THAT(record.at("devices").at(0).at("comparison").at("notes").dump(),
               ContainsSubstring("the measured data was at different places on the medium"));
    CHECK_THAT(output.err, ContainsSubstring("planted: block 4 of at most 8"));
    const ProgramOutput csv =
        call_mediarig({"results", "--comparison-csv", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(csv.out, ContainsSubstring(",random write,exfat,boundary-512-B,4,"));
    CHECK(call_mediarig({"replay", "--store", (folder / "r.db").string()}, folder.path()).status == 0);
}

TEST_CASE("a comparison reports a journal that the driver does not use") {
    MEDIARIG_LAB_PART(1);
    NEEDS_LAB();
    const Folder folder;
    write_file(folder / "plan.json", R"({
        "mediarig_plan": 1,
        "media": [{"slot": 1, "name": "card"}],
        "lab": [{"slot": 1, "kind": "uas", "card": "good-uhs1", "size": "256MiB"}],
        "compare": {"formats": ["hfs+j", "hfs+"], "blocks": 4},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})");
    Running running({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    for (int tries = 0; tries < 5 && !running.says(" finished after "); ++tries) continue;
    const ProgramOutput output = running.wait();
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    CHECK(answer_of(results(folder).at("devices").at(0)).at("blocks") == 4);
    const ProgramOutput table = call_mediarig({"results", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(table.out, ContainsSubstring("HFS+ Journaled against HFS+") && ContainsSubstring("journal not used"));
}
