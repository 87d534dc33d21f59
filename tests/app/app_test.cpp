// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/app/compare.hpp"
#include "host/app/files/campaign_lock.hpp"
#include "host/app/files/paths.hpp"
#include "host/app/files/text_file.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::app;
namespace fs = std::filesystem;

namespace {

SingleRequest request(const std::string& target, plan::SuiteTarget where = plan::SuiteTarget::file_system,
                      const std::string& confirm = "") {
    SingleRequest result{.target = target, .confirm = confirm};
    result.suite.request.name = "verify";
    result.suite.where = where;
    return result;
}

} // namespace

TEST_CASE("the path of the store comes from the environment, or else from the user's data folder") {
    ::setenv("HOME", "/home/ada", 1);
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("MEDIARIG_STORE");
    CHECK(default_store() == "/home/ada/.local/share/mediarig/mediarig.db");
    ::setenv("XDG_DATA_HOME", "/data", 1);
    CHECK(default_store() == "/data/mediarig/mediarig.db");
    // If no variable is set, the current folder is not used.
    ::unsetenv("XDG_DATA_HOME");
    for (const char* home : {"", "ada"}) {
        ::setenv("HOME", home, 1);
        CHECK(default_store().empty());
        CHECK(nickname_file().empty());
    }
    CHECK_THAT(reason(check_store_exists(default_store())), ContainsSubstring("neither HOME nor XDG_DATA_HOME"));
    CHECK_THAT(reason(make_folder_of(default_store())), ContainsSubstring("neither HOME nor XDG_DATA_HOME"));
    ::setenv("MEDIARIG_STORE", "/here/x.db", 1);
    CHECK(default_store() == "/here/x.db");
    CHECK(device_log_folder("/here/x.db") == "/here/devices");
}

TEST_CASE("single_plan() keeps the file system of a directory or image and uses the bare image only on request") {
    const tests::Scratch scratch;
    const fs::path image = scratch.write("card.img", "x");

    const auto directory = single_plan(request(scratch.path()));
    REQUIRE(directory);
    CHECK(directory->media[0].directory == scratch.path());
    CHECK(directory->formats.empty());
    CHECK_FALSE(plan::destroys(*directory));

    const auto kept = single_plan(request(image));
    REQUIRE(kept);
    CHECK(kept->media[0].image == image);
    REQUIRE(kept->formats.size() == 1);
    CHECK(kept->formats[0].keep);
    CHECK_FALSE(plan::destroys(*kept));

    const auto raw = single_plan(request(image, plan::SuiteTarget::raw, image));
    auto named = request(image, plan::SuiteTarget::raw, image);
    named.name = "probe";
    CHECK(single_plan(named)->name == "probe");
    REQUIRE(raw);
    CHECK(raw->formats.empty());
    CHECK(plan::destroys(*raw));
}

TEST_CASE("single_plan() refuses an invalid target before the agent starts") {
    const tests::Scratch scratch;
    const fs::path image = scratch.write("card.img", "x");
    CHECK_THAT(reason(single_plan(request("/no/such/thing"))), ContainsSubstring("no such device, image or directory"));
    CHECK_THAT(reason(single_plan(request("/dev/null"))), ContainsSubstring("/dev/null is not a block device"));
    CHECK_THAT(reason(single_plan(request(scratch.path(), plan::SuiteTarget::raw, "x"))),
               ContainsSubstring("is a directory"));
    CHECK_THAT(reason(single_plan(request(image, plan::SuiteTarget::raw))), ContainsSubstring("--confirm"));
}

TEST_CASE("resume of a changed plan is refused and names the unfinished campaign of the same name") {
    const tests::Scratch scratch;
    auto plan = plan::parse_plan(
        R"({"mediarig_plan": 1, "name": "lot 7", "media": [{"directory": "/media/x"}], "suites": ["verify"]})");
    REQUIRE(plan);
    const RunOptions options{.store = scratch / "r.db", .resume = true};
    const auto refusal = [&] { return reason(run_plan(*plan, options, [](const campaign::SessionEvent&) {})); };
    CHECK_THAT(refusal(), ContainsSubstring("no unfinished campaign of this plan") && !ContainsSubstring("lot 7"));
    const std::string open = "0193b4c1-7a2e-7000-8000-000000000001", closed = "0193b4c1-7a2e-7000-8000-000000000002";
    {
        const auto store = open_results(options.store);
        REQUIRE(store);
        for (const auto& [id, state] :
             {std::pair{open, store::CampaignState::interrupted}, std::pair{closed, store::CampaignState::finished}}) {
            REQUIRE(reason((*store)->begin({.id = id, .name = "lot 7", .plan = plan::kept_text(*plan) + " "})) ==
                    "success");
            REQUIRE(reason((*store)->end(id, state, {})) == "success");
        }
    }
    CHECK_THAT(refusal(), ContainsSubstring("no unfinished campaign of this plan") &&
                              ContainsSubstring("; campaign 1, begun 1970-01-01 00:00:00 UTC, has the same name") &&
                              ContainsSubstring("mediarig campaigns plan 1"));
    plan->name = "lot 8";
    CHECK_THAT(refusal(), !ContainsSubstring("version of the plan"));
}

TEST_CASE("CampaignLock lets only one process run a campaign") {
    const tests::Scratch scratch;
    const fs::path store = scratch / "r.db";
    {
        const auto first = CampaignLock::take(store, "c1");
        REQUIRE(first);
        const auto second = CampaignLock::take(store, "c1");
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::refused);
        CHECK_THAT(second.error().detail, ContainsSubstring("c1 is running in another process"));
        CHECK(CampaignLock::take(store, "c2"));
        const auto third = CampaignLock::take(store, "c3"), fourth = CampaignLock::take(store, "c4");
        CHECK(CampaignLock::any_other_is_held(store, {"c2"}));
        CHECK(CampaignLock::any_other_is_held(store, {"c1", "c4"}));
        CHECK(CampaignLock::any_other_is_held(store, {"c3", "c1"}));
        CHECK_FALSE(CampaignLock::any_other_is_held(store, {"c4", "c1", "c3"}));
    }
    CHECK_FALSE(CampaignLock::any_other_is_held(store, {}));
    CHECK(CampaignLock::take(store, "c1"));
    // All campaigns of the store use one lock file. A killed process leaves no other file.
    CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
    CHECK(fs::exists(scratch / "r.db.lock"));
    CHECK(reason(CampaignLock::take("/no/such/folder/r.db", "c1")).find("/no/such/folder") != std::string::npos);
}

TEST_CASE(
    "a replaced file keeps its permissions, and a file that this program has read before is replaced whatever its "
    "content") {
    const tests::Scratch scratch;
    const fs::path file = scratch.write("names.json", "{\"a\": 1}");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    CHECK_THAT(reason(write_text(file, "{\n  \"b\": 2\n}\n", Existing::replaced)),
               ContainsSubstring("is not a file that mediarig writes"));
    REQUIRE(reason(write_text(file, "{\n  \"b\": 2\n}\n", Existing::known)) == "success");
    // Any JSON file may begin with these characters. A file of mediarig also names mediarig in its first member.
    CHECK(reason(write_text(file, "{\n  \"c\": 3\n}\n", Existing::replaced)) ==
          file.string() + " exists and does not name mediarig as its writer: it was not changed; choose another name");
    REQUIRE(write_text(file, "{\n  \"mediarig_devices\": 1\n}\n", Existing::known));
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    REQUIRE(reason(write_text(file, "{\n  \"c\": 3\n}\n", Existing::replaced)) == "success");
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(reason(write_text("", "x", Existing::kept)) == "the name of the file to write is empty; name a file");
}

TEST_CASE("a text file is written completely or not at all") {
    const tests::Scratch scratch;
    const fs::path file = scratch / "report.html";
    REQUIRE(write_text(file, "<!DOCTYPE mediarig one>", Existing::kept));
    CHECK(reason(write_text(file, "<!DOCTYPE two>", Existing::kept)) ==
          file.string() + " exists already: name another file, or replace it with --force");
    REQUIRE(write_text(file, "<!DOCTYPE two>", Existing::replaced));
    CHECK(read_text(file) == "<!DOCTYPE two>");
    CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
    CHECK_THAT(reason(write_new_text("/no/such/folder", "x", ".y", "t")),
               ContainsSubstring("/no/such/folder/x.y cannot be written"));
    CHECK_THAT(reason(write_text("/no/such/folder/x", "t", Existing::kept)),
               ContainsSubstring("/no/such/folder/x cannot be written"));
    CHECK_THAT(reason(read_text(scratch.path())), ContainsSubstring("is a directory"));
    CHECK_THAT(reason(read_text("/no/such/file")), ContainsSubstring("No such file"));
}

TEST_CASE("a write through a link changes the link's target and keeps the link") {
    const tests::Scratch scratch;
    const fs::path file = scratch / "page.html", link = scratch / "link.html";
    const fs::path nowhere = scratch / "nowhere.html";
    std::ofstream(file).close();
    fs::create_symlink(file, link);
    REQUIRE(write_text(link, "<!DOCTYPE one>", Existing::kept));
    CHECK(fs::read_symlink(link) == file);
    CHECK(read_text(file) == "<!DOCTYPE one>");

    fs::create_symlink(scratch / "missing", nowhere);
    CHECK(reason(write_text(nowhere, "<!DOCTYPE one>", Existing::replaced)) ==
          nowhere.string() + " is a dangling link; name a file");
    CHECK(fs::is_symlink(nowhere));
}

TEST_CASE(
    "write_text() replaces only a file of the same kind, and follows no link with a name like that of a temporary "
    "file") {
    const tests::Scratch scratch;
    const fs::path image = scratch / "card.img", victim = scratch / "victim";
    std::ofstream(image) << "\xeb\x76\x90"
                            "EXFAT   ";
    const std::string before = *read_text(image);
    CHECK(reason(write_text(image, "{\n  \"devices\"", Existing::replaced)) ==
          image.string() + " exists and is not a file that mediarig writes: it was not changed; choose another name");
    CHECK(reason(check_output(image, "{\n  ", Existing::replaced)) ==
          reason(write_text(image, "{\n  \"devices\"", Existing::replaced)));
    CHECK(read_text(image) == before);
    std::ofstream(victim) << "precious";
    for (const char* ending : {".part", ".tmp", ".XXXXXX"})
        fs::create_symlink(victim, scratch / (std::string("report.html") + ending));
    REQUIRE(write_text(scratch / "report.html", "<!DOCTYPE html>", Existing::kept));
    CHECK(read_text(victim) == "precious");
    CHECK_FALSE(fs::is_symlink(scratch / "report.html"));
    CHECK_THAT(reason(check_output("/no/such/folder/x", "{", Existing::kept)),
               ContainsSubstring("/no/such/folder/x cannot be written"));
    CHECK(check_output(scratch / "new.json", "{", Existing::kept));
}

TEST_CASE("a forced output replaces a result and keeps files that users edit") {
    const tests::Scratch scratch;
    const auto outcome = [&](const std::string& before, const std::string& after, Existing existing) {
        const fs::path file = scratch / "output";
        std::ofstream(file) << before;
        const std::string early = reason(check_output(file, beginning_of(after), existing));
        const std::string said = reason(write_text(file, after, existing));
        CHECK(early == said);
        CHECK(read_text(file) == (said == "success" ? after : before));
        return said;
    };
    const std::string result = "{\n  \"mediarig_devices\": 1\n}\n", inspected = "{\n  \"mediarig_inspect\": 1\n}\n";
    CHECK(outcome(result, inspected, Existing::replaced) == "success");
    CHECK(outcome("{\n  \"schema\": \"mediarig.results\",\n  \"campaign\": {\"plan\": {\"mediarig_plan\": 1}}\n}\n",
                  inspected, Existing::replaced) == "success");
    CHECK(outcome("{\n  \"mediarig_rig_event\": 1\n}\n", inspected, Existing::replaced) == "success");
    for (const char* kind : {"plan", "profile", "rig", "config", "mqtt"}) {
        const std::string edited = fmt::format("{{\n  \"mediarig_{}\": 1\n}}\n", kind);
        CHECK_THAT(outcome(edited, inspected, Existing::replaced), ContainsSubstring("which may have been edited"));
        CHECK(outcome(edited, edited, Existing::edited) == "success");
    }
    CHECK_THAT(outcome("notes", "", Existing::replaced), ContainsSubstring("is not a file that mediarig writes"));
    // The word "mediarig_plan" identifies a file of mediarig only as the name of its first member.
    CHECK_THAT(outcome("{\n  \"name\": \"mediarig_plan\"\n}\n", inspected, Existing::replaced),
               ContainsSubstring("does not name mediarig as its writer"));
    CHECK_THAT(outcome("{\n  \"mediarig_plan\": 1,,\n}\n", inspected, Existing::replaced),
               ContainsSubstring("does not name mediarig as its writer"));

    CHECK(outcome("campaign,device\na,b\n", "campaign,device\nc,d\n", Existing::replaced) == "success");
    CHECK_THAT(outcome("campaign,cost\na,b\n", "campaign,device\nc,d\n", Existing::replaced),
               ContainsSubstring("is not a file that mediarig writes"));

    const std::string pdf = "%PDF-1.4 (mediarig: lot)";
    CHECK(outcome("%PDF-1.7 <006D00650064006900610072006900670020>", pdf, Existing::replaced) == "success");
    CHECK(outcome(std::string("%PDF-1.7 (\0m\0e\0d\0i\0a\0r\0i\0g)", 27), pdf, Existing::replaced) == "success");
    CHECK_THAT(outcome("%PDF-1.7 (thesis)", pdf, Existing::replaced),
               ContainsSubstring("does not name mediarig as its writer"));
}

TEST_CASE("a file that another program makes during a write is kept") {
    const tests::Scratch scratch;
    const fs::path file = scratch / "page.html";
    const auto written = write_text(file, "<!DO", Existing::replaced, [&](const WritePart& write) {
        std::ofstream(file) << "precious";
        return write("<!DOCTYPE html>");
    });
    CHECK(reason(written) == file.string() + " was created by another program: it was not changed; name another file");
    CHECK(read_text(file) == "precious");
    CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("no output replaces a file of a store or of the nicknames, even if forced") {
    const tests::Scratch scratch;
    const fs::path store = scratch / "r.db";
    REQUIRE(mediarig::store::open_store(store).value()->begin({.id = "c"}));
    ::setenv("XDG_DATA_HOME", scratch.path().c_str(), 1);
    fs::create_directory(scratch / "devices");
    fs::create_directory(scratch / "r.db.sockets");
    const auto refused = [&](const fs::path& file) {
        CAPTURE(file);
        CHECK(reason(check_output(file, "{", Existing::replaced)) ==
              fmt::format("{} belongs to the store {}: name another file", file.string(), store.string()));
        CHECK(!write_text(file, "{}", Existing::kept));
        CHECK(reason(export_campaign(store, "c", file, Existing::replaced)) ==
              reason(check_output(file, "{", Existing::kept)));
        CHECK(!fs::exists(file));
    };
    for (const char* ending : {".lock", "-wal", "-shm", "-journal"}) refused(store.string() + ending);
    refused(scratch / "devices" / "usb-1.jsonl");
    refused(scratch / "r.db.sockets" / "c1");
    std::ofstream(store.string() + ".lock").close();
    fs::create_symlink(store.string() + ".lock", scratch / "link.json");
    CHECK(!write_text(scratch / "link.json", "{}", Existing::replaced));
    CHECK(fs::is_symlink(scratch / "link.json"));
    CHECK(fs::is_empty(store.string() + ".lock"));
    for (const std::string ending : {"", ".lock"}) {
        const fs::path names = nickname_file().string() + ending;
        CHECK(reason(check_output(names, "{", Existing::replaced)) ==
              names.string() + " is the file of nicknames or its lock file: name another file");
    }
    // This lock file does not belong to a store.
    CHECK(write_text(scratch / "page.lock", "{}", Existing::kept));
    CHECK(write_text(scratch / "x-wal", "{}", Existing::kept));
}

TEST_CASE("reading a text stops at a limit, and writing to a directory or block device is refused") {
    const tests::Scratch scratch;
    CHECK_THAT(reason(read_text("/dev/zero")), ContainsSubstring("/dev/zero holds more than 67.1 MB"));
    const fs::path fifo = scratch / "fifo";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK(read_text(fifo) == "");
    CHECK(reason(write_text(fifo, "t", Existing::replaced)) ==
          fifo.string() + " is a pipe that no program reads; start the reader first");
    CHECK(reason(write_text(scratch.path(), "t", Existing::replaced)) ==
          scratch.path().string() + " is a directory; name a file");
    REQUIRE(write_text("/dev/null", "t", Existing::kept));
    CHECK(fs::is_character_file("/dev/null"));
    CHECK_FALSE(fs::exists("/dev/null.part"));
    const fs::path node = scratch / "disk";
    // A device number without a driver. Creating the node needs root.
    if (::mknod(node.c_str(), S_IFBLK | 0600, makedev(240, 255)) != 0) MEDIARIG_SKIP("needs root for a device node");
    CHECK(reason(write_text(node, "t", Existing::replaced)) ==
          node.string() + " is a block device, which is not written to; name a file");
    CHECK(fs::is_block_file(node));
}

TEST_CASE("write_new_text() chooses an unused name and keeps existing files") {
    const tests::Scratch scratch;
    const auto write = [&](const char* text) { return write_new_text(scratch.path(), "compare", ".plan.json", text); };
    const auto first = write("one"), second = write("two");
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->filename() == "compare.plan.json");
    CHECK(second->filename() == "compare-2.plan.json");
    CHECK(read_text(*first) == "one");
    CHECK(read_text(*second) == "two");
    // A dangling link also occupies its name.
    fs::create_symlink("/nowhere/at/all", scratch / "compare-3.plan.json");
    CHECK(write("three")->filename() == "compare-4.plan.json");
    CHECK(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()) == 4);
}

TEST_CASE("load_plan() names the file and its first fault, and lists all faults") {
    const tests::Scratch scratch;
    const fs::path file = scratch.write("p.json", R"({"mediarig_plan": 1, "name": "x", "media": [], "colour": "red"})");
    std::vector<std::string> faults;
    const auto plan = load_plan(file, faults);
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == Errc::bad_request);
    CHECK(faults.size() >= 2);
    CHECK(plan.error().detail == file.string() + ": " + faults.front());
}

TEST_CASE("a plan with a slot is refused before the campaign begins if no rig is connected") {
    plan::Plan plan{.name = "x", .media = {{.name = "three", .slot = SlotId{3}}}};
    const tests::Scratch scratch;
    const auto ended = run_plan(plan, {.store = scratch / "r.db"}, {});
    CHECK_THAT(reason(ended), ContainsSubstring("slot 3, and no rig is connected"));
    CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE(
    "a request for all slots of a rig without a carriage expands to the slots of its rig file or to its readers") {
    const tests::Scratch scratch;
    const auto slots_of = [&](const std::string& rig) {
        const fs::path file = scratch.write("rig.json", rig);
        plan::Plan plan{.name = "x", .media = {}};
        plan.all_slots.emplace();
        const auto on = plan_on({.how = file.string(), .script = {}}, plan);
        return on ? on->media.size() : 0;
    };
    CHECK(slots_of(R"({"mediarig_rig": 1, "magazine": {"pockets": 0}, "readers": {"count": 3}})") == 3);
    CHECK(slots_of(R"({"mediarig_rig": 1, "slots": [{"power": "hub", "port": "1-1.2"}, {"power": "none"}]})") == 2);
}

TEST_CASE("a target on the agent's machine is not searched locally and must be a block device") {
    SingleRequest there = request("/dev/sdz", plan::SuiteTarget::raw, "LAB001");
    CHECK_THAT(reason(single_plan(there)), ContainsSubstring("no such device"));
    there.elsewhere = true;
    const auto plan = single_plan(there);
    REQUIRE(plan);
    CHECK(plan->media[0].path == "/dev/sdz");
    CHECK(plan->media[0].name == "sdz");
    CHECK(plan->media[0].confirm == "LAB001");
    there.target = "sdz";
    CHECK_THAT(reason(single_plan(there)), ContainsSubstring("name the block device by its path there"));
    there = request("/dev/sdz", plan::SuiteTarget::raw);
    there.elsewhere = true;
    CHECK_THAT(reason(single_plan(there)), ContainsSubstring("--confirm"));
}
