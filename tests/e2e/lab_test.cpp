// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs campaigns in the virtual lab with the real program, real drivers and emulated media, without root and without a
/// card.
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/e2e/resource_leaks.hpp"
#include "tests/json.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// A medium that both a plan and the lab of the plan contain.
struct Emulated {
    std::string name, kind;
    json card; ///< a card model
};

const json fast = {{"claimed_bytes", "256MiB"}};

std::vector<std::string> words(const Folder& folder, bool resume = false) {
    std::vector<std::string> all{"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()};
    if (resume) all.emplace_back("--resume");
    return all;
}

void write_plan(const Folder& folder, const std::vector<Emulated>& media, json plan) {
    plan["mediarig_plan"] = 1;
    for (std::size_t i = 0; i < media.size(); ++i) {
        const auto card = folder / (media[i].name + ".json");
        write_file(card, media[i].card.dump());
        plan["media"].push_back({{"slot", i + 1}, {"name", media[i].name}});
        plan["lab"].push_back({{"slot", i + 1}, {"kind", media[i].kind}, {"card", card.string()}});
    }
    write_file(folder / "plan.json", plan.dump());
}

/// Processes of a lab that uses media in this folder.
std::vector<std::string> lab_left_behind(const Folder& folder) {
    std::vector<std::string> left;
    for (int tries = 0; tries < 300; ++tries) {
        left.clear();
        for (const char* program : {"nbdkit", "qemu-system-x86_64"}) {
            const ProgramOutput found = tool({"pgrep", "-f", std::string(program) + ".*" + folder.path().string()});
            if (found.status == 0) left.push_back(std::string(program) + " " + found.out);
        }
        if (left.empty()) break;
        (void)tool({"sleep", "0.1"});
    }
    return left;
}

const json small_suites = json::parse(R"([
    {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "64KiB"], "span": "8MiB", "volume": "1MiB"}])");

json slim(json suites = small_suites) {
    return {{"name", "lab"}, {"formats", {"exfat", "hfs+j", "apfs"}}, {"suites", std::move(suites)}};
}

} // namespace

TEST_CASE("three formats with their real drivers work in six kinds of slots") {
    MEDIARIG_LAB_PART(2);
    NEEDS_LAB();
    NEEDS_APFS();
    const Folder folder;
    write_plan(folder,
               {{"sd", "sd", fast},
                {"usb", "usb", fast},
                {"hub", "hub", fast},
                {"reader", "reader", fast},
                {"uas", "uas", fast},
                {"nvme", "nvme", {{"claimed_bytes", "256MiB"}, {"smart_critical_warning", 4}}}},
               slim());
    const ProgramOutput output = call_mediarig(words(folder), folder.path());
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    CHECK(output.out ==
          "sd: MEASURED\nusb: MEASURED\nhub: MEASURED\nreader: MEASURED\nuas: MEASURED\nnvme: MEASURED\n6 media: 6 "
          "MEASURED\n");
    CHECK(lab_left_behind(folder).empty());
    CHECK(std::filesystem::is_empty(folder / "lab"));

    const json record = results(folder);
    std::set<std::string> keys;
    for (const json& device : record.at("devices")) {
        CAPTURE(device.at("name"));
        keys.insert(device.at("key").get<std::string>());
        REQUIRE(device.at("passes").size() == 3);
        const std::map<std::string, std::string> drivers{{"exfat", "exfat"},
                                                         {"hfs+j", "hfsplus (journal not used)"},
                                                         {"apfs", "apfs (linux-apfs-rw 0.3.22, experimental)"}};
        for (const json& pass : device.at("passes")) {
            CHECK(pass.at("mounted").at("driver") == drivers.at(pass.at("format").get<std::string>()));
            CHECK(pass.at("cells").size() == 8);
        }
        REQUIRE(device.at("checks").size() == 3);
        for (const json& check : device.at("checks")) CHECK(check.at("clean") == true);
    }
    CHECK(keys.size() == 6);

    // Only the PCIe disk reports its SMART data, and the report contains the warning.
    for (const json& device : record.at("devices")) {
        const json smart = device.at("identity").value("smart", json::object());
        CAPTURE(device.at("name"), smart.dump());
        if (device.at("name") == "nvme")
            CHECK(smart.at("state") == "failing");
        else if (device.at("name") != "sd")
            CHECK(smart.at("state") != "failing");
    }
    const ProgramOutput report = call_mediarig(
        {"report", "--store", (folder / "r.db").string(), "-o", (folder / "r.html").string()}, folder.path());
    CHECK(report.status == 0);
    CHECK_THAT(read_file(folder / "r.html"), ContainsSubstring("the disk reports that it is failing"));
}

TEST_CASE("I/O errors are reported at exactly their sectors, and the rest of the medium is read") {
    MEDIARIG_LAB_PART(0);
    NEEDS_LAB();
    const Folder folder;
    // The bad sectors are at boundaries of 4 KiB pages, the unit in which the guest's kernel reads.
    const json card = {{"claimed_bytes", "64MiB"},
                       {"bad_sectors",
                        {{{"first_sector", 20480}, {"sector_count", 8}, {"fails", "read"}},
                         {{"first_sector", 81920}, {"sector_count", 16}, {"fails", "read"}}}}};
    write_plan(folder, {{"bad", "usb", card}}, {{"suites", {{{"suite", "verify"}, {"where", "raw"}}}}});
    const ProgramOutput output = call_mediarig(words(folder), folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 1);
    const json record = results(folder);
    const json& verify = record.at("devices").at(0).at("passes").at(0).at("end").at("verify");
    CAPTURE(verify.dump());
    std::uint64_t bytes = 0;
    std::set<std::uint64_t> starts;
    for (const json& range : verify.at("damaged")) {
        starts.insert(range.at("offset").get<std::uint64_t>());
        bytes += range.at("length").get<std::uint64_t>();
    }
    CHECK(starts == std::set<std::uint64_t>{20480 * 512, 81920 * 512});
    CHECK(bytes == 24 * 512);
}

TEST_CASE("a killed controller leaves no process and the campaign resumes without repeating a step") {
    MEDIARIG_LAB_PART(4);
    NEEDS_LAB();
    NEEDS_APFS();
    const Folder folder;
    write_plan(folder, {{"one", "usb", fast}, {"two", "reader", fast}}, slim());
    Running running(words(folder), folder.path());
    REQUIRE(running.says("two: format hfs+j …"));
    running.signal(SIGKILL);
    CHECK(running.wait().status == 128 + SIGKILL);
    CHECK(lab_left_behind(folder).empty());
    const ProgramOutput resumed = call_mediarig(words(folder, true), folder.path());
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    CHECK(resumed.out == "one: MEASURED\ntwo: MEASURED\n2 media: 2 MEASURED\n");
    CHECK(resumed.err.find("one: format") == std::string::npos);
    CHECK(resumed.err.find("two: format exfat") == std::string::npos);
    const json record = results(folder);
    REQUIRE(record.at("devices").size() == 2);
    for (const json& device : record.at("devices")) CHECK(device.at("passes").size() == 3);
}

TEST_CASE("Ctrl-C shuts the lab down and prints the resume command") {
    MEDIARIG_LAB_PART(3);
    NEEDS_LAB();
    const Folder folder;
    write_plan(folder, {{"one", "usb", fast}}, slim());
    const char* moment = GENERATE("campaign ", "one: quickbench on hfs+j …");
    Running running(words(folder), folder.path());
    REQUIRE(running.says(moment));
    running.signal(SIGINT);
    const ProgramOutput output = running.wait();
    CAPTURE(moment, output.err);
    CHECK(output.status == 3);
    CHECK_THAT(output.err,
               ContainsSubstring("did not finish: interrupted from the keyboard; resume with: mediarig run"));
    CHECK(lab_left_behind(folder).empty());
    CHECK(call_mediarig(words(folder, true), folder.path()).out == "one: MEASURED\n");
}

TEST_CASE("a second Ctrl-C ends a run in the lab at once, even if the guest does not respond") {
    MEDIARIG_LAB_PART(1);
    NEEDS_LAB();
    const Folder folder;
    write_plan(folder, {{"one", "usb", fast}}, slim());
    Running running(words(folder), folder.path());
    REQUIRE(running.says("one: quickbench on hfs+j …"));
    const auto machines = children_of(running.pid(), "qemu-system-x86_64");
    REQUIRE(machines.size() == 1);
    REQUIRE(::kill(machines.front(), SIGSTOP) == 0);
    running.signal(SIGINT);
    ::poll(nullptr, 0, 500);
    const auto begun = std::chrono::steady_clock::now();
    running.signal(SIGINT);
    const ProgramOutput output = running.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    CAPTURE(output.err, took.count());
    CHECK(output.status == 3);
    CHECK_THAT(output.err,
               ContainsSubstring("did not finish: interrupted from the keyboard; resume with: mediarig run"));
    CHECK(took.count() < 1.5);
    CHECK(lab_left_behind(folder).empty());
    CHECK(call_mediarig(words(folder, true), folder.path()).out == "one: MEASURED\n");
}

TEST_CASE("Ctrl-C while the lab boots shuts it down at once") {
    MEDIARIG_LAB_PART(0);
    NEEDS_LAB();
    for (const int after_ms : {50, 300, 600, 1500}) {
        const Folder folder;
        write_plan(folder, {{"one", "usb", fast}}, slim());
        Running running(words(folder), folder.path());
        ::poll(nullptr, 0, after_ms);
        running.signal(SIGINT);
        const auto asked = std::chrono::steady_clock::now();
        const ProgramOutput output = running.wait();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - asked;
        CAPTURE(after_ms, output.err, took.count());
        // A signal before the handlers are installed ends the program.
        CHECK((output.status == 3 || output.status == 128 + SIGINT));
        // The shortest time limit of a boot is 30 s.
        CHECK(took.count() < 20);
        CHECK(lab_left_behind(folder).empty());
    }
}

TEST_CASE("an invalid lab request gives one line and the documented status") {
    const Folder folder;
    struct Row {
        std::string what, lab, slot;
        std::vector<std::string> environment;
        int status;
        std::string line;
    };
    const std::string good = R"([{"slot": 1, "kind": "usb", "card": "good-uhs1", "size": "256MiB"}])";
    const Row rows[] = {
        {"a medium that never appears",
         good,
         "2",
         {},
         2,
         "/media/0/slot: is 2, but \"lab\" defines no medium in that slot"},
        {"an unknown card", R"([{"slot": 1, "kind": "usb", "card": "gold"}])", "1", {}, 2, "gold"},
        {"a size that an SD slot does not accept",
         R"([{"slot": 1, "kind": "sd", "card": "thunderbolt-ssd"}])",
         "1",
         {},
         2,
         "powers of two"},
        {"no guest image", good, "1", {"XDG_CACHE_HOME=" + (folder / "empty").string()}, 3, "mediarig lab build"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        write_file(folder / "plan.json",
                   R"({"mediarig_plan": 1, "formats": ["exfat"], "suites": ["quickbench"], "media": [{"slot": )" +
                       row.slot + R"(}], "lab": )" + row.lab + "}");
        const ProgramOutput output = call_mediarig(words(folder), folder.path(), row.environment);
        CAPTURE(output.err, output.out);
        CHECK(output.status == row.status);
        CHECK_THAT(output.err, ContainsSubstring(row.line));
        CHECK(lab_left_behind(folder).empty());
    }
}
