// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs complete campaigns on real loop devices and file systems, and checks the results with independent tools.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

std::string medium(const Folder& folder, const std::string& name) {
    const std::string image = (folder / (name + ".img")).string();
    return json{{"name", name}, {"image", image}, {"confirm", image}}.dump();
}

const std::string small_suites = R"([
    {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "1024KiB"], "span": "8MiB", "volume": "2MiB"},
    {"suite": "disktester", "quick": true, "tables": ["iops"], "span": "8MiB", "volume": "1MiB"}
])";

void write_plan(const Folder& folder, const std::string& media, const std::string& rest) {
    write_file(folder / "plan.json", R"({"mediarig_plan": 1, "name": "e2e", "media": [)" + media + "], " + rest + "}");
}

ProgramOutput run(const Folder& folder, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()};
    words.insert(words.end(), more.begin(), more.end());
    return call_mediarig(words, folder.path());
}

} // namespace

TEST_CASE("exFAT and APFS are formatted, measured, checked, recorded and reported") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Folder folder;
    make_image(folder / "one.img", 256 << 20);
    make_image(folder / "two.img", 320 << 20);
    write_plan(folder, medium(folder, "one") + "," + medium(folder, "two"),
               R"("formats": ["exfat", {"fs": "apfs", "suites": []}], "suites": )" + small_suites +
                   R"(, "repeats": 2, "order": {"kind": "random_pairs", "seed": 7})");
    const ProgramOutput output = run(folder);
    CAPTURE(output.err, output.out);
    REQUIRE(output.status == 0);
    CHECK(output.out == "one: MEASURED\ntwo: MEASURED\n2 media: 2 MEASURED\n");
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});

    const json record = results(folder);
    REQUIRE(record.at("devices").size() == 2);
    for (const json& device : record.at("devices")) {
        // Two suites with two repeats on exFAT; APFS is only formatted and checked.
        CHECK(device.at("passes").size() == 4);
        for (const json& pass : device.at("passes")) {
            CHECK(pass.at("format") == "exfat");
            CHECK(pass.at("cells").size() > 0);
        }
    }
    SECTION("the reference checkers agree") {
        // The order of the pairs determines which format was made last.
        for (const char* name : {"one", "two"}) {
            const std::string image = (folder / (std::string(name) + ".img")).string();
            const std::string head = read_file(image).substr(0, 64);
            const ProgramOutput judged =
                head.compare(3, 5, "EXFAT") == 0 ? tool({"fsck.exfat", "-n", image}) : tool({"apfsck", "-cuw", image});
            CAPTURE(judged.out, judged.err);
            CHECK(judged.status == 0);
        }
    }
    SECTION("the report is self-contained") {
        const ProgramOutput report = call_mediarig(
            {"report", "--store", (folder / "r.db").string(), "-o", (folder / "r.html").string()}, folder.path());
        CHECK(report.status == 0);
        const std::string html = read_file(folder / "r.html");
        CHECK(html.size() > 100'000);
        CHECK(html.find("src=\"http") == std::string::npos);
    }
    SECTION("the log of each device is complete without the database") {
        std::size_t logs = 0;
        for (const auto& file : std::filesystem::directory_iterator(folder / "devices")) {
            ++logs;
            const std::string text = read_file(file.path());
            CHECK(std::count(text.begin(), text.end(), '\n') > 10);
        }
        CHECK(logs == 2);
    }
}

TEST_CASE("limits decide the verdict and the exit status") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Folder folder;
    make_image(folder / "one.img", 256 << 20);
    write_plan(folder, medium(folder, "one"),
               R"("formats": ["exfat"], "suites": )" + small_suites +
                   R"(, "limits": [{"metric": "seq_read.1024KB.mb_per_s", "min": 1e9}])");
    const ProgramOutput output = run(folder);
    CAPTURE(output.err);
    CHECK(output.status == 1);
    CHECK_THAT(output.out, Catch::Matchers::StartsWith("one: FAIL: Reads ") && Catch::Matchers::EndsWith(" wanted.\n"));
}

TEST_CASE("a format without a driver gives the medium no verdict, and its tests stay open") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    if (read_file("/proc/filesystems").find("apfs") != std::string::npos)
        MEDIARIG_SKIP("this machine has a driver for APFS");
    const Folder folder;
    make_image(folder / "one.img", 256 << 20);
    write_plan(folder, medium(folder, "one"), R"("formats": ["apfs"], "suites": )" + small_suites);
    const ProgramOutput output = run(folder);
    CHECK(output.status == 3);
    CHECK(output.out == "one: no verdict: Not judged: the campaign did not finish.\n");
    CHECK_THAT(output.err, ContainsSubstring("no driver for APFS on this machine") && ContainsSubstring(" --resume "));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("a dry run is ready to run each example plan, and plans with slots also with the simulated rigs") {
    const Folder folder;
    std::size_t native = 0, emulated = 0, with_rig = 0;
    for (const auto& file : std::filesystem::directory_iterator(MEDIARIG_EXAMPLES)) {
        json plan = json::parse(read_file(file.path()));
        CAPTURE(file.path().string());
        // The examples use /var/tmp; the test writes to its own folder only.
        if (plan.contains("media"))
            for (json& each : plan.at("media"))
                if (each.contains("image")) {
                    each["image"] = (folder / "sample.img").string();
                    make_image(folder / "sample.img", 64 << 20);
                }
        const auto copy = folder / "plan.json";
        write_file(copy, plan.dump());
        std::vector<std::vector<std::string>> rigs{{}};
        if (plan.contains("slots")) rigs = {{}, {"--rig", "sim"}, {"--rig", "sim-bank"}};
        for (const auto& rig : rigs) {
            std::vector<std::string> words{"run", copy.string(), "--dry-run"};
            words.insert(words.end(), rig.begin(), rig.end());
            const ProgramOutput output = call_mediarig(words, folder.path());
            CAPTURE(output.out, output.err);
            CHECK(output.status == 0);
            CHECK(output.out.find("Not ready") == std::string::npos);
        }
        (plan.contains("lab") ? emulated : native) += 1;
        with_rig += rigs.size() > 1;
    }
    CHECK(native == 2);
    CHECK(emulated == 5);
    CHECK(with_rig == 2);
}

TEST_CASE("a dry run prints the steps and writes nothing") {
    const Folder folder;
    make_image(folder / "one.img", 256 << 20);
    const std::string before = read_file(folder / "one.img");
    write_plan(folder, medium(folder, "one"), R"("formats": ["exfat"], "suites": )" + small_suites);
    const ProgramOutput output = run(folder, {"--dry-run"});
    CAPTURE(output.err, output.out);
    CHECK(output.status == 0);
    CHECK_THAT(output.out, ContainsSubstring("one: " + (folder / "one.img").string() + ", 268 MB: "));
    for (const char* step : {"\n  identify\n", "\n  claim for this test\n", "\n  format as exFAT: about ",
                             "\n  quickbench under exFAT: writes ", "\n  judge\n"})
        CHECK_THAT(output.out, ContainsSubstring(step));
    CHECK(output.out.find("m0.") == std::string::npos);
    CHECK_THAT(output.out, ContainsSubstring("This was a dry run: nothing was written."));
    CHECK(read_file(folder / "one.img") == before);
    CHECK_FALSE(std::filesystem::exists(folder / "r.db"));
}

TEST_CASE("verify reads back its writes, and cmp shows that the medium changed") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    make_image(folder / "one.img", 32 << 20);
    make_image(folder / "zeros.img", 32 << 20);
    const std::string image = (folder / "one.img").string();
    const ProgramOutput output = call_mediarig({"verify", image, "--confirm", image, "--store",
                                                (folder / "r.db").string(), "--json=" + (folder / "r.json").string()},
                                               folder.path());
    CAPTURE(output.err, output.out);
    REQUIRE(output.status == 0);
    const json record = json::parse(read_file(folder / "r.json"));
    const json& verify = record.at("devices").at(0).at("passes").at(0).at("end").at("verify");
    CHECK(verify.at("written") == (32 << 20));
    CHECK(verify.at("good") == (32 << 20));
    CHECK(tool({"cmp", image, (folder / "zeros.img").string()}).status == 1);
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("a directory is measured without changes") {
    const Folder folder;
    std::filesystem::create_directory(folder / "data");
    const ProgramOutput output = call_mediarig({"bench", (folder / "data").string(), "--suite", "disktester", "--quick",
                                                "--quiet", "--store", (folder / "r.db").string()},
                                               folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 0);
    CHECK_THAT(output.out, ContainsSubstring("MB/s"));
    CHECK(std::filesystem::is_empty(folder / "data"));
}

TEST_CASE("bench on a formatted image keeps its file system and files") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Folder folder;
    make_image(folder / "one.img", 256 << 20);
    const std::string image = (folder / "one.img").string();
    const ProgramOutput made =
        call_mediarig({"format", image, "--fs", "exfat", "--label", "KEEPME", "--confirm", image}, folder.path());
    REQUIRE(made.status == 0);
    CHECK_THAT(made.out,
               ContainsSubstring("It has no partition table, and cameras and players expect one: --profile "));
    const ProgramOutput output = call_mediarig(
        {"bench", image, "--suite", "disktester", "--quick", "--quiet", "--store", (folder / "r.db").string()},
        folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 0);
    const ProgramOutput seen = call_mediarig({"inspect", image, "--json"}, folder.path());
    CHECK(json::parse(seen.out).at("content").at("volumes").at(0).at("label") == "KEEPME");
    CHECK(tool({"fsck.exfat", "-n", image}).status == 0);
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("a plan that only formats and checks gives the verdict FORMATTED and states that nothing was measured") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    make_image(folder / "one.img", 64 << 20);
    write_plan(folder, medium(folder, "one"), R"("formats": ["exfat"], "suites": [])");
    const ProgramOutput output = run(folder);
    CAPTURE(output.err, output.out);
    CHECK(output.status == 0);
    CHECK(output.out == "one: FORMATTED\n");
    const ProgramOutput told = call_mediarig({"results", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(told.out, ContainsSubstring("nothing was measured"));
}

TEST_CASE("run --retest tests the failed media again in a new campaign that names the earlier one") {
    const Folder folder;
    const std::string store = folder / "r.db", plan = folder / "plan.json";
    const std::string present = folder / "present";
    std::filesystem::create_directory(present);
    write_file(plan, json{{"mediarig_plan", 1},
                          {"name", "lot"},
                          {"media", {{{"directory", present}}}},
                          {"suites", {{{"suite", "quickbench"}, {"quick", true}, {"span", "16MiB"}}}},
                          {"limits", {{{"metric", "seq_read.1024KB.mb_per_s"}, {"min", 1e9}}}}}
                         .dump());
    const auto call = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--store", store});
        return call_mediarig(words, folder.path());
    };
    CHECK(call({"run", plan, "--retest", "fail"}).status == 2);
    CHECK(call({"run", plan, "--quiet"}).status == 1);
    const ProgramOutput nothing = call({"run", plan, "--retest", "inconclusive"});
    CHECK(nothing.status == 2);
    CHECK_THAT(nothing.err, ContainsSubstring("campaign 1 has no medium with the verdict INCONCLUSIVE"));
    CHECK(call({"run", plan, "--retest", "fail", "--resume"}).status == 2);
    CHECK(call({"run", plan, "--retest", "pass"}).status == 2);

    const ProgramOutput again = call({"run", plan, "--retest", "fail", "--quiet"});
    CHECK(again.status == 1);
    CHECK(grades_in(again.out) == "present: FAIL\n");
    const json one = json::parse(call({"results", "1", "--json"}).out),
               two = json::parse(call({"results", "2", "--json"}).out);
    CHECK(one.at("campaign").at("origin").at("retest_of") == "");
    CHECK(two.at("campaign").at("origin").at("retest_of") == one.at("campaign").at("id"));
    CHECK(two.at("devices").size() == 1);
    CHECK_THAT(call({"results", "2"}).out, ContainsSubstring("retest of campaign") &&
                                               ContainsSubstring(one.at("campaign").at("id").get<std::string>()));
}
