// SPDX-License-Identifier: GPL-3.0-or-later
/// A second terminal watches a campaign. It shows the same output as the first terminal, and can pause and stop the
/// campaign.
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// Each process writes its output to a separate folder. The image is formatted, mounted through a loop device and
/// measured; this takes long enough for a watcher.
struct Watched {
    Folder folder;
    Watched() {
        make_image(folder / "one.img", 128 << 20);
        const std::string image = (folder / "one.img").string();
        write_file(folder / "plan.json", R"({"mediarig_plan": 1, "name": "watched", "media": [)" +
                                             json{{"name", "one"}, {"image", image}, {"confirm", image}}.dump() +
                                             R"(], "formats": ["exfat"], "repeats": 3, "suites": [
            {"suite": "quickbench", "quick": true, "blocks": ["4KiB", "64KiB"], "span": "8MiB", "volume": "2MiB"}]})");
    }
    [[nodiscard]] std::string store() const { return (folder / "r.db").string(); }
    [[nodiscard]] std::vector<std::string> run() const {
        return {"run", (folder / "plan.json").string(), "--store", store()};
    }
    [[nodiscard]] std::vector<std::string> watch(const std::string& option = "") const {
        std::vector<std::string> words{"watch", "--store", store()};
        if (!option.empty()) words.push_back(option);
        return words;
    }
    [[nodiscard]] bool sockets_left() const { return std::filesystem::exists(store() + ".sockets"); }
};

} // namespace

TEST_CASE("a second terminal shows the output of the first, including the end") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Watched campaign;
    Running first(campaign.run(), campaign.folder.path());
    REQUIRE(first.says("[3/"));
    struct stat status {};
    REQUIRE(::stat((campaign.store() + ".sockets").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    const Folder of_second, of_third;
    Running second(campaign.watch(), of_second.path());
    Running third(campaign.watch("--events"), of_third.path());
    const ProgramOutput ended = first.wait();
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    const ProgramOutput seen = second.wait();
    CAPTURE(seen.err);
    CHECK(seen.status == 0);
    for (const char* line : {"\"watched\": ", "quickbench on exfat done in", "one: MEASURED",
                             "[2/19] one: claim done in", " finished after"}) {
        CHECK_THAT(ended.err, ContainsSubstring(line));
        CHECK_THAT(seen.err, ContainsSubstring(line));
    }
    const ProgramOutput told = third.wait();
    CHECK(told.status == 0);
    const json greeting = json::parse(told.out.substr(0, told.out.find('\n')));
    CHECK(greeting.at("mediarig_events") == 1);
    CHECK_THAT(told.out, ContainsSubstring("\"cell_finished\":"));
    CHECK_THAT(told.out, ContainsSubstring("\"time_left\":"));
    CHECK(!campaign.sockets_left());
    CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
}

TEST_CASE("a campaign is paused, continued and stopped from a second terminal") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Watched campaign;
    const Folder of_others, of_third;
    Running first(campaign.run(), campaign.folder.path());
    REQUIRE(first.says("[3/"));
    const ProgramOutput paused = call_mediarig(campaign.watch("--pause"), of_others.path());
    CAPTURE(paused.err);
    CHECK(paused.status == 0);
    CHECK_THAT(paused.err, ContainsSubstring(": paused: the running step will finish, and no other step begins\n"));
    REQUIRE(first.says("paused: the running step will finish, and no other step begins"));
    // The pause lasts longer than the rest and the first steps of the campaign.
    std::this_thread::sleep_for(6s);
    Running third(campaign.watch(), of_third.path());
    REQUIRE(third.says("paused: "));
    // The record to be certified would change when the campaign continues.
    const std::string sheet = of_others / "sheet.html";
    const ProgramOutput early =
        call_mediarig({"report", "--certificate", "-o", sheet, "--store", campaign.store()}, of_others.path());
    CHECK(early.status == 4);
    CHECK_THAT(early.err, ContainsSubstring(" is running: wait for its end, then repeat this command"));
    CHECK_FALSE(std::filesystem::exists(sheet));
    const ProgramOutput gone =
        call_mediarig({"campaigns", "delete", "1", "--store", campaign.store()}, of_others.path());
    CHECK(gone.status == 4);
    CHECK_THAT(gone.err, ContainsSubstring("campaign 1 is running: wait for its end, or stop it with 'mediarig watch "
                                           "1 --stop', then delete it"));
    // A second run of the same plan would use the same medium.
    const ProgramOutput again = call_mediarig(campaign.run(), of_others.path());
    CHECK(again.status == 4);
    CHECK_THAT(again.err, ContainsSubstring("this plan is already running as campaign "));
    // A running campaign answers --continue without waiting for a change.
    for (int asked = 0; asked < 2; ++asked) {
        const ProgramOutput continued = call_mediarig(campaign.watch("--continue"), of_others.path());
        CHECK(continued.status == 0);
        CHECK_THAT(continued.err, ContainsSubstring(": continues\n"));
    }
    REQUIRE(first.says("continues"));
    REQUIRE(first.says(": quickbench on exfat"));
    const ProgramOutput stopped = call_mediarig(campaign.watch("--stop"), of_others.path());
    CHECK(stopped.status == 0);
    CHECK_THAT(stopped.err, ContainsSubstring(": stopped by a watcher (process "));
    const ProgramOutput ended = first.wait();
    CAPTURE(ended.err);
    CHECK(ended.status == 3);
    CHECK_THAT(ended.err, ContainsSubstring("did not finish: stopped by a watcher (process "));
    const ProgramOutput seen = third.wait();
    CHECK(seen.status == 3);
    auto going_on = campaign.run();
    going_on.emplace_back("--resume");
    Running resumed(going_on, campaign.folder.path());
    REQUIRE(resumed.says(": quickbench on exfat"));
    CHECK_THAT(call_mediarig({"campaigns", "--state", "running", "--store", campaign.store()}, of_others.path()).out,
               ContainsSubstring("watched"));
    CHECK(call_mediarig(campaign.watch("--stop"), of_others.path()).status == 0);
    CHECK(resumed.wait().status == 3);
    CHECK(!campaign.sockets_left());
    CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
}

TEST_CASE("a campaign whose store is removed is not reported as resumable") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Watched campaign;
    Running first(campaign.run(), campaign.folder.path());
    REQUIRE(first.says("[3/"));
    for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(campaign.store() + ending);
    first.signal(SIGINT);
    const ProgramOutput ended = first.wait();
    CAPTURE(ended.err);
    CHECK(ended.status == 3);
    CHECK_THAT(ended.err, ContainsSubstring("; " + campaign.store() +
                                            " no longer contains it: resume it from the present location of its store, "
                                            "or run it again from the start"));
    CHECK(ended.err.find("--resume") == std::string::npos);
}

TEST_CASE("a killed or suspended watcher has no effect on the campaign") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Watched campaign;
    Running first(campaign.run(), campaign.folder.path());
    REQUIRE(first.says("[3/"));
    const Folder of_killed, of_frozen;
    Running killed(campaign.watch(), of_killed.path());
    Running frozen(campaign.watch(), of_frozen.path());
    REQUIRE(killed.says("campaign "));
    REQUIRE(frozen.says("campaign "));
    killed.signal(SIGKILL);
    frozen.signal(SIGSTOP);
    const ProgramOutput ended = first.wait();
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.out == "one: MEASURED\n");
    frozen.signal(SIGCONT);
    CHECK(frozen.wait().status == 0);
}

TEST_CASE("a campaign that is not running cannot be watched, and the socket of a killed campaign is removed") {
    if (!is_root()) MEDIARIG_SKIP("needs root for loop devices and mounting");
    const Watched campaign;
    const ProgramOutput none = call_mediarig(campaign.watch(), campaign.folder.path());
    CHECK(none.status == 2);
    {
        Running first(campaign.run(), campaign.folder.path());
        REQUIRE(first.says("[3/"));
        const Folder of_watching;
        Running watching(campaign.watch(), of_watching.path());
        REQUIRE(watching.says("campaign "));
        first.signal(SIGKILL);
        (void)first.wait();
        const ProgramOutput seen = watching.wait();
        CHECK(seen.status == 3);
        CHECK_THAT(seen.err, ContainsSubstring("the campaign's process has ended"));
    }
    CHECK(left_behind_at_last(campaign.folder.path()) == std::vector<std::string>{});
    const ProgramOutput over = call_mediarig(campaign.watch("last"), campaign.folder.path());
    CAPTURE(over.err);
    CHECK(over.status == 2);
    CHECK_THAT(over.err, ContainsSubstring("does not run, or cannot be watched"));
    auto again = campaign.run();
    again.emplace_back("--resume");
    CHECK(call_mediarig(again, campaign.folder.path()).status == 0);
    CHECK(!campaign.sockets_left());
}

TEST_CASE("a campaign that cannot open its socket reports this once, with the same reason as mediarig watch") {
    const Folder folder;
    const std::string store = (folder / "r.db").string();
    std::filesystem::create_directory_symlink(folder.path(), store + ".sockets");
    std::filesystem::create_directory(folder / "d");
    const ProgramOutput run = call_mediarig({"bench", (folder / "d").string(), "--suite", "ioping-rate", "--quick",
                                             "--agent", "local", "--store", store, "--quiet"},
                                            folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    const std::string reason = store + ".sockets is not a folder of mediarig that only this user can enter";
    CHECK_THAT(run.err, ContainsSubstring("this campaign cannot be watched or stopped by mediarig watch: " + reason));
    const ProgramOutput watch = call_mediarig({"watch", "last", "--store", store}, folder.path());
    CHECK(watch.status != 0);
    CHECK_THAT(watch.err, ContainsSubstring(reason));
}
