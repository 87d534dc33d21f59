// SPDX-License-Identifier: GPL-3.0-or-later
/// What a deviation costs, through the program and with the kernel's own driver: found where an emulated card charges
/// for it, and not where it does not. The cards are so slow that this machine's own time hardly counts.
#include <signal.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

std::string why_no_lab() {
    const Folder folder;
    const Said said = call_mediarig({"lab", "info"}, folder.path());
    return said.status == 0 ? "" : said.err.substr(0, said.err.find('\n'));
}

json results(const Folder& folder) {
    const Said said = call_mediarig({"results", "--json", "--store", (folder / "r.db").string()}, folder.path());
    REQUIRE(said.status == 0);
    return json::parse(said.out);
}

/// The only price of a device.
const json& price_of(const json& device) {
    const json& deviations = device.at("prices").at("deviations");
    REQUIRE(deviations.size() == 1);
    REQUIRE(deviations.at(0).at("metrics").size() == 1);
    return deviations.at(0).at("metrics").at(0);
}

} // namespace

TEST_CASE("a card that charges for clusters off its units shows the price of them, and one that does not shows none") {
    MEDIARIG_SAMPLED(4);
    if (const std::string why = why_no_lab(); !why.empty()) MEDIARIG_SKIP(why);
    const Folder folder;
    // 40 ms a large write, and two units in part make it 120: a busy machine adds a few. What formatting writes is
    // small.
    json card = json::parse(
        R"({"claimed_bytes": "256MiB", "write": {"by_size": [{"from_bytes": 65536, "latency_ns": 40000000}]}})");
    write_file(folder / "unplanted.json", card.dump());
    card["program_unit"] = {{"bytes", "32KiB"}, {"partial_ns", 40'000'000}};
    write_file(folder / "planted.json", card.dump());
    json plan = json::parse(R"({
        "mediarig_plan": 1, "repeats": 4,
        "media": [{"slot": 1, "name": "planted"}, {"slot": 2, "name": "unplanted"}],
        "price": {"baseline": {"fs": "exfat", "cluster_size": "64KiB"}, "deviations": [{"boundary": 512}]},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})");
    for (const char* name : {"planted", "unplanted"})
        plan["lab"].push_back({{"slot", plan["lab"].size() + 1},
                               {"kind", "uas"},
                               {"card", (folder / (std::string(name) + ".json")).string()}});
    write_file(folder / "plan.json", plan.dump());

    Running running({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    // Two minutes at a time: a slow machine takes several.
    for (int tries = 0; tries < 5 && !running.says(" finished after "); ++tries) continue;
    const Said said = running.wait();
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    const json record = results(folder);
    const json& planted = price_of(record.at("devices").at(0));
    const json& unplanted = price_of(record.at("devices").at(1));
    CAPTURE(planted.dump(), unplanted.dump());
    // 40 of 120 ms are left: two thirds are lost, a little less with what this machine adds to both.
    CHECK(planted.at("verdict") == "costs");
    CHECK(planted.at("interval").at(0).get<double>() > 0.1);
    CHECK(planted.at("interval").at(1).get<double>() < 0.85);
    // By its size and not by its verdict: of twenty that find nothing one may find something.
    CHECK(std::abs(unplanted.at("price").get<double>()) < 0.25);
    const json& confounded = record.at("devices").at(0).at("prices").at("deviations").at(0).at("confounded");
    CHECK_THAT(confounded.dump(), ContainsSubstring("What was measured lay elsewhere on the medium"));
    const Said csv = call_mediarig({"results", "--price-csv", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(csv.out, ContainsSubstring("boundary 512 bytes,exfat-2,quickbench,random_write.64KB.iops"));
}

TEST_CASE("a journal that the driver leaves alone is priced, and the price says that it was not used") {
    MEDIARIG_SAMPLED(4);
    if (const std::string why = why_no_lab(); !why.empty()) MEDIARIG_SKIP(why);
    const Folder folder;
    write_file(folder / "plan.json", R"({
        "mediarig_plan": 1, "repeats": 4,
        "media": [{"slot": 1, "name": "card"}],
        "lab": [{"slot": 1, "kind": "uas", "card": "good-uhs1", "size": "256MiB"}],
        "price": {"baseline": {"fs": "hfs+j"}, "deviations": ["fs:hfs+"]},
        "suites": [{"suite": "quickbench", "blocks": ["64KiB"], "accesses": ["random_write"], "span": "4MiB",
                    "volume": "1MiB"}]})");
    Running running({"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()}, folder.path());
    for (int tries = 0; tries < 5 && !running.says(" finished after "); ++tries) continue;
    const Said said = running.wait();
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    const json record = results(folder);
    CHECK(price_of(record.at("devices").at(0)).at("pairs") == 4);
    const Said table = call_mediarig({"results", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(table.out, ContainsSubstring("Price of HFS+ (hfs+) against HFS+ Journaled: card") &&
                              ContainsSubstring("journal not used") && ContainsSubstring("journaled yes"));
}

TEST_CASE("price on an image: a plan that can be resumed, and a table at its end") {
    if (!is_root()) MEDIARIG_SKIP("formatting and mounting an image needs root");
    const Folder folder;
    make_image(folder / "card.img", 64ULL << 20);
    const std::string image = (folder / "card.img").string();
    const std::vector<std::string> words{"price",
                                         image,
                                         "--confirm",
                                         image,
                                         "--deviation",
                                         "cluster_size:64KiB",
                                         "--quick",
                                         "--repeats",
                                         "4",
                                         "--store",
                                         (folder / "r.db").string()};
    Running running(words, folder.path());
    REQUIRE(running.says("quickbench"));
    running.signal(SIGINT);
    const Said stopped = running.wait();
    CAPTURE(stopped.err);
    CHECK(stopped.status == 3);
    const std::string plan = (folder / "price.plan.json").string();
    CHECK_THAT(stopped.err, ContainsSubstring("go on with: mediarig run " + plan + " --resume"));
    const Said resumed = call_mediarig({"run", plan, "--resume", "--store", (folder / "r.db").string()}, folder.path());
    CAPTURE(resumed.err);
    REQUIRE(resumed.status == 0);
    const json prices = results(folder).at("devices").at(0).at("prices");
    CHECK(prices.at("balanced") == true);
    REQUIRE(prices.at("deviations").size() == 1);
    for (const json& metric : prices.at("deviations").at(0).at("metrics")) CHECK(metric.at("pairs") == 4);
    CHECK(prices.at("deviations").at(0).at("metrics").size() == 6);
    const Said table = call_mediarig({"results", "--store", (folder / "r.db").string()}, folder.path());
    CHECK_THAT(table.out, ContainsSubstring("Price of cluster size 64 KiB (exfat-2) against exFAT: card.img"));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("each price has a plan of its own, and a dry run has none") {
    const Folder folder;
    make_image(folder / "card.img", 1ULL << 30); // sparse, and wide enough for the whole suite
    const std::string image = (folder / "card.img").string(), store = (folder / "r.db").string();
    write_file(folder / "price.plan.json", "of an earlier price");
    std::vector<std::string> words{"price", image, "--confirm", image, "--dry-run", "--store", store};
    const Said dry = call_mediarig(words, folder.path());
    CAPTURE(dry.err);
    CHECK(dry.status == (is_root() ? 0 : 3));
    CHECK_THAT(dry.out, ContainsSubstring("6 repeats of 3 formats\n") && ContainsSubstring("Nothing was written now") &&
                            ContainsSubstring("deviation: cluster size 4 KiB\n"));
    CHECK(read_file(folder / "price.plan.json") == "of an earlier price");
    CHECK_FALSE(std::filesystem::exists(folder / "price-2.plan.json"));
    const std::string own = (folder / "own.json").string();
    words.insert(words.end(), {"--plan", own});
    CHECK(call_mediarig(words, folder.path()).err == "the plan is in " + own + "\n");
    CHECK(json::parse(read_file(own)).at("repeats") == 6);

    if (!is_root()) MEDIARIG_SKIP("formatting and mounting an image needs root");
    words = {"price", image, "--confirm", image, "--quick", "--store", store};
    Running running(words, folder.path());
    REQUIRE(running.says("quickbench"));
    running.signal(SIGINT);
    const Said stopped = running.wait();
    CHECK_THAT(stopped.err, ContainsSubstring("go on with: mediarig run " + (folder / "price-2.plan.json").string()));
    CHECK(read_file(folder / "price.plan.json") == "of an earlier price");
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}
