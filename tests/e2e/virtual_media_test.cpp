// SPDX-License-Identifier: GPL-3.0-or-later
/// Fakes and differences of formats with real drivers in virtual time: the figures depend on the card model only.
#include <cmath>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/e2e/require_lab.hpp"

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

/// A medium that both a plan and the lab of the plan contain.
struct Emulated {
    std::string name;
    json card; ///< a card model
};

/// Runs a plan on these media in virtual time.
ProgramOutput run_on(const Folder& folder, const std::vector<Emulated>& media, json plan) {
    plan["mediarig_plan"] = 1;
    plan["lab_machine"] = "virtual";
    for (std::size_t i = 0; i < media.size(); ++i) {
        const auto card = folder / (media[i].name + ".json");
        write_file(card, media[i].card.dump());
        plan["media"].push_back({{"slot", i + 1}, {"name", media[i].name}});
        plan["lab"].push_back({{"slot", i + 1}, {"kind", "usb"}, {"card", card.string()}});
    }
    write_file(folder / "plan.json", plan.dump());
    return call_mediarig({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()},
                         folder.path());
}

} // namespace

TEST_CASE(
    "a comparison finds a card's 8 % penalty for unaligned clusters and no difference on a card without the penalty") {
    NEEDS_VIRTUAL_LAB();
    const Folder folder;
    // A large write takes 40 ms, and two partly filled units add 8.7 %.
    json card = json::parse(
        R"({"claimed_bytes": "256MiB", "write": {"by_size": [{"from_bytes": 65536, "latency_ns": 40000000}]}})");
    const Emulated unplanted_card{"unplanted", card};
    card["program_unit"] = {{"bytes", "32KiB"}, {"partial_ns", 1'740'000}};
    const ProgramOutput output = run_on(folder, {{"planted", card}, unplanted_card}, json::parse(R"({
        "compare": {"baseline": {"fs": "exfat", "cluster_size": "64KiB"}, "deviations": [{"boundary": 512}], "blocks": 8},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})"));
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    const json record = results(folder);
    const json& planted = answer_of(record.at("devices").at(0));
    const json& unplanted = answer_of(record.at("devices").at(1));
    CAPTURE(planted.dump(), unplanted.dump());
    CHECK(planted.at("decision") == "faster");
    CHECK(planted.at("format") == "exfat");
    CHECK(std::abs(planted.at("by").get<double>() - 2 * 1.74 / 40) < 0.005);
    CHECK(unplanted.at("decision") == "same");
    CHECK(std::abs(unplanted.at("by").get<double>()) < 0.001);
    CHECK_THAT(record.at("devices").at(0).at("comparison").at("notes").dump(),
               ContainsSubstring("the measured data was at different places on the medium"));
    CHECK_THAT(output.err, ContainsSubstring("planted: block 4 of at most 8"));
    const ProgramOutput csv =
        call_mediarig({"results", "--comparison-csv", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(csv.out, ContainsSubstring(",random write,exfat,boundary-512-B,4,"));
    CHECK(call_mediarig({"replay", "--store", (folder / "r.db").string()}, folder.path()).status == 0);
}

TEST_CASE("a comparison reports a journal that the driver does not use") {
    NEEDS_VIRTUAL_LAB();
    const Folder folder;
    const ProgramOutput output = run_on(folder, {{"card", {{"claimed_bytes", "256MiB"}}}}, json::parse(R"({
        "compare": {"formats": ["hfs+j", "hfs+"], "blocks": 4},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})"));
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    CHECK(answer_of(results(folder).at("devices").at(0)).at("blocks") == 4);
    const ProgramOutput table = call_mediarig({"results", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(table.out, ContainsSubstring("HFS+ Journaled against HFS+") && ContainsSubstring("journal not used"));
}

TEST_CASE("each kind of fake is detected by quick probe and full verify, and a genuine card passes both") {
    NEEDS_VIRTUAL_LAB();
    const Folder folder;
    std::vector<Emulated> media;
    for (const char* kind : {"wrap", "drop", "garbage"})
        media.push_back({kind, {{"claimed_bytes", "1TiB"}, {"real_bytes", "192MiB"}, {"beyond_real", kind}}});
    media.push_back({"honest", {{"claimed_bytes", "256MiB"}}});
    std::string honest = "PASS";
    json plan;
    SECTION("quick probe") {
        honest = "PROBED"; // no proof
        plan = {{"suites", {{{"suite", "capacity"}, {"where", "raw"}, {"assumed_cache", "32MiB"}}}}};
    }
    SECTION("full verify") {
        for (Emulated& medium : media) {
            medium.card["claimed_bytes"] = "64MiB";
            if (medium.card.contains("real_bytes")) medium.card["real_bytes"] = "24MiB";
        }
        plan = {{"suites", {{{"suite", "verify"}, {"where", "raw"}}}}};
    }
    const ProgramOutput output = run_on(folder, media, plan);
    CAPTURE(output.err);
    CHECK(output.status == 1);
    CHECK(grades_in(output.out) == "wrap: FAKE\ndrop: FAKE\ngarbage: FAKE\nhonest: " + honest + "\n");
    CHECK(output.out.ends_with("\n4 media: 1 " + honest + ", 3 FAKE\n"));
    const json record = results(folder);
    REQUIRE(record.at("devices").size() == 4);
    for (const json& device : record.at("devices")) {
        const json& verify = device.at("passes").at(0).at("end").at("verify");
        CAPTURE(device.at("name"), verify);
        const std::string name = device.at("name");
        if (name == "honest") {
            CHECK(verify.at("verdict") == "good");
            continue;
        }
        CHECK(verify.at("true_capacity").get<std::uint64_t>() ==
              (verify.at("claimed").get<std::uint64_t>() > (1ULL << 30) ? 192ULL << 20 : 24ULL << 20));
    }
}
