// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign ends soon after a request in any state, and its remaining work stays open.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
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
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

milliseconds since(Clock::time_point begun) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - begun);
}

/// A campaign of one image with exFAT and a short suite.
struct SmallCampaign {
    Folder folder;
    explicit SmallCampaign(const std::filesystem::path& images = {}) {
        const std::string image = ((images.empty() ? folder.path() : images) / "one.img").string();
        make_image(image, 64 << 20);
        write_file(folder / "plan.json", R"({"mediarig_plan": 1, "name": "endings", "media": [)" +
                                             json{{"name", "one"}, {"image", image}, {"confirm", image}}.dump() +
                                             R"(], "formats": ["exfat"], "suites": [
            {"suite": "quickbench", "quick": true, "blocks": ["64KiB"], "span": "4MiB", "volume": "1MiB"}]})");
    }
    [[nodiscard]] std::string plan() const { return (folder / "plan.json").string(); }
    [[nodiscard]] std::string store() const { return (folder / "r.db").string(); }
    [[nodiscard]] std::vector<std::string> words(bool resume = false) const {
        std::vector<std::string> result{"run", plan(), "--store", store()};
        if (resume) result.emplace_back("--resume");
        return result;
    }
    [[nodiscard]] ProgramOutput run(bool resume = false) const { return call_mediarig(words(resume), folder.path()); }
};

std::string campaign_in(const std::string& output) {
    const auto at = output.find("mediarig: campaign ") + 19;
    return output.substr(at, output.find(' ', at) - at);
}

} // namespace

TEST_CASE("Ctrl-C at any moment of a campaign ends the campaign at once and leaves no process, mount or file") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    milliseconds whole{};
    {
        const SmallCampaign campaign;
        const auto begun = Clock::now();
        REQUIRE(campaign.run().status == 0);
        whole = since(begun);
    }
    const int moments = std::getenv("MEDIARIG_THOROUGH") != nullptr ? 100 : 20;
    // The moments are evenly spaced and different in each run: the first moment is random, in hundredths of the
    // spacing.
    const auto first = static_cast<int>(std::random_device()() % 100);
    std::vector<milliseconds> ends;
    milliseconds slowest_remains{};
    for (int i = 0; i < moments; ++i) {
        const SmallCampaign campaign;
        ResourceLeaks remains(campaign.folder.path());
        Running running(campaign.words(), campaign.folder.path());
        const milliseconds moment = whole * (100 * i + first) / (100 * moments);
        std::this_thread::sleep_for(moment);
        remains.inspect_process(running.pid());
        running.signal(SIGINT);
        const auto asked = Clock::now();
        const ProgramOutput output = running.wait();
        const milliseconds took = since(asked);
        CAPTURE(moment.count(), took.count(), output.status, output.err);
        slowest_remains = std::max(slowest_remains, remains.wait_until_gone(30s));
        CHECK(remains.list() == std::vector<std::string>{});
        // Before the handlers are installed, the signal ends the process by default.
        CHECK((output.status == 0 || output.status == 3 || output.status == 128 + SIGINT));
        CHECK(took < 5s);
        if (output.status != 0) ends.push_back(took);
    }
    std::sort(ends.begin(), ends.end());
    REQUIRE_FALSE(ends.empty());
    std::cout << "Ctrl-C: " << moments << " moments of " << whole.count() << " ms, the first at " << first
              << " of 100, " << ends.size() << " interrupted; ended after " << ends[ends.size() / 2].count()
              << " ms (median), " << ends[ends.size() * 9 / 10].count() << " ms (9 of 10), " << ends.back().count()
              << " ms at most; nothing left " << slowest_remains.count() << " ms later at most\n";
    CHECK(static_cast<int>(ends.size()) >= moments / 4);
}

TEST_CASE("a signal right after the start of a format prevents every write") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        for (int moment = 0; moment <= 40; moment += 8) {
            const Folder folder;
            const std::string image = (folder / "card.img").string();
            make_image(image, 64 << 20);
            Running running({"format", image, "--fs", "exfat", "--confirm", image, "--agent", "local"}, folder.path());
            std::this_thread::sleep_for(milliseconds(moment));
            running.signal(number);
            const ProgramOutput output = running.wait();
            CAPTURE(number, moment, output.status, output.err);
            // If the signal arrives before mediarig handles signals, it ends the process. Otherwise mediarig reports
            // the result.
            CHECK((output.status == 128 + number || output.status == 3));
            if (output.status == 3) CHECK_THAT(output.err, ContainsSubstring("mediarig: "));
            CHECK(read_file(image).substr(0, 4096) == std::string(4096, '\0'));
        }
    }
}

TEST_CASE("a second Ctrl-C ends a run with a hanging agent and leaves no process, mount or file") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices");
    const Folder folder;
    const std::string image = (folder / "card.img").string();
    make_image(image, 1 << 30);
    ResourceLeaks remains(folder.path());
    Running running({"verify", image, "--confirm", image, "--agent", "local", "--store", (folder / "r.db").string()},
                    folder.path());
    REQUIRE(running.says("verify raw …"));
    remains.inspect_process(running.pid());
    const auto agents = children_of(running.pid(), "mediarig-agent");
    REQUIRE(agents.size() == 1);
    REQUIRE(::kill(agents.front(), SIGSTOP) == 0);
    running.signal(SIGINT);
    std::this_thread::sleep_for(500ms);
    const auto begun = Clock::now();
    running.signal(SIGINT);
    const ProgramOutput output = running.wait();
    CAPTURE(output.err);
    CHECK(output.status == 3);
    // The agent continues without the controller and releases the image itself.
    CHECK(since(begun) < 1s);
    CHECK(remains.wait_until_gone(30s) < 10s);
    CHECK(remains.list() == std::vector<std::string>{});
}

TEST_CASE("Ctrl-C ends a run with a hanging FUSE driver, and ends the driver") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const SmallCampaign campaign;
    ResourceLeaks remains(campaign.folder.path());
    Running running(campaign.words(), campaign.folder.path());
    REQUIRE(running.says("quickbench"));
    remains.inspect_process(running.pid());
    const auto agents = children_of(running.pid(), "mediarig-agent");
    REQUIRE(agents.size() == 1);
    const auto drivers = children_of(agents.front(), "mount.exfat-fuse");
    if (drivers.empty()) MEDIARIG_SKIP("exFAT is not mounted by exfat-fuse here");
    ::kill(drivers.front(), SIGSTOP);
    std::this_thread::sleep_for(200ms);
    running.signal(SIGINT);
    const auto asked = Clock::now();
    const ProgramOutput output = running.wait();
    const milliseconds took = since(asked);
    CAPTURE(output.err, took.count());
    CHECK(output.status == 3);
    (void)remains.wait_until_gone(30s);
    CHECK(remains.list() == std::vector<std::string>{});
    std::cout << "Ctrl-C with the driver stopped: ended after " << took.count() << " ms\n";
    CHECK(took < 10s);
    // A failure that results from taking the volume from its driver does not count against the medium.
    const ProgramOutput resumed = call_mediarig(campaign.words(true), campaign.folder.path());
    CAPTURE(resumed.out, resumed.err);
    CHECK(resumed.status == 0);
    CHECK_THAT(resumed.out, ContainsSubstring("MEASURED"));
}

TEST_CASE("the tests of a medium in use stay open until a resumed campaign finds it unused") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const SmallCampaign campaign;
    const std::string image = (campaign.folder / "one.img").string();
    const ProgramOutput attached = tool({"losetup", "--find", "--show", image});
    if (attached.status != 0) MEDIARIG_SKIP("no loop device: " + attached.err);
    const std::string node = attached.out.substr(0, attached.out.find('\n'));
    std::string id;
    for (const bool resume : {false, true, true}) {
        const ProgramOutput output = campaign.run(resume);
        CAPTURE(output.err);
        CHECK(output.status == 4);
        CHECK(output.out == "one: no verdict: Not judged: the campaign did not finish.\n");
        CHECK_THAT(output.err, ContainsSubstring(" did not finish: ") &&
                                   ContainsSubstring("; resume with: mediarig run " + campaign.plan() + " --resume") &&
                                   ContainsSubstring("; or close it with: mediarig run --abandon "));
        if (!id.empty()) CHECK(campaign_in(output.err) == id);
        id = campaign_in(output.err);
    }
    REQUIRE(tool({"losetup", "--detach", node}).status == 0);
    const ProgramOutput done = campaign.run(true);
    CAPTURE(done.err);
    CHECK(done.status == 0);
    CHECK(done.out == "one: MEASURED\n");
    const ProgramOutput nothing = campaign.run(true);
    CHECK(nothing.status == 2);
    CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
}

TEST_CASE("an abandoned campaign is closed with its untested steps") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const SmallCampaign campaign;
    std::filesystem::remove(campaign.folder / "one.img");
    const ProgramOutput absent = campaign.run();
    CAPTURE(absent.err);
    REQUIRE(absent.status == 2);
    const std::string id = campaign_in(absent.err);
    const ProgramOutput closed =
        call_mediarig({"run", "--abandon", id, "--store", campaign.store()}, campaign.folder.path());
    CAPTURE(closed.err);
    CHECK(closed.status == 0);
    CHECK(closed.out == "one: INCONCLUSIVE\n");
    CHECK_THAT(closed.err, ContainsSubstring("campaign " + id + " was closed: the remaining work is recorded"));
    const ProgramOutput output =
        call_mediarig({"results", "--json", "--store", campaign.store()}, campaign.folder.path());
    const json record = json::parse(output.out);
    CHECK(record.at("campaign").at("state") == "finished");
    CHECK_THAT(record.at("devices").at(0).at("untested").dump(), ContainsSubstring(R"(quickbench","why":"abandoned)"));
    CHECK(campaign.run(true).status == 2);
    CHECK(call_mediarig({"run", "--abandon", id, "--store", campaign.store()}, campaign.folder.path()).status == 2);
    CHECK(call_mediarig({"run", "--abandon", "no-such", "--store", campaign.store()}, campaign.folder.path()).status ==
          2);
}

TEST_CASE(
    "a full disk below a sparse image is not a fault of the medium, and the campaign resumes once space is free") {
    if (!is_root()) MEDIARIG_SKIP("needs root for a small file system of its own");
    const Folder small;
    REQUIRE(::mount("tmpfs", small.path().c_str(), "tmpfs", 0, "size=6m") == 0);
    {
        const SmallCampaign campaign(small.path());
        // The metadata of the medium's file system takes part of the space, and the first writes of the suite take the
        // rest.
        const ProgramOutput full = campaign.run();
        CAPTURE(full.err, full.out);
        CHECK(full.status == 3);
        CHECK(full.out == "one: no verdict: Not judged: the campaign did not finish.\n");
        CHECK_THAT(full.err, ContainsSubstring("the disk that holds ") && ContainsSubstring("one.img is full: ") &&
                                 ContainsSubstring("free some space on the disk"));
        REQUIRE(::mount("tmpfs", small.path().c_str(), "tmpfs", MS_REMOUNT, "size=128m") == 0);
        const ProgramOutput done = campaign.run(true);
        CAPTURE(done.err);
        CHECK(done.status == 0);
        CHECK(done.out == "one: MEASURED\n");
        CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
    }
    CHECK(::umount2(small.path().c_str(), MNT_DETACH) == 0);
}

TEST_CASE("results and report read a store without write permission") {
    if (!is_root()) MEDIARIG_SKIP("needs root to mount a folder read-only");
    const SmallCampaign campaign;
    const Folder archive;
    REQUIRE(campaign.run().status == 0);
    REQUIRE(::mount(campaign.folder.path().c_str(), archive.path().c_str(), nullptr, MS_BIND, nullptr) == 0);
    REQUIRE(::mount(nullptr, archive.path().c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0);
    const Folder elsewhere;
    const std::string store = (archive / "r.db").string();
    const ProgramOutput results = call_mediarig({"results", "--store", store}, elsewhere.path());
    CAPTURE(results.err);
    CHECK(results.status == 0);
    CHECK_THAT(results.out, ContainsSubstring("MEASURED"));
    const ProgramOutput report =
        call_mediarig({"report", "--store", store, "-o", (elsewhere / "r.html").string()}, elsewhere.path());
    CAPTURE(report.err);
    CHECK(report.status == 0);
    const ProgramOutput run = call_mediarig({"run", campaign.plan(), "--store", store}, elsewhere.path());
    CHECK(run.status == 3);
    CHECK_THAT(run.err, ContainsSubstring("cannot be written"));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    CHECK(::umount2(archive.path().c_str(), MNT_DETACH) == 0);
}
