// SPDX-License-Identifier: GPL-3.0-or-later
/// Interrupts, resumes and replays a comparison on an image, with the real program.
#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>

#include "tests/catch.hpp"
#include "tests/e2e/records.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

void change(const std::string& file, const std::string& sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

std::vector<std::string> on_image(const Folder& folder, const std::vector<std::string>& more) {
    const std::string image = (folder / "card.img").string();
    std::vector<std::string> words{"compare", image, "--confirm", image, "--store", (folder / "r.db").string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

} // namespace

TEST_CASE("a comparison on an image can be interrupted, resumed and replayed to the same decision") {
    if (!is_root()) MEDIARIG_SKIP("formatting and mounting an image needs root");
    const Folder folder;
    make_image(folder / "card.img", 64ULL << 20);
    const std::string store = (folder / "r.db").string();
    Running running(on_image(folder, {"--deviation", "cluster_size:64KiB", "--quick", "--blocks", "6"}), folder.path());
    // One pass of the first block is measured, and the other passes are not.
    REQUIRE(running.says(": 2 cells"));
    running.signal(SIGINT);
    const ProgramOutput stopped = running.wait();
    CAPTURE(stopped.err);
    CHECK(stopped.status == 3);
    const std::string plan = (folder / "compare.plan.json").string();
    CHECK_THAT(stopped.err, ContainsSubstring("resume with: mediarig run " + plan + " --resume"));
    // Neither another version of mediarig nor other drivers can resume the comparison.
    for (const char* origin : {"mediarig_version", "kernel"}) {
        change(store, fmt::format("UPDATE campaign SET name = {0}, {0} = 'another'", origin));
        const ProgramOutput refused = call_mediarig({"run", plan, "--resume", "--store", store}, folder.path());
        CHECK(refused.status == 2);
        CHECK_THAT(refused.err, ContainsSubstring("another, and this is ") &&
                                    ContainsSubstring("run it without --resume to begin a new comparison"));
        change(store, fmt::format("UPDATE campaign SET {} = name", origin));
    }
    const ProgramOutput resumed = call_mediarig({"run", plan, "--resume", "--store", store}, folder.path());
    CAPTURE(resumed.err);
    REQUIRE(resumed.status == 0);
    const json comparison = results(folder).at("devices").at(0).at("comparison");
    // The first block was interrupted and is not completed.
    CHECK(comparison.at("blocks").size() >= 5);
    CHECK(comparison.at("blocks").at(0).at("whole") == false);
    CHECK(comparison.at("pairs").size() == 4);
    CHECK(comparison.at("pairs").at(0).at("blocks").get<int>() >= 4);
    CHECK(comparison.at("cells").size() == 6);
    const ProgramOutput table = call_mediarig({"results", "--store", store}, folder.path());
    CHECK_THAT(table.out,
               ContainsSubstring("exFAT against cluster size 64 KiB: ") && ContainsSubstring("Block 1 was cut off"));
    const ProgramOutput again = call_mediarig({"replay", "--json", "--store", store}, folder.path());
    CHECK(again.status == 0);
    const json replayed = json::parse(again.out).at("blocks");
    CHECK(replayed.size() == comparison.at("blocks").size());
    for (std::size_t block = 1; block < replayed.size(); ++block) {
        CHECK(replayed.at(block).at("recorded") == replayed.at(block).at("decisions"));
        CHECK(replayed.at(block).at("same") == true);
    }
    // The replay compares decisions only, because another version may use other texts.
    change(store, "UPDATE journal SET detail = 'random write: undecided' WHERE step LIKE '%.compare'");
    const json in_words = json::parse(call_mediarig({"replay", "--json", "--store", store}, folder.path()).out);
    CHECK(in_words.at("blocks").at(1).at("recorded").is_null());
    change(store, "UPDATE journal SET detail = '[{\"decision\": \"faster\"}]' WHERE step LIKE '%.compare'");
    const ProgramOutput differs = call_mediarig({"replay", "--store", store}, folder.path());
    CHECK(differs.status == 1);
    CHECK_THAT(differs.out, ContainsSubstring("the record differs"));
    // "last" means the last comparison, even if other campaigns were run since.
    std::filesystem::create_directory(folder / "d");
    REQUIRE(call_mediarig({"bench", (folder / "d").string(), "--suite", "quickbench", "--quick", "--store", store},
                          folder.path())
                .status != 2);
    CHECK(call_mediarig({"replay", "--store", store}, folder.path()).out == differs.out);
    const ProgramOutput other = call_mediarig({"replay", "d quickbench", "--store", store}, folder.path());
    CHECK(other.status == 2);
    CHECK_THAT(other.err, ContainsSubstring(" has no comparison: "));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("a self-test compares a format with itself") {
    if (!is_root()) MEDIARIG_SKIP("formatting and mounting an image needs root");
    const Folder folder;
    make_image(folder / "card.img", 64ULL << 20);
    const ProgramOutput output = call_mediarig(
        on_image(folder, {"--self-test", "--quick", "--blocks", "4", "--headlines", "seq_write"}), folder.path());
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    CHECK_THAT(output.out, ContainsSubstring("exFAT against exFAT-2") && ContainsSubstring("Self-test: card.img"));
    CHECK(results(folder).at("devices").at(0).at("comparison").at("self_test") == true);
}

TEST_CASE("a time budget ends a comparison after a complete pass and is reported") {
    if (!is_root()) MEDIARIG_SKIP("formatting and mounting an image needs root");
    const Folder folder;
    make_image(folder / "card.img", 64ULL << 20);
    json plan = json::parse(R"({"mediarig_plan": 1, "time_budget_s": 1,
        "compare": {"baseline": "exfat", "deviations": ["cluster_size:64KiB"], "blocks": 60},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})");
    plan["media"] = {{{"image", (folder / "card.img").string()}, {"confirm", (folder / "card.img").string()}}};
    write_file(folder / "plan.json", plan.dump());
    const ProgramOutput output =
        call_mediarig({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    const json comparison = results(folder).at("devices").at(0).at("comparison");
    CHECK(comparison.at("ended") == true);
    CHECK(comparison.at("blocks").size() < 60);
    for (const json& block : comparison.at("blocks"))
        for (const json& pass : block.at("passes")) CHECK(pass.at("failed") == false);
    CHECK(results(folder).at("devices").at(0).at("untested").empty());
}

TEST_CASE("each comparison writes its plan, and a dry run writes no plan") {
    const Folder folder;
    make_image(folder / "card.img", 1ULL << 30); // sparse, and large enough for the whole suite
    write_file(folder / "compare.plan.json", "of an earlier comparison");
    auto words = on_image(folder, {"--deviation", "cluster_size:64KiB", "--minutes", "90", "--dry-run"});
    const ProgramOutput dry = call_mediarig(words, folder.path());
    CAPTURE(dry.err);
    CHECK(dry.status == (is_root() ? 0 : 3));
    CHECK_THAT(dry.out, ContainsSubstring("at most 12 blocks of 2 formats, margin 5 %\n") &&
                            ContainsSubstring("This was a dry run: nothing was written") &&
                            ContainsSubstring("format: exFAT\n") && ContainsSubstring("BLOCK  MEDIUM") &&
                            ContainsSubstring("\n12     card.img") && !ContainsSubstring("m0.r1."));
    CHECK(read_file(folder / "compare.plan.json") == "of an earlier comparison");
    CHECK_FALSE(std::filesystem::exists(folder / "compare-2.plan.json"));
    const std::string own = (folder / "own.json").string();
    words.insert(words.end(), {"--plan", own, "--seed", "9"});
    const ProgramOutput planned = call_mediarig(words, folder.path());
    CHECK(planned.err == "the plan is in " + own + "\n");
    CHECK_THAT(planned.out, ContainsSubstring("This was a dry run: nothing but " + own + " was written."));
    const json kept = json::parse(read_file(own));
    CHECK(kept.at("compare").at("orders").size() == 12);
    CHECK(kept.at("order").at("seed") == 9);
    CHECK(kept.at("time_budget_s") == 5400);
}

TEST_CASE("a comparison of a format without a driver is refused before any write") {
    if (!is_root()) MEDIARIG_SKIP("claiming an image needs root");
    const Folder folder;
    make_image(folder / "card.img", 1ULL << 30);
    auto words = on_image(folder, {"--formats", "exfat,hfs+j,apfs", "--quick", "--dry-run"});
    if (call_mediarig(words, folder.path()).status == 0) MEDIARIG_SKIP("this machine has a driver for each format");
    words.pop_back();
    const ProgramOutput output = call_mediarig(words, folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 3);
    CHECK_THAT(output.err, ContainsSubstring("not every format can be measured") && ContainsSubstring("HFS+") &&
                               ContainsSubstring("nothing was written"));
    CHECK_FALSE(std::filesystem::exists(folder / "compare.plan.json"));
    const ProgramOutput kept = call_mediarig({"campaigns", "--json", "--store", folder / "r.db"}, folder.path());
    CHECK(nlohmann::json::parse(kept.out).at("campaigns").empty());
}

TEST_CASE("a dry run of a comparison without a budget lists one block") {
    const Folder folder;
    make_image(folder / "card.img", 1ULL << 30);
    const ProgramOutput dry =
        call_mediarig(on_image(folder, {"--self-test", "--blocks", "endless", "--dry-run"}), folder.path());
    CHECK_THAT(dry.out, ContainsSubstring("\n1      card.img") && !ContainsSubstring("\n2      card.img") &&
                            ContainsSubstring("The first block (the number of blocks is not fixed): "));
}

TEST_CASE("media of several campaigns are compared from their records") {
    const Folder folder;
    const std::string store = (folder / "r.db").string();
    const auto measured = [&](const std::string& name) {
        std::filesystem::create_directory(folder / name);
        json plan = json::parse(R"({"mediarig_plan": 1, "repeats": 4, "suites": [{"suite": "quickbench",
            "blocks": ["64KiB"], "accesses": ["random_write"], "span": "1MiB", "volume": "512KiB"}]})");
        plan["name"] = name;
        plan["media"] = {{{"directory", (folder / name).string()}, {"name", name}}};
        write_file(folder / (name + ".json"), plan.dump());
        const ProgramOutput output =
            call_mediarig({"run", (folder / (name + ".json")).string(), "--store", store}, folder.path());
        CAPTURE(output.err);
        REQUIRE(output.status != 2);
        return output.status;
    };
    REQUIRE(measured("one") == measured("other"));
    const ProgramOutput text = call_mediarig({"compare", "--media", "one,other", "--store", store}, folder.path());
    CAPTURE(text.err);
    CHECK(text.status == 0);
    CHECK_THAT(text.out, ContainsSubstring("random write, one against other: "));
    const ProgramOutput output =
        call_mediarig({"compare", "--media", "one/one", "--media", "other", "--json", "--store", store}, folder.path());
    const json facts = json::parse(output.out);
    CHECK(facts.at("media").at(0).at("repeats") == 4);
    CHECK(facts.at("between_media").size() == 1);
    CHECK(facts.at("between_types").empty());
    for (const auto& [words, why] :
         std::vector<std::pair<std::string, std::string>>{{"one", "one medium alone cannot be compared"},
                                                          {"one,one", "one is named twice"},
                                                          {"one/none,other", "has no device 'none'"},
                                                          {"never,other", "never"}}) {
        const ProgramOutput refused = call_mediarig({"compare", "--media", words, "--store", store}, folder.path());
        CAPTURE(refused.err);
        CHECK(refused.status == 2);
        CHECK_THAT(refused.err, ContainsSubstring(why));
        CHECK(refused.out.empty());
    }
    const ProgramOutput both = call_mediarig({"compare", "/dev/null", "--media", "one,other"}, folder.path());
    CHECK(both.status == 2);
    CHECK_THAT(both.err, ContainsSubstring("--media measures nothing"));
}

TEST_CASE("replay and compare refuse impossible requests in one line") {
    const Folder folder;
    const ProgramOutput nothing = call_mediarig({"compare"}, folder.path());
    CHECK(nothing.status == 2);
    CHECK_THAT(nothing.err, ContainsSubstring("target is required, or --from FILE"));
    const ProgramOutput both = call_mediarig({"compare", "/dev/null", "--from", "-"}, folder.path());
    CHECK(both.status == 2);
    CHECK_THAT(both.err, ContainsSubstring("--from measures nothing: leave out /dev/null"));
    std::filesystem::create_directory(folder / "d");
    const std::string store = (folder / "r.db").string();
    REQUIRE(call_mediarig({"bench", (folder / "d").string(), "--suite", "quickbench", "--quick", "--store", store},
                          folder.path())
                .status != 2);
    const ProgramOutput other = call_mediarig({"replay", "--store", store}, folder.path());
    CHECK(other.status == 2);
    CHECK_THAT(other.err, ContainsSubstring("no campaign in it compares formats: run mediarig compare"));
}
