// SPDX-License-Identifier: GPL-3.0-or-later
/// After Ctrl-C, SIGKILL, a lost agent, a vanished medium or a full disk, no medium stays mounted or attached, no
/// measurement is lost, and the campaign resumes at the same point.
#include <signal.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

/// The moments at which a campaign is disturbed: the start of each of its steps, from identify to verdict.
const std::vector<std::string> moments{"[1/10]", "[2/10]", "[3/10]", "[4/10]", "[5/10]",
                                       "[6/10]", "[7/10]", "[8/10]", "[9/10]", "[10/10]"};

struct Campaign {
    Folder folder;
    Campaign() {
        make_image(folder / "one.img", 128 << 20);
        const std::string image = (folder / "one.img").string();
        write_file(folder / "plan.json", R"({"mediarig_plan": 1, "name": "interrupted", "media": [)" +
                                             json{{"name", "one"}, {"image", image}, {"confirm", image}}.dump() +
                                             R"(], "formats": ["exfat"], "suites": [
            {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "64KiB"], "span": "8MiB", "volume": "2MiB"},
            {"suite": "disktester", "quick": true, "tables": ["iops"], "span": "8MiB", "volume": "1MiB"}]})");
    }
    [[nodiscard]] std::vector<std::string> words(bool resume = false) const {
        std::vector<std::string> result{"run", (folder / "plan.json").string(), "--store", (folder / "r.db").string()};
        if (resume) result.emplace_back("--resume");
        return result;
    }
    [[nodiscard]] ProgramOutput resume() const { return call_mediarig(words(true), folder.path()); }
    [[nodiscard]] json results() const {
        const ProgramOutput output =
            call_mediarig({"results", "--json", "--store", (folder / "r.db").string()}, folder.path());
        return output.status == 0 ? json::parse(output.out) : json();
    }
    [[nodiscard]] bool finished() const {
        const json record = results();
        return !record.is_null() && record.at("campaign").at("state") == "finished";
    }
    /// "pass/cell" of every cell in the store; fails if a cell is present twice.
    [[nodiscard]] std::set<std::string> cells() const {
        std::set<std::string> ids;
        const json record = results();
        if (record.is_null()) return ids;
        for (const json& device : record.at("devices"))
            for (const json& pass : device.at("passes"))
                for (const json& cell : pass.at("cells")) {
                    const std::string id =
                        pass.at("id").get<std::string>() + "/" + cell.at("cell").at("id").get<std::string>();
                    CHECK(ids.insert(id).second);
                }
        return ids;
    }
};

constexpr std::size_t all_cells = 2 * 4 + 2;

/// Checks after a disturbance that the store opens, records are kept, the remaining work can be done, and nothing is
/// left behind.
void goes_on(Campaign& campaign) {
    const auto before = campaign.cells();
    const ProgramOutput resumed = campaign.resume();
    CAPTURE(resumed.err, resumed.out);
    CHECK(resumed.status == 0);
    CHECK(resumed.out == "one: MEASURED\n");
    const auto after = campaign.cells();
    CHECK(std::includes(after.begin(), after.end(), before.begin(), before.end()));
    CHECK(after.size() == all_cells);
    CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
}

} // namespace

TEST_CASE("Ctrl-C at each step leaves no process, mount or file and prints a working resume command") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    std::size_t interrupted = 0;
    for (const std::string& moment : moments) {
        CAPTURE(moment);
        Campaign campaign;
        Running running(campaign.words(), campaign.folder.path());
        REQUIRE(running.says(moment));
        running.signal(SIGINT);
        const ProgramOutput output = running.wait();
        CAPTURE(output.err);
        CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
        if (output.status == 0) continue; // the program ended before the signal came
        ++interrupted;
        CHECK(output.status == 3);
        CHECK_THAT(output.err,
                   ContainsSubstring("did not finish: interrupted from the keyboard; resume with: mediarig run"));
        goes_on(campaign);
    }
    std::cout << "Ctrl-C: " << moments.size() << " points, " << interrupted << " interrupted and resumed\n";
    CHECK(interrupted >= moments.size() / 2);
}

TEST_CASE("an interrupted single suite reports that it starts over") {
    const Folder folder;
    Running running({"bench", folder.path().string(), "--suite", "quickbench", "--store", (folder / "r.db").string()},
                    folder.path());
    REQUIRE(running.says(": quickbench"));
    running.signal(SIGINT);
    const ProgramOutput output = running.wait();
    CAPTURE(output.err);
    CHECK(output.status == 3);
    CHECK_THAT(output.err,
               ContainsSubstring("did not finish: interrupted from the keyboard; a single suite starts over: "
                                 "to resume, run it from a plan with mediarig run --resume"));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}

TEST_CASE("SIGKILL at each step lets the agent release everything and the campaign resumes") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    std::size_t killed = 0;
    for (const std::string& moment : moments) {
        CAPTURE(moment);
        Campaign campaign;
        Running running(campaign.words(), campaign.folder.path());
        REQUIRE(running.says(moment));
        running.signal(SIGKILL);
        const ProgramOutput output = running.wait();
        CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
        // The campaign was finished before the signal, except perhaps for its last messages.
        if (output.status != 128 + SIGKILL || campaign.finished()) continue;
        ++killed;
        goes_on(campaign);
    }
    std::cout << "SIGKILL: " << moments.size() << " points, " << killed << " killed and resumed\n";
    CHECK(killed >= moments.size() / 2);
}

TEST_CASE("a lost agent at any step is reported in one line, and the campaign resumes") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    std::size_t lost = 0;
    for (const std::string& moment : moments) {
        CAPTURE(moment);
        Campaign campaign;
        Running running(campaign.words(), campaign.folder.path());
        REQUIRE(running.says(moment));
        const ProgramOutput found = tool({"pgrep", "-P", std::to_string(running.pid()), "-x", "mediarig-agent"});
        if (found.status == 0) ::kill(std::stoi(found.out), SIGKILL);
        const ProgramOutput output = running.wait();
        CAPTURE(output.err);
        CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
        if (output.status == 0) continue; // the program ended before the signal came
        ++lost;
        CHECK(output.status == 3);
        goes_on(campaign);
    }
    std::cout << "agent killed: " << moments.size() << " points, " << lost << " lost and resumed\n";
    CHECK(lost >= moments.size() / 2);
}

TEST_CASE("a resumed campaign requires its own image, not another image of the same name and size") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    Campaign campaign;
    Running running(campaign.words(), campaign.folder.path());
    REQUIRE(running.says("[5/10]"));
    running.signal(SIGINT);
    REQUIRE(running.wait().status == 3);

    const auto image = campaign.folder / "one.img", aside = campaign.folder / "first.img";
    std::filesystem::rename(image, aside);
    make_image(image, 128 << 20);
    const ProgramOutput refused = campaign.resume();
    CAPTURE(refused.out, refused.err);
    CHECK(refused.status == 4);
    CHECK_THAT(refused.err, ContainsSubstring("is another file (inode "));
    CHECK(tool({"cmp", "-n", std::to_string(128 << 20), image.string(), "/dev/zero"}).status == 0);

    std::filesystem::rename(aside, image);
    goes_on(campaign);
}

TEST_CASE("an image that becomes read-only is not a fault of the medium, and the campaign resumes") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    Campaign campaign;
    const std::string image = (campaign.folder / "one.img").string();
    if (tool({"chattr", "+i", image}).status != 0 || tool({"chattr", "-i", image}).status != 0)
        MEDIARIG_SKIP("chattr +i does not work on the file system of the temporary folder");
    Running running(campaign.words(), campaign.folder.path());
    REQUIRE(running.says("[5/10]"));
    const int forbidden = tool({"chattr", "+i", image}).status;
    const ProgramOutput output = running.wait();
    REQUIRE(tool({"chattr", "-i", image}).status == 0);
    CAPTURE(output.out, output.err);
    CHECK(forbidden == 0);
    CHECK(output.status == 3);
    CHECK_THAT(output.err,
               ContainsSubstring("writes to " + image + " were forbidden during the test (chattr +i or +a)"));
    CHECK_THAT(output.out, !ContainsSubstring("FAIL"));
    goes_on(campaign);
}

TEST_CASE("an image truncated or written during a measurement gives no figures and no PASS") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    for (const bool cut : {true, false}) {
        const Campaign campaign;
        const std::string image = (campaign.folder / "one.img").string();
        Running running(campaign.words(), campaign.folder.path());
        REQUIRE(running.says("[5/10]"));
        if (cut)
            REQUIRE(tool({"truncate", "-s", "10M", image}).status == 0);
        else
            REQUIRE(
                tool({"dd", "if=/dev/zero", "of=" + image, "bs=1M", "seek=100", "count=1", "conv=notrunc"}).status ==
                0);
        const ProgramOutput output = running.wait();
        CAPTURE(cut, output.out, output.err);
        CHECK(output.status == 3);
        CHECK_THAT(output.out, !ContainsSubstring("PASS") && !ContainsSubstring("FAIL"));
        CHECK_THAT(output.err,
                   ContainsSubstring(cut ? image + " was truncated to " : "another process wrote to " + image));
    }
}

TEST_CASE("a full disk of the host ends the campaign with a one-line error and keeps the records") {
    if (!is_root()) MEDIARIG_SKIP("needs root for a small file system of its own");
    Campaign campaign;
    const std::string small = (campaign.folder / "small").string();
    std::filesystem::create_directory(small);
    REQUIRE(::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=320k") == 0);
    const ProgramOutput output = call_mediarig(
        {"run", (campaign.folder / "plan.json").string(), "--store", small + "/r.db"}, campaign.folder.path());
    CAPTURE(output.err);
    CHECK(output.status == 3);
    CHECK_THAT(output.err, ContainsSubstring("mediarig: "));
    // Records written before the disk was full can still be read.
    const ProgramOutput kept = call_mediarig({"results", "--store", small + "/r.db"}, campaign.folder.path());
    CHECK(::umount2(small.c_str(), 0) == 0);
    CAPTURE(kept.err);
    CHECK(kept.status == 0);
    CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
}

TEST_CASE("an interrupted verify reports how many bytes were written and that the other bytes are unchecked") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    const std::string image = (folder / "one.img").string();
    make_image(image, std::uint64_t{16} << 30); // sparse; far larger than the amount written until the signal
    Running running({"verify", image, "--confirm", image, "--store", (folder / "r.db").string()}, folder.path());
    REQUIRE(running.says("verify raw"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    running.signal(SIGINT);
    const ProgramOutput output = running.wait();
    CAPTURE(output.err);
    CHECK(output.status == 3);
    CHECK((output.err.find("of 17.2 GB were written, but nothing was read back") != std::string::npos ||
           output.err.find("nothing has been checked yet") != std::string::npos));
    CHECK(left_behind_at_last(folder.path()) == std::vector<std::string>{});
}
