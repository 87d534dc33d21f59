// SPDX-License-Identifier: GPL-3.0-or-later
/// The rig's ledger: records that must be written before a request is sent to a board.
#include <algorithm>
#include <set>

#include "host/store/sqlite/open_rig_log.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_rig_log.hpp"
#include "tests/scratch.hpp"
#include "tests/store/child.hpp"
#include "tests/store/database.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using store::Database;
using tests::Scratch;
using State = LoggedJob::State;

namespace {

const Intent load_third{.what = Load{Pocket{2}, PortIndex{0}}, .why = "m2.load"};
const Intent into_bin{.what = Unload{PortIndex{0}, rigproto::Bin::fail}, .why = "m2.unload"};

std::unique_ptr<RigLog> opened(const std::filesystem::path& file) {
    auto log = store::open_rig_log(file);
    REQUIRE(reason(log) == "success");
    return std::move(*log);
}

/// Checks the requirements that both the SQLite ledger and the fake must meet.
void check_the_port(RigLog& log) {
    REQUIRE(log.open("board A").value() == 0);
    CHECK(log.intend(load_third).value() == 1);
    CHECK(log.intend(into_bin).value() == 2);
    CHECK(log.resolve(1, State::done, rigproto::Fault::none, 0));
    CHECK(log.resolve(2, State::failed, rigproto::Fault::eject_failed, 7));
    CHECK(
        log.latest(9).value() ==
        std::vector<LoggedJob>{
            {.job = 2, .intent = into_bin, .state = State::failed, .fault = rigproto::Fault::eject_failed, .detail = 7},
            {.job = 1, .intent = load_third, .state = State::done}});
    CHECK(log.latest(1).value().size() == 1);
    CHECK(log.resolve(3, State::done, rigproto::Fault::none, 0).error().code == Errc::bad_request);

    CHECK(log.pass_over(40));
    CHECK(log.pass_over(30));
    CHECK(log.intend(load_third).value() == 41);

    CHECK(log.newest_event().value() == std::pair(1u, 0u));
    const LoggedEvent event{.epoch = 1, .id = 4, .kind = rigproto::EventKind::card, .payload = {4, 0, 0, 0}};
    CHECK(log.keep(event));
    CHECK(log.keep(event));
    CHECK(log.newest_event().value() == std::pair(1u, 4u));
    CHECK(log.begin_epoch().value() == 2);
    CHECK(log.newest_event().value() == std::pair(2u, 0u));
}

} // namespace

TEST_CASE("the rig's ledger stores intents, outcomes and the board's events by epoch") {
    SECTION("in SQLite") {
        Scratch scratch;
        check_the_port(*opened(scratch / "mediarig.db"));
        CHECK(Database(scratch / "mediarig.db").one("SELECT count(*) FROM rig_event") == "1");
    }
    SECTION("in the fake of the tests") {
        MemoryRigLog log;
        check_the_port(log);
    }
}

TEST_CASE("the ledger restores every kind of intent, and SQL queries can read it") {
    struct Row {
        Operation what;
        const char* columns;
    };
    const Row rows[] = {
        {Home{}, R"(home|{})"},
        {Load{Pocket{29}, PortIndex{1}}, R"(load|{"from":29,"into":1})"},
        {Unload{PortIndex{1}, Pocket{29}}, R"(unload|{"from":1,"to":{"pocket":29}})"},
        {Unload{PortIndex{0}, rigproto::Bin::pass}, R"(unload|{"from":0,"to":{"bin":"pass"}})"},
        {Unload{PortIndex{0}, rigproto::Bin::unknown}, R"(unload|{"from":0,"to":{"bin":"unknown"}})"},
        {Power{PortIndex{7}, true}, R"(power|{"on":true,"port":7})"},
        {Power{PortIndex{7}, false}, R"(power|{"on":false,"port":7})"},
        {Clear{}, R"(clear|{})"},
        {Park{}, R"(park|{})"},
        {Guard{PortSet{0x81}}, R"(guard|{"ports":129})"},
        {NestRead{}, R"(nest_read|{})"},
        {Identify{Pocket{29}}, R"(identify|{"pocket":29})"},
        {Empty{PortSet{0x81}}, R"(empty|{"readers":129})"},
        {Jog{rigproto::Axis::z, 1000}, R"(jog|{"axis":"z","position":1000})"},
        {Bootloader{}, R"(bootloader|{})"},
    };
    std::set<std::size_t> kinds;
    Scratch scratch;
    const auto log = opened(scratch / "mediarig.db");
    REQUIRE(log->open("board A"));
    for (const Row& row : rows) {
        CAPTURE(row.columns);
        kinds.insert(row.what.index());
        const Intent intent{.what = row.what, .why = "m1.step"};
        REQUIRE(log->intend(intent));
        const auto jobs = log->latest(1);
        REQUIRE(reason(jobs) == "success");
        CHECK(jobs->front().intent == intent);
        Database file(scratch / "mediarig.db");
        CHECK(file.one("SELECT op, arguments_json FROM rig_job ORDER BY job DESC LIMIT 1") == row.columns);
    }
    CHECK(kinds.size() == std::variant_size_v<Operation>);
}

TEST_CASE("an unreadable job is reported with its fault and never read as another job") {
    struct Row {
        const char* damage;
        const char* says;
    };
    const Row rows[] = {
        {"op = 'dance'", "\"dance\" is not an operation that this mediarig knows"},
        {"arguments_json = '{'", "load: its arguments are not a JSON object"},
        {"arguments_json = 'null'", "load: its arguments are not a JSON object"},
        {"arguments_json = '{\"from\":2}'", "load.into: missing"},
        {"arguments_json = '{\"from\":2,\"into\":256}'", "load.into: must be a whole number from 0 to 255"},
        {"arguments_json = '{\"from\":-1,\"into\":0}'", "load.from: must be a whole number from 0 to 255"},
        {"op = 'unload', arguments_json = '{\"from\":0,\"to\":{\"bin\":\"trash\"}}'",
         "unload.to: must name a pocket or a bin"},
        {"op = 'unload', arguments_json = '{\"from\":0,\"to\":{\"pocket\":\"3\"}}'",
         "unload.to: must be a whole number from 0 to 255"},
        {"op = 'power', arguments_json = '{\"port\":0,\"on\":2}'", "power.on: must be true or false"},
        {"state = 'lost'", "\"lost\" is not one of intended, done, failed, refused, unknown"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.damage);
        Scratch scratch;
        const auto file = scratch / "mediarig.db";
        const auto log = opened(file);
        REQUIRE(log->open("board A"));
        REQUIRE(log->intend(load_third));
        REQUIRE(log->intend(into_bin));
        Database(file).run(std::string("UPDATE rig_job SET ") + row.damage + " WHERE job = 1");
        CHECK(log->latest(1));
        const auto jobs = log->latest(9);
        REQUIRE_FALSE(jobs);
        CHECK(jobs.error() ==
              Error{Errc::store_failed,
                    file.string() + ": job 1 of board board A in the rig's ledger cannot be read: " + row.says});
    }
}

TEST_CASE("job ids increase for each board separately, also after the ledger is opened again") {
    Scratch scratch;
    const auto file = scratch / "mediarig.db";
    {
        const auto log = opened(file);
        REQUIRE(log->open("board A"));
        REQUIRE(log->intend(load_third).value() == 1);
        REQUIRE(log->intend(into_bin).value() == 2);
    }
    const auto log = opened(file);
    CHECK(log->open("board B").value() == 0);
    CHECK(log->intend(load_third).value() == 1);
    CHECK(log->open("board A").value() == 2);
    CHECK(log->latest(9)->front().intent == into_bin);
    CHECK(log->latest(9)->front().state == State::intended);
}

TEST_CASE("a ledger fails every call before a board is opened") {
    Scratch scratch;
    const auto log = opened(scratch / "mediarig.db");
    CHECK(reason(log->intend(load_third)) == "the rig's ledger was not opened for a board");
    CHECK(log->latest(1).error().code == Errc::bad_request);
}

TEST_CASE("the ledger and the records of campaigns can use the same file") {
    Scratch scratch;
    const auto file = scratch / "mediarig.db";
    const auto log = opened(file);
    const auto store = store::open_store(file);
    REQUIRE(reason(store) == "success");
    REQUIRE(log->open("board A"));
    REQUIRE((*store)->begin({.id = "c1"}));
    REQUIRE(log->intend(load_third));
    CHECK((*store)->campaigns()->size() == 1);
}

TEST_CASE("after SIGKILL the ledger contains every intent whose number was returned") {
    for (std::size_t kill_after = 0; kill_after < 40; kill_after += 3) {
        CAPTURE(kill_after);
        Scratch scratch(tests::in_memory());
        const auto file = scratch / "mediarig.db";
        store::Child child([&](const store::Child::Acknowledge& acknowledge) {
            auto log = store::open_rig_log(file);
            if (!log || !(*log)->open("board A")) return 1;
            for (int i = 0; i < 20; ++i) {
                const auto job = (*log)->intend(load_third);
                if (!job) return 2;
                acknowledge();
                if (!(*log)->resolve(*job, State::done, rigproto::Fault::none, 0)) return 3;
                acknowledge();
            }
            return 0;
        });
        child.wait_for(kill_after);
        child.kill();
        const std::size_t acknowledged = child.acknowledged();
        const auto log = opened(file);
        REQUIRE(log->open("board A"));
        const auto jobs = log->latest(100).value();
        CHECK(jobs.size() >= (acknowledged + 1) / 2);
        CHECK(jobs.size() <= acknowledged / 2 + 1);
        const auto settled =
            std::count_if(jobs.begin(), jobs.end(), [](const LoggedJob& each) { return each.state == State::done; });
        CHECK(static_cast<std::size_t>(settled) >= acknowledged / 2);
        CHECK(store::integrity_of(file) == "ok");
    }
}
