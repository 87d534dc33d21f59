// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests a magazine of emulated cards in the simulated rig, as in a run overnight. The firmware core moves the cards,
/// switches their power and reports jams. The virtual lab is connected to the readers.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/json.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

json good(const char* claimed) {
    return {{"claimed_bytes", claimed}};
}

/// `cards`: card models, or the word "dead".
void write_magazine(const Folder& folder, const std::vector<json>& cards) {
    json plan = {{"mediarig_plan", 1},
                 {"name", "magazine"},
                 {"slots", {{"numbers", "all"}, {"lot", "night"}}},
                 {"formats", {"exfat"}},
                 {"suites", json::parse(R"([
                     {"suite": "capacity", "where": "raw", "assumed_cache": "4MiB"},
                     {"suite": "quickbench", "quick": true, "blocks": ["64KiB"], "span": "4MiB", "volume": "1MiB"}])")}};
    for (std::size_t i = 0; i < cards.size(); ++i) {
        std::string card = "dead";
        if (cards[i].is_object()) {
            card = (folder / fmt::format("card-{}.json", i + 1)).string();
            write_file(card, cards[i].dump());
        }
        plan["lab"].push_back({{"slot", i + 1}, {"kind", "usb"}, {"card", card}});
    }
    write_file(folder / "plan.json", plan.dump());
}

std::vector<std::string> rig_words(const Folder& folder, const std::string& script = {}, bool resume = false) {
    std::vector<std::string> all{"run",     (folder / "plan.json").string(), "--rig", "sim",
                                 "--store", (folder / "r.db").string()};
    if (!script.empty()) {
        write_file(folder / "scenario.txt", script);
        all.insert(all.end(), {"--rig-script", (folder / "scenario.txt").string()});
    }
    if (resume) all.emplace_back("--resume");
    return all;
}

/// Checks that every record belongs to the card in its slot.
void check_right_card(const json& device, std::size_t slot, std::uint64_t size) {
    CAPTURE(slot, device.dump());
    CHECK(device.at("slot") == std::to_string(slot));
    CHECK(device.at("name") == fmt::format("slot-{}", slot));
    CHECK(device.at("lot") == "night");
    CHECK(device.at("identity").at("serial") == fmt::format("LAB{:03}", slot));
    CHECK(device.at("identity").at("size") == size);
}

/// Bin that the rig reported for the card of a slot; empty if the rig reported no bin.
std::string bin_of(const ProgramOutput& output, std::size_t slot) {
    const std::string start = fmt::format("slot-{}: unload done in ", slot);
    const auto at = output.err.find(start);
    if (at == std::string::npos) return {};
    const std::string line = output.err.substr(at, output.err.find('\n', at) - at);
    const auto into = line.find("into ");
    return into == std::string::npos ? line.substr(line.rfind(": ") + 2)
                                     : line.substr(into + 5, line.find(';') - into - 5);
}

std::vector<std::string> left_running(const Folder& folder) {
    std::vector<std::string> left;
    for (int tries = 0; tries < 300; ++tries) {
        left.clear();
        for (const char* program : {"nbdkit", "qemu-system-x86_64", "mediarig-rig-sim"}) {
            const ProgramOutput found = tool({"pgrep", "-f", std::string(program) + ".*" + folder.path().string()});
            if (found.status == 0) left.push_back(std::string(program) + " " + found.out);
        }
        if (left.empty()) break;
        (void)tool({"sleep", "0.1"});
    }
    return left;
}

} // namespace

TEST_CASE(
    "for a magazine of eight cards, every result belongs to the right card, and every card goes to the right bin") {
    MEDIARIG_LAB_PART(4);
    NEEDS_LAB();
    const Folder folder;
    json slow = good("80MiB");
    slow["write"] = {{"bytes_per_second", 6000000}, {"latency_ns", 1500000}};
    json fake = good("96MiB");
    fake["real_bytes"] = "32MiB";
    fake["beyond_real"] = "wrap";
    write_magazine(folder,
                   {good("64MiB"), slow, fake, good("112MiB"), good("128MiB"), "dead", good("144MiB"), good("160MiB")});
    // The dead card is the fourth card to be sorted. The lost steps are then noticed at the next load.
    const ProgramOutput output = call_mediarig(rig_words(folder,
                                                         "pocket 4 is empty\n"
                                                         "the card in pocket 5 is bent\n"
                                                         "after the fourth binning, the x motor loses 40 steps\n"),
                                               folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 1);
    CHECK(grades_in(output.out) ==
          "slot-1: PROBED\nslot-2: PROBED\nslot-3: FAKE\nslot-4: INCONCLUSIVE\nslot-5: INCONCLUSIVE\nslot-6: "
          "INCONCLUSIVE\n"
          "slot-7: INCONCLUSIVE\nslot-8: PROBED\n");
    CHECK(output.out.ends_with("\n8 media: 3 PROBED, 4 INCONCLUSIVE, 1 FAKE\n"));
    const std::map<std::size_t, std::string> bins{{1, "bin pass"},     {2, "bin pass"},     {3, "bin fail"},
                                                  {4, "in no reader"}, {5, "in no reader"}, {6, "bin retest"},
                                                  {7, "in no reader"}, {8, "bin pass"}};
    for (const auto& [slot, bin] : bins) {
        CAPTURE(slot);
        CHECK(bin_of(output, slot) == bin);
    }
    CHECK_THAT(output.err, ContainsSubstring("supply cut (level 4)"));
    const json record = results(folder).at("devices");
    REQUIRE(record.size() == 8);
    const std::map<std::size_t, std::uint64_t> sizes{{1, 64}, {2, 80}, {3, 96}, {8, 160}};
    for (const auto& [slot, size] : sizes) check_right_card(record.at(slot - 1), slot, size << 20);
    CHECK(record.at(2).at("passes").at(0).at("end").at("verify").at("true_capacity") == 32 << 20);
    for (const std::size_t set_aside : {4, 5, 6, 7}) CHECK(record.at(set_aside - 1).at("passes").empty());
    CHECK(left_running(folder).empty());
}

TEST_CASE("a campaign identifies cards on the nest and reports a copied card and a card that does not answer") {
    MEDIARIG_LAB_PART(3);
    NEEDS_LAB();
    const Folder folder;
    write_magazine(folder, {good("64MiB"), good("80MiB"), good("64MiB")});
    const ProgramOutput output = call_mediarig(rig_words(folder,
                                                         "card 2 is silent on the nest\n"
                                                         "card 3 has the registers of card 1\n"),
                                               folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 0);
    const json record = results(folder).at("devices");
    REQUIRE(record.size() == 3);
    const std::string first = record.at(0).at("key");
    CHECK_THAT(first, Catch::Matchers::StartsWith("sd-ee4d52"));
    CHECK(record.at(0).at("identity").at("sd").at("product_name") == "RIG01");
    CHECK(record.at(0).at("identity").at("sd").at("supply_most_ua") == 40'000);
    CHECK_THAT(record.at(0).at("findings").dump(), !ContainsSubstring("identity_changed"));
    CHECK_THAT(record.at(1).at("findings").dump(), ContainsSubstring("does not answer"));
    CHECK(record.at(2).at("key") == first + "-slot-3");
    CHECK_THAT(record.at(2).at("findings").dump(),
               ContainsSubstring("identity duplicated") && ContainsSubstring("slot-1 has the same"));
    for (std::size_t slot = 1; slot <= 3; ++slot) CHECK(bin_of(output, slot) == "bin pass");
    CHECK(left_running(folder).empty());
}

TEST_CASE("no good card of eight lanes with formats is rejected, in the simulated rig and in the bank") {
    MEDIARIG_LAB_PART(5);
    NEEDS_LAB();
    const unsigned campaigns = std::getenv("MEDIARIG_THOROUGH") != nullptr ? 50 : 3;
    for (unsigned campaign = 0; campaign < campaigns; ++campaign) {
        const bool bank = campaign % 2 == 1;
        CAPTURE(campaign, bank);
        const Folder folder;
        write_magazine(folder, std::vector<json>(8, good("64MiB")));
        std::vector<std::string> words{"run",     (folder / "plan.json").string(), "--rig",   bank ? "sim-bank" : "sim",
                                       "--store", (folder / "r.db").string(),      "--lanes", "8"};
        const ProgramOutput output = call_mediarig(words, folder.path());
        CAPTURE(output.err);
        // The lanes print their verdicts in any order.
        const std::string grades = grades_in(output.out);
        for (std::size_t slot = 1; slot <= 8; ++slot) {
            CHECK_THAT(grades, ContainsSubstring(fmt::format("slot-{}: PROBED\n", slot)));
            if (!bank) CHECK(bin_of(output, slot) == "bin pass");
        }
        CHECK(output.out.ends_with("\n8 media: 8 PROBED\n"));
        CHECK(left_running(folder).empty());
    }
}

TEST_CASE("two campaigns with a simulated rig each run at the same time in one store") {
    MEDIARIG_LAB_PART(5);
    NEEDS_LAB();
    const Folder one, other;
    for (const Folder* folder : {&one, &other}) write_magazine(*folder, {good("64MiB"), good("80MiB")});
    std::vector<std::string> beside = rig_words(other);
    beside.back() = (one / "r.db").string();
    Running running(beside, other.path());
    REQUIRE(running.says("slot-1: load done"));
    for (const ProgramOutput& output : {call_mediarig(rig_words(one), one.path()), running.wait()}) {
        CAPTURE(output.err);
        CHECK(grades_in(output.out) == "slot-1: PROBED\nslot-2: PROBED\n");
        for (std::size_t slot = 1; slot <= 2; ++slot) CHECK(bin_of(output, slot) == "bin pass");
    }
    CHECK(left_running(one).empty());
    CHECK(left_running(other).empty());
}

TEST_CASE("an emergency stop ends the campaign, no card gets a fault, and the campaign resumes") {
    MEDIARIG_LAB_PART(1);
    NEEDS_LAB();
    const Folder folder;
    write_magazine(folder, {good("64MiB"), good("80MiB")});
    const ProgramOutput stopped =
        call_mediarig(rig_words(folder, "after the second insertion, the e-stop is pressed\n"), folder.path());
    CAPTURE(stopped.err);
    CHECK(stopped.status == 3);
    CHECK_THAT(stopped.err, ContainsSubstring("did not finish: ") && ContainsSubstring("emergency stop") &&
                                ContainsSubstring("resume with: mediarig run"));
    CHECK(bin_of(stopped, 1) == "bin pass");
    CHECK(left_running(folder).empty());
    const ProgramOutput resumed = call_mediarig(rig_words(folder, {}, true), folder.path());
    CAPTURE(resumed.err);
    CHECK(resumed.status == 3); // a probe is no proof
    CHECK(grades_in(resumed.out) == "slot-1: PROBED\nslot-2: PROBED\n");
    CHECK(resumed.err.find("slot-1: load") == std::string::npos);
    CHECK(bin_of(resumed, 2) == "bin pass");
    const json record = results(folder).at("devices");
    REQUIRE(record.size() == 2);
    check_right_card(record.at(0), 1, 64 << 20);
    check_right_card(record.at(1), 2, 80 << 20);
}

TEST_CASE("after a killed controller or a power loss of the rig, a resumed campaign neither repeats nor omits a card") {
    MEDIARIG_LAB_PART(2);
    NEEDS_LAB();
    const Folder folder;
    write_magazine(folder, {good("64MiB"), good("80MiB"), good("96MiB")});
    bool resume = false;
    std::set<std::string> measured;
    // Moments: a card is not yet picked, in its reader, being written, or judged but not sorted.
    for (const char* moment :
         {"slot-1: load …", "slot-1: claim …", "slot-2: quickbench on exfat …", "slot-3: unload …"}) {
        CAPTURE(moment);
        Running running(rig_words(folder, {}, resume), folder.path());
        REQUIRE(running.says(moment));
        running.signal(SIGKILL);
        const ProgramOutput output = running.wait();
        CHECK(output.status == 128 + SIGKILL);
        CHECK(left_running(folder).empty());
        for (const char* slot : {"slot-1", "slot-2", "slot-3"})
            if (output.err.find(std::string(slot) + ": quickbench on exfat done") != std::string::npos)
                CHECK(measured.insert(slot).second);
        resume = true;
    }
    const ProgramOutput last = call_mediarig(rig_words(folder, {}, true), folder.path());
    CAPTURE(last.err);
    CHECK(last.status == 3); // a probe is no proof
    CHECK(grades_in(last.out) == "slot-1: PROBED\nslot-2: PROBED\nslot-3: PROBED\n");
    CHECK(bin_of(last, 3) == "bin pass");
    // The card was judged before the campaign ended, so it is sorted without another inspection.
    CHECK(last.err.find(": load") == std::string::npos);
    CHECK(measured.size() == 3);
    const json record = results(folder).at("devices");
    REQUIRE(record.size() == 3);
    for (std::size_t slot = 1; slot <= 3; ++slot) {
        check_right_card(record.at(slot - 1), slot, (48 + 16 * slot) << 20);
        CHECK(record.at(slot - 1).at("passes").size() == 2);
    }
    CHECK(left_running(folder).empty());
}

TEST_CASE("an invalid rig request gives one line and the documented status") {
    const Folder folder;
    const std::string suites = R"("formats": ["exfat"], "suites": ["quickbench"])";
    const std::string lab = R"("lab": [{"slot": 1, "kind": "usb", "card": "good-uhs1"}])";
    struct Row {
        const char* what;
        std::string plan;
        std::vector<std::string> rig;
        int status;
        const char* says;
    };
    const Row rows[] = {
        {"all slots of no rig", R"("slots": "all")", {}, 2, "no rig is connected; name one with --rig"},
        {"one slot of no rig", R"("slots": [3])", {}, 2, "is in slot 3, and no rig is connected"},
        {"the simulated rig without a lab", R"("slots": "all")", {"--rig", "sim"}, 2, "add a \"lab\" to the plan"},
        {"a lab with a real rig", R"("slots": "all", )" + lab, {"--rig", "/dev/ttyACM9"}, 2, "use --rig sim"},
        {"a missing reader of the simulated rig",
         R"("slots": "all", "lab": [{"slot": 1, "kind": "sd", "card": "good-uhs1"}])",
         {"--rig", "sim"},
         2,
         "/lab/0/kind: "},
        {"an invalid rig file", R"("slots": "all")", {"--rig", "nowhere.json"}, 3, "nowhere.json cannot be read"},
        {"a manual rig without a list of slots", R"("slots": "all")", {"--rig", "manual"}, 2, "list them in \"slots\""},
        {"a missing board", R"("slots": "all")", {"--rig", "/dev/ttyNONE"}, 3, "/dev/ttyNONE"},
        {"a missing script",
         R"("slots": "all", )" + lab,
         {"--rig", "sim", "--rig-script", "none.txt"},
         2,
         "File does not exist: none.txt"},
        {"a dry run with such a script",
         R"("slots": [1], )" + lab,
         {"--rig", "sim", "--rig-script", "none.txt", "--dry-run"},
         2,
         "File does not exist: none.txt"},
        {"a typing error", R"("slots": "all")", {"--rig", "simm"}, 2, "there is no rig 'simm'; did you mean 'sim'"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        write_file(folder / "plan.json", "{\"mediarig_plan\": 1, " + suites + ", " + row.plan + "}");
        std::vector<std::string> all{"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()};
        all.insert(all.end(), row.rig.begin(), row.rig.end());
        const ProgramOutput output = call_mediarig(all, folder.path());
        CAPTURE(output.err);
        CHECK(output.status == row.status);
        CHECK_THAT(output.err, ContainsSubstring(row.says));
        CHECK(std::count(output.err.begin(), output.err.end(), '\n') <= 2);
    }
}
