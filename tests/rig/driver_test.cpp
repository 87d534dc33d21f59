// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "hw/pins.hpp"
#include "tests/catch.hpp"
#include "tests/rig/driver_fixture.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using mediarig::Errc;
using mediarig::Error;
using rigproto::Fault;
using rigproto::Op;
using rigproto::Reject;

namespace {

bool is(const rigproto::Frame& frame, Op op) {
    return frame.kind == rigproto::Kind::request && frame.op == static_cast<std::uint8_t>(op);
}

} // namespace

TEST_CASE("opening: a missing, non-serial or busy port is refused") {
    DriverFixture fixture;
    fixture.settings.path = "/dev/serial/by-id/none";
    CHECK(fixture.opening() == Error{Errc::rig_fault,
                                     "there is no line /dev/serial/by-id/none: check that the rig is plugged in; "
                                     "mediarig rig find lists the rigs on USB"});
    fixture.settings.path = "/dev/null";
    CHECK(fixture.opening() == Error{Errc::rig_fault, "/dev/null is not a serial line: see mediarig rig find"});
    fixture.settings.path = fixture.board.path;
    fixture.open();
    const auto again = fixture.bench.run(SerialBoard::open(fixture.bench.io.get_executor(), fixture.settings,
                                                           std::make_shared<AsyncRigLog>(fixture.log)));
    CHECK(reason(again) == "the rig's line " + fixture.board.path +
                               " is in use by another program; end that program first (fuser -v " + fixture.board.path +
                               " names it)");
}

TEST_CASE("opening: a port without permission names the required group") {
    DriverFixture fixture;
    ::chmod(fixture.board.path.c_str(), 0600);
    const bool root = ::geteuid() == 0;
    if (root) {
        REQUIRE(::seteuid(65534) == 0);
    } else {
        ::chmod(fixture.board.path.c_str(), 0);
    }
    const auto error = fixture.opening();
    if (root) REQUIRE(::seteuid(0) == 0);
    CHECK(error.code == Errc::no_permission);
    CHECK_THAT(error.detail, ContainsSubstring("may not be opened by this user: join its group (sudo usermod -aG "));
    CHECK_THAT(error.detail, ContainsSubstring(" \"$USER\") and log in again"));
}

TEST_CASE("opening: a silent device and a device of another kind are refused") {
    DriverFixture fixture;
    fixture.board.loses = [](const rigproto::Frame&) { return true; };
    CHECK_THAT(fixture.opening().detail, ContainsSubstring("no answer on " + fixture.board.path));
    // HELLO was sent three times with identical content.
    REQUIRE(fixture.board.count(Op::hello) == 3);
    CHECK(fixture.board.heard[0] == fixture.board.heard[2]);
    fixture.board.echoes = true;
    const auto error = fixture.opening();
    CHECK(error.code == Errc::rig_fault);
    CHECK_THAT(error.detail, ContainsSubstring("the device on " + fixture.board.path + " is not a rig"));
}

TEST_CASE("opening: HELLO is sent three times to a board that misses requests after its first answer") {
    DriverFixture fixture;
    int lost = 0;
    fixture.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::config) && lost++ < 6; };
    CHECK(fixture.opening().detail == "opened");
    CHECK(fixture.board.count(Op::hello) == 3);
}

TEST_CASE("opening: for another major version the error names the side to update, and the board stays readable") {
    DriverFixture fixture;
    fixture.board.hello.major = 2;
    CHECK_THAT(fixture.opening().detail,
               ContainsSubstring(
                   "the rig's firmware speaks major version 2 of the protocol, this mediarig 1: update mediarig;"));
    fixture.board.hello.major = 0;
    const auto error = fixture.opening();
    CHECK(error.code == Errc::rig_fault);
    CHECK_THAT(error.detail,
               ContainsSubstring("update the firmware (copy mediarig-rig.uf2 onto the board in its boot loader)"));
    CHECK(fixture.board.count(Op::config) == 0);
    auto looked = fixture.bench.run(SerialBoard::open_read_only(fixture.bench.io.get_executor(), fixture.settings));
    REQUIRE(looked);
    CHECK((*looked)->read_only());
    CHECK(fixture.bench.run((*looked)->status()));
    CHECK(reason(fixture.bench.run((*looked)->stop())) == "success");
    const auto refused = fixture.bench.run((*looked)->home());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == Error{Errc::refused, "home is not executed: the rig is opened read-only"});
}

TEST_CASE("opening: a rig of another type, or a rig that refuses its configuration, is refused") {
    DriverFixture fixture;
    fixture.board.hello.profile = {'b', 'a', 'n', 'k', '8'};
    CHECK(fixture.opening().detail ==
          "the board is built as \"bank8\", but this mediarig drives \"swap30\": the board belongs to another kind of "
          "rig");
    fixture.board.hello.profile = {'s', 'w', 'a', 'p', '3', '0'};
    fixture.board.wrong_crc = 1;
    CHECK_THAT(fixture.opening().detail, ContainsSubstring("reports a different configuration from the one sent"));
    fixture.board.wrong_crc = 0;
    fixture.board.refuses = [](const rigproto::Frame& frame) {
        return is(frame, Op::config) ? std::optional(rigproto::Rejection{Reject::out_of_range, {}}) : std::nullopt;
    };
    CHECK(fixture.opening().detail ==
          "the rig's board refuses the configuration (out_of_range): a value of the rig file is impossible; check "
          "travels, speeds, accelerations and places");
}

TEST_CASE("opening: a board with firmware for another pin map is not driven, but can be queried and stopped") {
    DriverFixture fixture;
    fixture.board.hello.pin_map_hash = mediarig::pins::pin_map_hash ^ 1;
    const auto error = fixture.opening();
    CHECK(error.code == Errc::rig_fault);
    CHECK(error.detail ==
          fmt::format(
              "the board's firmware was made for pin map {:08X}, but this mediarig knows {:08X}: build the image from "
              "the same sources (./run hw) and copy mediarig-rig.uf2 onto the board in its boot loader",
              mediarig::pins::pin_map_hash ^ 1, mediarig::pins::pin_map_hash));
    CHECK(fixture.board.count(Op::config) == 0);
    auto looked = fixture.bench.run(SerialBoard::open_read_only(fixture.bench.io.get_executor(), fixture.settings));
    REQUIRE(looked);
    CHECK(fixture.bench.run((*looked)->status()));
    CHECK(reason(fixture.bench.run((*looked)->stop())) == "success");
}

TEST_CASE("opening: a board whose firmware has this program's pin map is driven, and so is a simulated board") {
    for (const std::uint32_t told : {mediarig::pins::pin_map_hash, 0U}) {
        DriverFixture fixture;
        fixture.board.hello.pin_map_hash = told;
        fixture.open();
        CHECK(fixture.board.count(Op::config) == 1);
    }
}

TEST_CASE("a board's identity is available for records") {
    DriverFixture fixture;
    fixture.board.hello.firmware_minor = 3;
    fixture.open();
    CHECK(fixture.rig->description() == "mediarig-rig 0.3.0, firmware swap30, 0000000000000007");
    CHECK(fixture.log.board == "0000000000000007");
}

TEST_CASE("every job is in the ledger before it is sent and settled afterwards") {
    DriverFixture fixture;
    fixture.open();
    fixture.rig->because("m0.load");
    bool intended = false;
    fixture.board.loses = [&](const rigproto::Frame& frame) {
        if (is(frame, Op::load))
            intended = fixture.log.jobs.size() == 1 && fixture.log.jobs[0].state == LoggedJob::State::intended;
        return false;
    };
    REQUIRE(fixture.bench.run(fixture.rig->load(Pocket{3}, PortIndex{1})));
    CHECK(intended);
    CHECK(fixture.log.jobs[0].intent == Intent{Load{Pocket{3}, PortIndex{1}}, "m0.load"});
    CHECK(fixture.log.jobs[0].state == LoggedJob::State::done);
    fixture.board.fails_with = Fault::insert_failed;
    const auto failed = fixture.bench.run(fixture.rig->load(Pocket{3}, PortIndex{1}));
    REQUIRE(failed);
    CHECK(*failed == RigJobOutcome{2, Fault::insert_failed, 2, false});
    CHECK(fixture.log.jobs[1].state == LoggedJob::State::failed);
    fixture.board.status.state = rigproto::State::latched;
    CHECK(fixture.bench.run(fixture.rig->load(Pocket{3}, PortIndex{1}))->latched);
}

TEST_CASE("a ledger that cannot be written prevents sending") {
    DriverFixture fixture;
    fixture.open();
    fixture.log.fails_from = 0;
    const auto outcome = fixture.bench.run(fixture.rig->home());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::store_failed);
    CHECK(fixture.board.count(Op::home) == 0);
}

TEST_CASE("an event that cannot be stored is not acknowledged and ends the link") {
    DriverFixture fixture;
    fixture.open();
    fixture.board.tell(rigproto::EventKind::card, rigproto::CardEvent{1, 1});
    fixture.bench.until([&] { return fixture.board.acknowledged() == 1; });
    fixture.log.fails_from = 0;
    fixture.board.tell(rigproto::EventKind::card, rigproto::CardEvent{1, 0});
    std::string last;
    fixture.bench.until([&] {
        const auto status = fixture.bench.run(fixture.rig->status());
        if (!status) last = status.error().detail;
        return !status;
    });
    CHECK(last == "no space left for the ledger");
    CHECK(fixture.board.acknowledged() == 1);
}

TEST_CASE("events are stored once and in order despite repetitions and gaps") {
    DriverFixture fixture;
    fixture.open();
    std::vector<std::uint32_t> told;
    fixture.rig->on_event([&](const LoggedEvent& event) { told.push_back(event.id); });
    const rigproto::CardEvent card{0, 1};
    fixture.board.tell(rigproto::EventKind::card, card, 1);
    fixture.board.tell(rigproto::EventKind::card, card, 3);
    fixture.board.tell(rigproto::EventKind::card, card, 1);
    fixture.board.tell(rigproto::EventKind::card, card, 2);
    fixture.board.tell(rigproto::EventKind::card, card, 3);
    fixture.bench.until([&] { return fixture.board.acknowledged() == 3; });
    CHECK(told == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(fixture.log.events.size() == 3);
}

TEST_CASE("a lost request is repeated unchanged with one sequence number") {
    DriverFixture fixture;
    fixture.open();
    int lost = 0;
    fixture.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::home) && ++lost <= 2; };
    CHECK(fixture.home() == "done");
    CHECK(fixture.board.count(Op::home) == 3);
    CHECK(fixture.rig->reconnects() == 0);
}

TEST_CASE("three lost requests reopen the port with a new HELLO and the job keeps its number") {
    DriverFixture fixture;
    fixture.open();
    int lost = 0;
    fixture.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::home) && ++lost <= 3; };
    const auto first = fixture.board.session;
    CHECK(fixture.home() == "done");
    CHECK(fixture.rig->reconnects() == 1);
    CHECK(fixture.board.session != first);
    CHECK(fixture.log.jobs.size() == 1);
}

TEST_CASE("a board that does not return is reported once with the remedy and leaves the job open") {
    DriverFixture fixture;
    fixture.open();
    fixture.board.finishes = false;
    const auto running = fixture.bench.begin(fixture.rig->load(Pocket{0}, PortIndex{0}));
    fixture.bench.until([&] { return fixture.board.count(Op::load) == 1; });
    fixture.board.unplug();
    const auto outcome = fixture.bench.finish(running);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::rig_fault);
    CHECK_THAT(outcome.error().detail, ContainsSubstring("load pocket 1 into reader 1"));
    CHECK_THAT(outcome.error().detail, ContainsSubstring("did not come back"));
    CHECK_THAT(outcome.error().detail, ContainsSubstring("check its cable and supply"));
    CHECK(fixture.log.jobs[0].state == LoggedJob::State::intended);
}

TEST_CASE("the driver waits up to the limit for a port that is missing longer than a job's poll interval") {
    DriverFixture fixture;
    // The next poll of a running job is due after one second.
    fixture.settings.come_back_within = std::chrono::milliseconds(2500);
    fixture.settings.job_within = std::chrono::seconds(30);
    fixture.open();
    fixture.board.finishes = false;
    const auto running = fixture.bench.begin(fixture.rig->load(Pocket{0}, PortIndex{0}));
    fixture.bench.until([&] { return fixture.board.count(Op::load) == 1; });
    fixture.board.unplug();
    const auto outcome = fixture.bench.finish(running);
    REQUIRE_FALSE(outcome);
    // The error is not "did not finish": the driver was looking for the port during that time.
    CHECK_THAT(outcome.error().detail, ContainsSubstring("did not come back within 2 s"));
}

TEST_CASE("another board on the same port is not driven") {
    DriverFixture fixture;
    fixture.open();
    fixture.board.hello.unique_id = {0, 0, 0, 0, 0, 0, 0, 8};
    int lost = 0;
    fixture.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::home) && ++lost <= 3; };
    CHECK_THAT(fixture.home(),
               ContainsSubstring("another board answers now: 0000000000000008 instead of 0000000000000007"));
    CHECK(fixture.board.count(Op::home) == 3);
}

TEST_CASE("a board that lost the session gets a HELLO and the request continues") {
    DriverFixture fixture;
    fixture.open();
    int refused = 0;
    fixture.board.refuses = [&](const rigproto::Frame& frame) {
        const bool once = is(frame, Op::home) && refused++ == 0;
        return once ? std::optional(rigproto::Rejection{Reject::no_session, {}}) : std::nullopt;
    };
    CHECK(fixture.home() == "done");
    CHECK(fixture.board.count(Op::hello) == 2);
    CHECK(fixture.board.count(Op::config) == 2);
    CHECK(fixture.rig->reconnects() == 0);
}

TEST_CASE("a request is repeated after a temporary refusal, and any other refusal is returned with its reason") {
    DriverFixture fixture;
    fixture.open();
    int refused = 0;
    rigproto::Rejection why{Reject::events_full, {}};
    fixture.board.refuses = [&](const rigproto::Frame& frame) {
        return is(frame, Op::power) && refused-- > 0 ? std::optional(why) : std::nullopt;
    };
    refused = 2;
    CHECK(fixture.bench.run(fixture.rig->power_on(PortIndex{0})));
    why = {Reject::interlock, rigproto::Interlock::port_settling};
    refused = 2;
    CHECK(fixture.bench.run(fixture.rig->power_on(PortIndex{0})));
    why = {Reject::interlock, rigproto::Interlock::no_card};
    refused = 1;
    const auto forbidden = fixture.bench.run(fixture.rig->power_on(PortIndex{0}));
    REQUIRE_FALSE(forbidden);
    CHECK(forbidden.error() ==
          Error{Errc::rig_fault, "the rig refuses to power on port 1: there is no card in that reader"});
    CHECK(fixture.log.jobs.back().state == LoggedJob::State::refused);
    CHECK(fixture.log.jobs.back().detail == static_cast<std::uint8_t>(Reject::interlock));
}

TEST_CASE("a job whose end is not reported is polled, and a hanging job is abandoned with a remedy") {
    DriverFixture fixture;
    fixture.settings.job_within = std::chrono::milliseconds(2500);
    fixture.open();
    fixture.board.finishes = false;
    fixture.board.job = {1, rigproto::JobState::done, rigproto::JobStage::idle, Fault::none, 0};
    CHECK(fixture.home() == "done");
    fixture.board.job.state = rigproto::JobState::running;
    CHECK(fixture.home() ==
          "the rig did not finish the job \"home\" within 2 s: run mediarig rig stop, then check the rig");
    CHECK(fixture.log.jobs.back().state == LoggedJob::State::intended);
}

TEST_CASE("STOP is repeated until confirmed, and silence is not a confirmation") {
    DriverFixture fixture;
    fixture.open();
    int lost = 0;
    fixture.board.loses = [&](const rigproto::Frame& frame) {
        return frame.kind == rigproto::Kind::stop && ++lost <= 4;
    };
    CHECK(reason(fixture.bench.run(fixture.rig->stop())) == "success");
    CHECK(fixture.board.count(rigproto::Kind::stop) == 5);
    fixture.board.loses = [](const rigproto::Frame& frame) { return frame.kind == rigproto::Kind::stop; };
    const auto silent = fixture.bench.run(fixture.rig->stop());
    REQUIRE_FALSE(silent);
    CHECK(silent.error() == Error{Errc::timed_out,
                                  "the rig did not confirm the stop: press the emergency stop, then look "
                                  "at the rig's cable"});
}

TEST_CASE("job numbers continue above the last job that the board knows from another ledger") {
    DriverFixture fixture;
    fixture.board.hello.status.last_job = 57;
    fixture.open();
    CHECK(fixture.home() == "done");
    CHECK(fixture.log.jobs.back().job == 58);
}

TEST_CASE("after a cold start open jobs are unknown, events have a new epoch and no job is repeated") {
    DriverFixture fixture;
    REQUIRE(fixture.log.intend({.what = Load{Pocket{1}, PortIndex{0}}}));
    const auto epoch = fixture.log.epoch;
    fixture.board.hello.cold_start = 1;
    fixture.open();
    CHECK(fixture.log.jobs[0].state == LoggedJob::State::unknown);
    CHECK(fixture.log.epoch == epoch + 1);
    CHECK(fixture.board.count(Op::load) == 0);
    CHECK(fixture.board.count(Op::job_status) == 0);
}

TEST_CASE(
    "if a board knows fewer jobs than the ledger, its start counts as cold, even if another host has read its report") {
    DriverFixture fixture;
    REQUIRE(fixture.log.intend({.what = Home{}}));
    REQUIRE(fixture.log.resolve(1, LoggedJob::State::done, Fault::none, 0));
    REQUIRE(fixture.log.intend({.what = Load{Pocket{1}, PortIndex{0}}}));
    const auto epoch = fixture.log.epoch;
    fixture.board.hello.status.last_job = 0;
    fixture.open();
    CHECK(fixture.log.jobs[1].state == LoggedJob::State::unknown);
    CHECK(fixture.log.epoch == epoch + 1);
}

TEST_CASE("an open job of a killed program is settled by the board's answer") {
    struct Row {
        rigproto::JobState state;
        Fault fault;
        std::uint32_t last_job;
        LoggedJob::State settled;
    };
    const Row rows[] = {
        {rigproto::JobState::done, Fault::none, 1, LoggedJob::State::done},
        {rigproto::JobState::failed, Fault::lease, 1, LoggedJob::State::failed},
        {rigproto::JobState::unknown, Fault::none, 0, LoggedJob::State::refused},
        {rigproto::JobState::unknown, Fault::none, 9, LoggedJob::State::unknown},
    };
    for (const Row& row : rows) {
        DriverFixture fixture;
        REQUIRE(fixture.log.intend({.what = Load{Pocket{1}, PortIndex{0}}}));
        fixture.board.hello.status.last_job = row.last_job;
        fixture.board.job = {1, row.state, rigproto::JobStage::idle, row.fault, 0};
        fixture.open();
        CHECK(fixture.log.jobs[0].state == row.settled);
        CHECK(fixture.log.jobs[0].fault == row.fault);
        CHECK(fixture.board.count(Op::load) == 0);
    }
}

TEST_CASE("heartbeats are sent while there are no requests") {
    DriverFixture fixture;
    fixture.settings.lease = std::chrono::milliseconds(1500);
    fixture.open();
    fixture.bench.until([&] { return fixture.board.count(Op::heartbeat) >= 3; });
    const auto beat = std::find_if(fixture.board.heard.begin(), fixture.board.heard.end(),
                                   [](const rigproto::Frame& frame) { return is(frame, Op::heartbeat); });
    CHECK(rigproto::decode<rigproto::HeartbeatRequest>(beat->payload())->lease_ms == 1500);
}

TEST_CASE("a link closed right after an answer ends its session and blocks no later host") {
    DriverFixture fixture;
    fixture.open();
    REQUIRE(fixture.home() == "done");
    fixture.rig.reset();
    fixture.bench.until([&] { return fixture.board.count(Op::bye) == 1; });
}

TEST_CASE("close() ends every waiting request") {
    DriverFixture fixture;
    fixture.open();
    fixture.board.finishes = false;
    const auto running = fixture.bench.begin(fixture.rig->home());
    fixture.bench.until([&] { return fixture.board.count(Op::home) == 1; });
    fixture.rig->close();
    const auto outcome = fixture.bench.finish(running);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::cancelled);
    CHECK_THAT(outcome.error().detail, ContainsSubstring("the link to the rig was closed"));
}
