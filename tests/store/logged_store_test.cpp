// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/logged_store.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "host/store/log_lines.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "host/workload/json.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"
#include "tests/store/database.hpp"
#include "tests/store/logged_lines.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

const std::string campaign_id = "0193b4c1";

struct LoggedFixture {
    tests::Scratch scratch;
    std::filesystem::path logs = scratch / "devices";
    std::unique_ptr<Store> store = open();

    std::unique_ptr<Store> open() const {
        auto opened = open_store(scratch / "mediarig.db");
        REQUIRE(reason(opened) == "success");
        auto logged = make_logged_store(std::move(*opened), logs);
        REQUIRE(reason(logged) == "success");
        return std::move(*logged);
    }
    void play() const {
        for (const Call& call : scripted_campaign(campaign_id)) REQUIRE(reason(call.make(*store)) == "success");
    }
    std::filesystem::path log_of(const std::string& device) const { return logs / (device + ".jsonl"); }
    /// Records of one device that are in the store but not in the log of the device.
    std::vector<std::string> unlogged(std::size_t device) const {
        const auto view = store->load(campaign_id);
        REQUIRE(view);
        const DeviceView& each = view->devices.at(device);
        return missing(lines_for(*view, each), lines(each.device.key));
    }
    std::vector<std::string> lines(const std::string& device) const { return logged_lines(log_of(device)); }
};

} // namespace

TEST_CASE_METHOD(LoggedFixture, "after each call a device log has a line for each database record") {
    std::size_t devices = 0;
    for (const Call& call : scripted_campaign(campaign_id)) {
        CAPTURE(call.what);
        REQUIRE(reason(call.make(*store)) == "success");
        devices = store->load(campaign_id)->devices.size();
        for (std::size_t device = 0; device < devices; ++device) CHECK(unlogged(device).empty());
    }
    CHECK(devices == 2);
    const DeviceRecord device = store->load(campaign_id)->devices[0].device;
    CHECK(missing({log_line::device(campaign_id, device)}, lines(first_device)).empty());
}

TEST_CASE_METHOD(LoggedFixture, "the device log contains a raw log before its cell") {
    play();
    const std::string pass = "m0.r1.exfat.quickbench", cell = "standard.seq_write.4096";
    const auto expected = scripted_cell(cell, 9'000, 22);
    CHECK(store->raw_log(campaign_id, pass, cell) == expected.raw_log);
    const auto all = lines(first_device), record = log_line::cell(campaign_id, pass, expected);
    CHECK(std::search(all.begin(), all.end(), record.begin(), record.end()) != all.end());
}

TEST_CASE_METHOD(LoggedFixture, "a cell is serialised to JSON once and not parsed again") {
    play();
    const auto before = workload::cell_conversions();
    REQUIRE(store->put_cell(campaign_id, "m0.r2.exfat.quickbench", scripted_cell("x", 9'000, 1)));
    const auto after = workload::cell_conversions();
    CHECK(after.encoded - before.encoded == 1);
    CHECK(after.decoded == before.decoded);
}

TEST_CASE_METHOD(LoggedFixture, "a log contains every type of line, and any tool can read each line as JSON") {
    play();
    std::set<std::string> kinds;
    for (const std::string& device : {first_device, second_device})
        for (const std::string& line : lines(device)) {
            const auto json = nlohmann::json::parse(line, nullptr, false);
            REQUIRE(json.is_object());
            kinds.insert(json["type"].get<std::string>());
        }
    CHECK(kinds == std::set<std::string>{"campaign", "campaign_end", "cell", "check", "detachment", "device", "end",
                                         "finding", "format", "pass", "samples", "untested", "verdict"});
}

TEST_CASE_METHOD(LoggedFixture, "a resumed campaign continues the same log in another process") {
    const auto calls = scripted_campaign(campaign_id);
    for (std::size_t i = 0; i < calls.size(); ++i) {
        CAPTURE(calls[i].what);
        store.reset();
        store = open();
        REQUIRE(reason(calls[i].make(*store)) == "success");
    }
    CHECK(unlogged(0).empty());
    CHECK(unlogged(1).empty());
}

TEST_CASE_METHOD(
    LoggedFixture,
    "the log line is written before the database row, so that a database failure does not lose the measurement") {
    play();
    const auto before = lines(second_device).size();
    REQUIRE(Database(scratch / "mediarig.db")
                .run("CREATE TRIGGER broken BEFORE INSERT ON untested BEGIN SELECT "
                     "RAISE(ABORT, 'disk on fire'); END")
                .empty());
    const auto failed = store->add(campaign_id, second_device, measure::Untested{"apfs", "no driver"});
    CHECK(failed.error().code == Errc::store_failed);
    CHECK_THAT(reason(failed), ContainsSubstring("storing the record \"untested\" of " + second_device) &&
                                   ContainsSubstring("disk on fire"));
    CHECK(lines(second_device).size() == before + 1);
    CHECK(lines(second_device).back() == log_line::entry(campaign_id, measure::Untested{"apfs", "no driver"}));
}

TEST_CASE_METHOD(LoggedFixture, "a failed log write prevents the database write") {
    play();
    const std::string before = told(*store, campaign_id);
    store.reset();
    store = open();
    std::filesystem::remove(log_of(second_device));
    std::filesystem::create_directory(log_of(second_device));
    CHECK_THAT(reason(store->add(campaign_id, second_device, measure::Untested{"apfs", "no driver"})),
               ContainsSubstring("cannot open the device log " + log_of(second_device).string() + " (Is a directory)"));
    CHECK(told(*store, campaign_id) == before);
}

TEST_CASE_METHOD(LoggedFixture, "a record that the log could not restore is refused before it is logged") {
    play();
    const auto before = lines(first_device).size();
    PassRecord pass{.id = "p", .device = first_device};
    pass.job.payload.kind = workload::PayloadKind::given;
    CHECK_FALSE(store->put(campaign_id, pass));
    FormatRecord made = store->load(campaign_id)->devices[0].made[0];
    made.formatted.elapsed = std::chrono::nanoseconds(-1);
    CHECK_FALSE(store->put(campaign_id, made));
    workload::CellResult cell = scripted_cell("c", 0, 1);
    cell.findings[0].detail = std::string(100'000, 'x');
    CHECK_FALSE(store->put_cell(campaign_id, "m0.r2.exfat.quickbench", cell));
    CHECK_FALSE(store->put_cell(campaign_id, "absent", scripted_cell("c", 0, 1)));
    CHECK_FALSE(store->put_end("absent", "m0.r2.exfat.quickbench", {}));
    CHECK(lines(first_device).size() == before);
    DeviceRecord device{.key = "d"};
    device.identity.node = "/dev/sdx";
    CHECK(reason(store->put("absent", device)) == "the store holds no campaign 'absent'");
    CHECK_FALSE(std::filesystem::exists(log_of("d")));
}

TEST_CASE_METHOD(LoggedFixture, "a device key that leads out of the log folder is refused") {
    REQUIRE(store->begin({.id = campaign_id}));
    for (const char* key : {"", "..", ".hidden", "../escape", "a/b", "/etc/x"}) {
        DeviceRecord device{.key = key};
        device.identity.node = "/dev/sdx";
        const auto put = store->put(campaign_id, device);
        CHECK(reason(put) == "'" + std::string(key) + "' cannot name a device's log file");
        CHECK(put.error().code == Errc::bad_request);
    }
    CHECK(std::filesystem::is_empty(logs));
}

TEST_CASE("the error for a log folder that cannot be created names the folder") {
    tests::Scratch scratch;
    std::ofstream(scratch / "file") << "x";
    auto store = open_store(scratch / "mediarig.db");
    REQUIRE(store);
    const auto logged = make_logged_store(std::move(*store), scratch / "file/devices");
    CHECK(reason(logged) == "cannot make the directory " + (scratch / "file/devices").string() +
                                " for device logs (Not a directory): choose another store with --store");
}
