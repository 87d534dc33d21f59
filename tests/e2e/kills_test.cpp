// SPDX-License-Identifier: GPL-3.0-or-later
/// Sends SIGKILL to the controller, the agent or the FUSE driver at random moments, and resumes the campaign until it
/// is done. No finished work is lost or repeated, and nothing is left on the machine. MEDIARIG_KILLS: number of kills
/// (25; 200 with MEDIARIG_THOROUGH=1). MEDIARIG_SEED: another seed.
#include <signal.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/e2e/resource_leaks.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// At least two media, and as many as lanes. Each medium is tested bare and with exFAT including its checker.
struct KilledCampaign {
    Folder folder;
    unsigned lanes;
    std::vector<std::string> names{"four", "one", "three", "two"}; ///< alphabetical
    explicit KilledCampaign(unsigned side_by_side) : lanes(side_by_side) {
        if (lanes < 3) names = {"one", "two"};
        json media = json::array();
        for (const std::string& name : names) {
            const std::string image = (folder / (name + ".img")).string();
            make_image(image, 64 << 20);
            media.push_back({{"name", name}, {"image", image}, {"confirm", image}});
        }
        const json bench = {
            {"suite", "quickbench"}, {"quick", true}, {"blocks", {"64KiB"}}, {"span", "4MiB"}, {"volume", "1MiB"}};
        json raw = bench;
        raw["where"] = "raw";
        raw["suite"] = "disktester";
        raw.erase("blocks");
        raw["tables"] = {"iops"};
        write_file(folder / "plan.json", json{{"mediarig_plan", 1},
                                              {"name", "killed"},
                                              {"media", media},
                                              {"formats", {"exfat"}},
                                              {"suites", {raw, bench}}}
                                             .dump());
    }
    [[nodiscard]] std::vector<std::string> words(bool resume) const {
        std::vector<std::string> result{"run",     (folder / "plan.json").string(),
                                        "--store", (folder / "r.db").string(),
                                        "--lanes", std::to_string(lanes)};
        if (resume) result.emplace_back("--resume");
        return result;
    }
};

/// Rows of the store, read by SQL and independent of the code that wrote them.
std::vector<std::vector<std::string>> ask(const std::filesystem::path& store, const std::string& question) {
    std::vector<std::vector<std::string>> rows;
    sqlite3* opened = nullptr;
    REQUIRE(sqlite3_open(store.c_str(), &opened) == SQLITE_OK);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
    sqlite3_busy_timeout(opened, 10'000);
    char* wrong = nullptr;
    const int code = sqlite3_exec(
        opened, question.c_str(),
        [](void* to, int columns, char** values, char**) {
            std::vector<std::string> row;
            for (int i = 0; i < columns; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "");
            static_cast<std::vector<std::vector<std::string>>*>(to)->push_back(std::move(row));
            return 0;
        },
        &rows, &wrong);
    const std::string why = wrong != nullptr ? wrong : "";
    sqlite3_free(wrong);
    // The campaign was killed before the first table was created.
    if (why.starts_with("no such table")) return {};
    CAPTURE(why);
    REQUIRE(code == SQLITE_OK);
    return rows;
}

/// Returns each finished cell with its time and result. If a cell were repeated, its time and result would differ.
std::map<std::string, std::string> cells_of(const KilledCampaign& campaign) {
    std::map<std::string, std::string> cells;
    for (const auto& row : ask(campaign.folder / "r.db",
                               "SELECT pass.key || '/' || cell.key, cell.elapsed_ns || ' ' || cell.result_json "
                               "FROM cell JOIN pass ON pass.id = cell.pass"))
        CHECK(cells.emplace(row.at(0), row.at(1)).second);
    return cells;
}

void check_nothing_changed(const std::map<std::string, std::string>& before,
                           const std::map<std::string, std::string>& after) {
    for (const auto& [cell, measured] : before) {
        CAPTURE(cell);
        const auto now = after.find(cell);
        REQUIRE(now != after.end());
        CHECK(now->second == measured);
    }
}

/// Checks at the end that the record is complete, and that journal and store agree.
void check_complete(const KilledCampaign& campaign, std::size_t cells) {
    const auto store = campaign.folder / "r.db";
    CHECK(cells_of(campaign).size() == cells);
    CHECK(ask(store, "SELECT state FROM campaign") == std::vector<std::vector<std::string>>{{"finished"}});
    std::vector<std::vector<std::string>> passed;
    for (const std::string& name : campaign.names) passed.push_back({name, "MEASURED"});
    CHECK(ask(store, "SELECT name, grade FROM device ORDER BY name") == passed);
    CHECK(ask(store, "SELECT why FROM untested").empty());
    CHECK(ask(store, "SELECT detail FROM finding WHERE severity = 'fault'").empty());
    CHECK(ask(store, "SELECT tool FROM fs_check WHERE clean = 0").empty());
    CHECK(ask(store, "SELECT key FROM pass WHERE complete = 0 OR ended_ns IS NULL").empty());
    // The last state of each step is done, and no pass was finished twice.
    CHECK(ask(store,
              "SELECT step, state FROM journal AS line WHERE id = (SELECT max(id) FROM journal WHERE step = "
              "line.step) AND state <> 'done' AND step NOT LIKE '%.release'")
              .empty());
    CHECK(ask(store,
              "SELECT step FROM journal WHERE step LIKE '%.run' AND state = 'done' GROUP BY step HAVING "
              "count(*) > 1")
              .empty());
}

enum class Victim : unsigned char { controller, agent, driver };

std::vector<pid_t> find_victims(Victim victim, pid_t controller) {
    if (victim == Victim::controller)
        return is_running(controller) ? std::vector<pid_t>{controller} : std::vector<pid_t>{};
    const auto agents = children_of(controller, "mediarig-agent");
    if (victim == Victim::agent || agents.empty()) return agents;
    return children_of(agents.front(), "mount.exfat-fuse");
}

struct Tally {
    std::size_t kills{}, campaigns{}, runs{}, misses{};
    std::map<Victim, std::size_t> of;
    std::map<int, std::size_t> statuses;
    std::chrono::milliseconds slowest_remains{}, slowest_end{};
};

void kill_at_random_moments(unsigned lanes) {
    const bool thorough = setting("MEDIARIG_THOROUGH", 0) != 0;
    const std::uint64_t wanted = setting("MEDIARIG_KILLS", thorough ? 200 : 25);
    const std::uint64_t seed = setting("MEDIARIG_SEED", 20261122);
    std::mt19937_64 random(seed);
    Tally tally;

    // Shortest duration without a kill, and the records of that run.
    auto whole = std::chrono::milliseconds::max();
    std::size_t cells = 0;
    for (int run = 0; run < 3; ++run) {
        const KilledCampaign campaign(lanes);
        const auto begun = std::chrono::steady_clock::now();
        const ProgramOutput output = call_mediarig(campaign.words(false), campaign.folder.path());
        whole = std::min(
            whole, std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun));
        CAPTURE(output.err);
        REQUIRE(output.status == 0);
        cells = cells_of(campaign).size();
        REQUIRE(cells > 0);
        check_complete(campaign, cells);
    }

    while (tally.kills < wanted) {
        const KilledCampaign campaign(lanes);
        ResourceLeaks remains(campaign.folder.path());
        ++tally.campaigns;
        std::map<std::string, std::string> before;
        bool done = false;
        for (bool resume = false; !done; ++tally.runs) {
            CAPTURE(seed, tally.kills, tally.runs);
            Running running(campaign.words(resume), campaign.folder.path());
            const auto moment = std::chrono::milliseconds(random() % static_cast<std::uint64_t>(whole.count()));
            const auto victim = static_cast<Victim>(random() % 3);
            std::this_thread::sleep_for(moment);
            remains.inspect_process(running.pid());
            const auto found = find_victims(victim, running.pid());
            const auto struck = std::chrono::steady_clock::now();
            // If the process to kill does not exist at this moment, this is not a kill, and the run continues.
            if (!found.empty() && tally.kills < wanted) {
                ++tally.kills;
                ++tally.of[victim];
                for (const pid_t each : found) ::kill(each, SIGKILL);
            } else {
                ++tally.misses;
            }
            const ProgramOutput output = running.wait();
            if (!found.empty() && victim != Victim::driver)
                tally.slowest_end = std::max(tally.slowest_end, std::chrono::duration_cast<std::chrono::milliseconds>(
                                                                    std::chrono::steady_clock::now() - struck));
            ++tally.statuses[output.status];
            CAPTURE(static_cast<int>(victim), moment.count(), output.status, output.err, output.out);
            tally.slowest_remains = std::max(tally.slowest_remains, remains.wait_until_gone(30s));
            CHECK(remains.list() == std::vector<std::string>{});

            const auto after = cells_of(campaign);
            check_nothing_changed(before, after);
            before = after;
            const bool killed = output.status == 128 + SIGKILL;
            REQUIRE((killed || output.status == 0 || output.status == 3));
            // If the campaign was killed after its last write to the store, there is nothing to resume.
            const auto state = ask(campaign.folder / "r.db", "SELECT state FROM campaign");
            done = !state.empty() && state.front().front() == "finished";
            CHECK((output.status != 0 || done));
            resume = !state.empty();
        }
        check_complete(campaign, cells);
    }
    std::cout << "lanes: " << lanes << ", kills: " << tally.kills << " (controller " << tally.of[Victim::controller]
              << ", agent " << tally.of[Victim::agent] << ", driver " << tally.of[Victim::driver] << "), "
              << tally.misses << " moments without that process, " << tally.runs << " runs, " << tally.campaigns
              << " campaigns of " << cells << " cells and " << whole.count() << " ms, start value " << seed
              << "; nothing left after " << tally.slowest_remains.count() << " ms at most, the run ended "
              << tally.slowest_end.count() << " ms after the kill at most; exit statuses:";
    for (const auto& [status, count] : tally.statuses) std::cout << " " << status << "×" << count;
    std::cout << '\n';
    // Cleaning up takes two seconds on an idle machine, and far more on a busy machine.
    CHECK(tally.slowest_remains < 60s);
}

} // namespace

TEST_CASE("after SIGKILL at random moments no work is lost or repeated, and no process or file remains") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    kill_at_random_moments(1);
}

TEST_CASE(
    "after SIGKILL at random moments with four lanes no work is lost or repeated, and no process or file remains") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    kill_at_random_moments(4);
}
