// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "hw/pins.hpp"
#include "tests/catch.hpp"
#include "tests/rig/desk.hpp"

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

TEST_CASE("opening: a line that is not there, is no serial line, or is taken") {
    Desk desk;
    desk.settings.path = "/dev/serial/by-id/none";
    CHECK(desk.opening() == Error{Errc::rig_fault,
                                  "there is no line /dev/serial/by-id/none: is the rig plugged in? "
                                  "mediarig rig find lists what is"});
    desk.settings.path = "/dev/null";
    CHECK(desk.opening() == Error{Errc::rig_fault, "/dev/null is not a serial line: see mediarig rig find"});
    desk.settings.path = desk.board.path;
    desk.open();
    const auto again = desk.bench.run(
        SerialBoard::open(desk.bench.io.get_executor(), desk.settings, std::make_shared<AsyncRigLog>(desk.log)));
    CHECK(reason(again) == "the rig's line " + desk.board.path +
                               " is busy: another program talks on it; end that one "
                               "first (fuser -v " +
                               desk.board.path + " names it)");
}

TEST_CASE("opening: a line that this user may not open names the group that may") {
    Desk desk;
    ::chmod(desk.board.path.c_str(), 0600);
    const bool root = ::geteuid() == 0;
    if (root) {
        REQUIRE(::seteuid(65534) == 0);
    } else {
        ::chmod(desk.board.path.c_str(), 0);
    }
    const auto error = desk.opening();
    if (root) REQUIRE(::seteuid(0) == 0);
    CHECK(error.code == Errc::no_permission);
    CHECK_THAT(error.detail, ContainsSubstring("may not be opened by this user: join its group (sudo usermod -aG "));
    CHECK_THAT(error.detail, ContainsSubstring(" \"$USER\") and log in again"));
}

TEST_CASE("opening: nobody answers, or something that is no rig") {
    Desk desk;
    desk.board.loses = [](const rigproto::Frame&) { return true; };
    CHECK_THAT(desk.opening().detail, ContainsSubstring("nobody answers on " + desk.board.path));
    // HELLO was said three times, in the very same words.
    REQUIRE(desk.board.count(Op::hello) == 3);
    CHECK(desk.board.heard[0] == desk.board.heard[2]);
    desk.board.echoes = true;
    const auto error = desk.opening();
    CHECK(error.code == Errc::rig_fault);
    CHECK_THAT(error.detail, ContainsSubstring("what answers on " + desk.board.path + " is not a rig"));
}

TEST_CASE("opening: another major version says which side is to be updated, and can still be looked at") {
    Desk desk;
    desk.board.hello.major = 2;
    CHECK_THAT(desk.opening().detail,
               ContainsSubstring(
                   "the rig's firmware speaks major version 2 of the protocol, this mediarig 1: update mediarig;"));
    desk.board.hello.major = 0;
    const auto error = desk.opening();
    CHECK(error.code == Errc::rig_fault);
    CHECK_THAT(error.detail, ContainsSubstring("update the firmware (mediarig-rig.uf2 onto the board in its loader)"));
    CHECK(desk.board.count(Op::config) == 0);
    auto looked = desk.bench.run(SerialBoard::look_at(desk.bench.io.get_executor(), desk.settings));
    REQUIRE(looked);
    CHECK((*looked)->read_only());
    CHECK(desk.bench.run((*looked)->status()));
    CHECK(reason(desk.bench.run((*looked)->stop())) == "success");
    const auto refused = desk.bench.run((*looked)->home());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == Error{Errc::refused, "home is not done: the rig is only looked at"});
}

TEST_CASE("opening: another kind of rig, or one that does not take its configuration") {
    Desk desk;
    desk.board.hello.profile = {'b', 'a', 'n', 'k', '8'};
    CHECK(desk.opening().detail ==
          "the board is built as \"bank8\", and this mediarig drives \"swap30\": it is another kind of rig");
    desk.board.hello.profile = {'s', 'w', 'a', 'p', '3', '0'};
    desk.board.wrong_crc = 1;
    CHECK_THAT(desk.opening().detail, ContainsSubstring("took over another configuration than it was sent"));
    desk.board.wrong_crc = 0;
    desk.board.refuses = [](const rigproto::Frame& frame) {
        return is(frame, Op::config) ? std::optional(rigproto::Rejection{Reject::out_of_range, {}}) : std::nullopt;
    };
    CHECK(desk.opening().detail ==
          "the rig's board refuses the configuration (out_of_range): there is no such place on this rig");
}

TEST_CASE("opening: firmware that was made for another pin map is not driven, but looked at and stopped") {
    Desk desk;
    desk.board.hello.pin_map_hash = mediarig::pins::pin_map_hash ^ 1;
    const auto error = desk.opening();
    CHECK(error.code == Errc::rig_fault);
    CHECK(
        error.detail ==
        fmt::format("the board's firmware was made for pin map {:08X}, this mediarig knows {:08X}: make the image from "
                    "the same sources (./run hw) and copy mediarig-rig.uf2 onto the board in its loader",
                    mediarig::pins::pin_map_hash ^ 1, mediarig::pins::pin_map_hash));
    CHECK(desk.board.count(Op::config) == 0);
    auto looked = desk.bench.run(SerialBoard::look_at(desk.bench.io.get_executor(), desk.settings));
    REQUIRE(looked);
    CHECK(desk.bench.run((*looked)->status()));
    CHECK(reason(desk.bench.run((*looked)->stop())) == "success");
}

TEST_CASE("opening: firmware of the same pin map is driven, and a simulated board, which has no pins") {
    for (const std::uint32_t told : {mediarig::pins::pin_map_hash, 0U}) {
        Desk desk;
        desk.board.hello.pin_map_hash = told;
        desk.open();
        CHECK(desk.board.count(Op::config) == 1);
    }
}

TEST_CASE("a board says what it is, for records") {
    Desk desk;
    desk.board.hello.firmware_minor = 3;
    desk.open();
    CHECK(desk.rig->description() == "mediarig-rig 0.3.0, swap30, 0000000000000007");
    CHECK(desk.log.board == "0000000000000007");
}

TEST_CASE("every job is in the ledger before the board hears of it, and settled afterwards") {
    Desk desk;
    desk.open();
    desk.rig->because("m0.load");
    bool intended = false;
    desk.board.loses = [&](const rigproto::Frame& frame) {
        if (is(frame, Op::load))
            intended = desk.log.jobs.size() == 1 && desk.log.jobs[0].state == LoggedJob::State::intended;
        return false;
    };
    REQUIRE(desk.bench.run(desk.rig->load(Pocket{3}, Port{1})));
    CHECK(intended);
    CHECK(desk.log.jobs[0].intent == Intent{Load{Pocket{3}, Port{1}}, "m0.load"});
    CHECK(desk.log.jobs[0].state == LoggedJob::State::done);
    desk.board.fails_with = Fault::insert_failed;
    const auto failed = desk.bench.run(desk.rig->load(Pocket{3}, Port{1}));
    REQUIRE(failed);
    CHECK(*failed == JobOutcome{2, Fault::insert_failed, 2, false});
    CHECK(desk.log.jobs[1].state == LoggedJob::State::failed);
    desk.board.status.state = rigproto::State::latched;
    CHECK(desk.bench.run(desk.rig->load(Pocket{3}, Port{1}))->latched);
}

TEST_CASE("a ledger that cannot be written stops everything before the board hears of it") {
    Desk desk;
    desk.open();
    desk.log.fails_from = 0;
    const auto outcome = desk.bench.run(desk.rig->home());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::store_failed);
    CHECK(desk.board.count(Op::home) == 0);
}

TEST_CASE("an event that cannot be kept is not acknowledged, and ends the link") {
    Desk desk;
    desk.open();
    desk.board.tell(rigproto::EventKind::card, rigproto::CardEvent{1, 1});
    desk.bench.until([&] { return desk.board.acknowledged() == 1; });
    desk.log.fails_from = 0;
    desk.board.tell(rigproto::EventKind::card, rigproto::CardEvent{1, 0});
    std::string last;
    desk.bench.until([&] {
        const auto status = desk.bench.run(desk.rig->status());
        if (!status) last = status.error().detail;
        return !status;
    });
    CHECK(last == "no space left for the ledger");
    CHECK(desk.board.acknowledged() == 1);
}

TEST_CASE("events are kept once and in order, whatever comes twice or too early") {
    Desk desk;
    desk.open();
    std::vector<std::uint32_t> told;
    desk.rig->on_event([&](const LoggedEvent& event) { told.push_back(event.id); });
    const rigproto::CardEvent card{0, 1};
    desk.board.tell(rigproto::EventKind::card, card, 1);
    desk.board.tell(rigproto::EventKind::card, card, 3);
    desk.board.tell(rigproto::EventKind::card, card, 1);
    desk.board.tell(rigproto::EventKind::card, card, 2);
    desk.board.tell(rigproto::EventKind::card, card, 3);
    desk.bench.until([&] { return desk.board.acknowledged() == 3; });
    CHECK(told == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(desk.log.events.size() == 3);
}

TEST_CASE("a request that gets lost is said again in the same words, and the board hears one number") {
    Desk desk;
    desk.open();
    int lost = 0;
    desk.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::home) && ++lost <= 2; };
    CHECK(desk.home() == "done");
    CHECK(desk.board.count(Op::home) == 3);
    CHECK(desk.rig->reconnects() == 0);
}

TEST_CASE("three lost requests are a lost line: it is opened and greeted anew, and the job keeps its number") {
    Desk desk;
    desk.open();
    int lost = 0;
    desk.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::home) && ++lost <= 3; };
    const auto first = desk.board.session;
    CHECK(desk.home() == "done");
    CHECK(desk.rig->reconnects() == 1);
    CHECK(desk.board.session != first);
    CHECK(desk.log.jobs.size() == 1);
}

TEST_CASE("a board that does not come back is told once, with what to do, and leaves the job open") {
    Desk desk;
    desk.open();
    desk.board.finishes = false;
    std::optional<mediarig::Result<JobOutcome>> outcome;
    boost::asio::co_spawn(
        desk.bench.io, desk.rig->load(Pocket{0}, Port{0}),
        [&](const std::exception_ptr&, mediarig::Result<JobOutcome> came) { outcome = std::move(came); });
    desk.bench.until([&] { return desk.board.count(Op::load) == 1; });
    desk.board.unplug();
    desk.bench.until([&] { return outcome.has_value(); });
    REQUIRE_FALSE(*outcome);
    CHECK(outcome->error().code == Errc::rig_fault);
    CHECK_THAT(outcome->error().detail, ContainsSubstring("load pocket 1 into reader 1"));
    CHECK_THAT(outcome->error().detail, ContainsSubstring("did not come back"));
    CHECK_THAT(outcome->error().detail, ContainsSubstring("check its cable and supply"));
    CHECK(desk.log.jobs[0].state == LoggedJob::State::intended);
}

TEST_CASE("a line that is away for longer than a job's next question is still waited for, and then given up") {
    Desk desk;
    // The next question about a running job is due after one second.
    desk.settings.come_back_within = std::chrono::milliseconds(2500);
    desk.settings.job_within = std::chrono::seconds(30);
    desk.open();
    desk.board.finishes = false;
    std::optional<mediarig::Result<JobOutcome>> outcome;
    boost::asio::co_spawn(
        desk.bench.io, desk.rig->load(Pocket{0}, Port{0}),
        [&](const std::exception_ptr&, mediarig::Result<JobOutcome> came) { outcome = std::move(came); });
    desk.bench.until([&] { return desk.board.count(Op::load) == 1; });
    desk.board.unplug();
    desk.bench.until([&] { return outcome.has_value(); });
    REQUIRE_FALSE(*outcome);
    // Not "did not finish": somebody was free to look for the line meanwhile.
    CHECK_THAT(outcome->error().detail, ContainsSubstring("did not come back within 2 s"));
}

TEST_CASE("another board on the same line is not driven") {
    Desk desk;
    desk.open();
    desk.board.hello.unique_id = {0, 0, 0, 0, 0, 0, 0, 8};
    int lost = 0;
    desk.board.loses = [&](const rigproto::Frame& frame) { return is(frame, Op::home) && ++lost <= 3; };
    CHECK_THAT(desk.home(),
               ContainsSubstring("another board answers now: 0000000000000008 instead of 0000000000000007"));
    CHECK(desk.board.count(Op::home) == 3);
}

TEST_CASE("a board that forgot the session is greeted, and the request goes on") {
    Desk desk;
    desk.open();
    int refused = 0;
    desk.board.refuses = [&](const rigproto::Frame& frame) {
        const bool once = is(frame, Op::home) && refused++ == 0;
        return once ? std::optional(rigproto::Rejection{Reject::no_session, {}}) : std::nullopt;
    };
    CHECK(desk.home() == "done");
    CHECK(desk.board.count(Op::hello) == 2);
    CHECK(desk.board.count(Op::config) == 2);
    CHECK(desk.rig->reconnects() == 0);
}

TEST_CASE("what passes by itself is waited for, everything else is a refusal with its reason") {
    Desk desk;
    desk.open();
    int refused = 0;
    rigproto::Rejection why{Reject::events_full, {}};
    desk.board.refuses = [&](const rigproto::Frame& frame) {
        return is(frame, Op::power) && refused-- > 0 ? std::optional(why) : std::nullopt;
    };
    refused = 2;
    CHECK(desk.bench.run(desk.rig->power_on(Port{0})));
    why = {Reject::interlock, rigproto::Interlock::port_settling};
    refused = 2;
    CHECK(desk.bench.run(desk.rig->power_on(Port{0})));
    why = {Reject::interlock, rigproto::Interlock::no_card};
    refused = 1;
    const auto forbidden = desk.bench.run(desk.rig->power_on(Port{0}));
    REQUIRE_FALSE(forbidden);
    CHECK(forbidden.error() ==
          Error{Errc::rig_fault, "the rig refuses to power on port 1: there is no card in that reader"});
    CHECK(desk.log.jobs.back().state == LoggedJob::State::refused);
    CHECK(desk.log.jobs.back().detail == static_cast<std::uint8_t>(Reject::interlock));
}

TEST_CASE("a job whose end nobody tells is asked after, and one that hangs is given up with what to do") {
    Desk desk;
    desk.settings.job_within = std::chrono::milliseconds(2500);
    desk.open();
    desk.board.finishes = false;
    desk.board.job = {1, rigproto::JobState::done, rigproto::JobStage::idle, Fault::none, 0};
    CHECK(desk.home() == "done");
    desk.board.job.state = rigproto::JobState::running;
    CHECK(desk.home() == "the rig did not finish to home within 2 s: run mediarig rig stop, then look at it");
    CHECK(desk.log.jobs.back().state == LoggedJob::State::intended);
}

TEST_CASE("STOP is repeated until it is confirmed, and silence is not taken for a confirmation") {
    Desk desk;
    desk.open();
    int lost = 0;
    desk.board.loses = [&](const rigproto::Frame& frame) { return frame.kind == rigproto::Kind::stop && ++lost <= 4; };
    CHECK(reason(desk.bench.run(desk.rig->stop())) == "success");
    CHECK(desk.board.count(rigproto::Kind::stop) == 5);
    desk.board.loses = [](const rigproto::Frame& frame) { return frame.kind == rigproto::Kind::stop; };
    const auto silent = desk.bench.run(desk.rig->stop());
    REQUIRE_FALSE(silent);
    CHECK(silent.error() == Error{Errc::timed_out,
                                  "the rig did not confirm the stop: press the emergency stop, then look "
                                  "at the rig's cable"});
}

TEST_CASE("numbers of jobs go on above what the board did for another ledger") {
    Desk desk;
    desk.board.hello.status.last_job = 57;
    desk.open();
    CHECK(desk.home() == "done");
    CHECK(desk.log.jobs.back().job == 58);
}

TEST_CASE("after a cold start open jobs are unknown, events count in a new epoch, and nothing is asked for again") {
    Desk desk;
    REQUIRE(desk.log.intend({.what = Load{Pocket{1}, Port{0}}}));
    const auto epoch = desk.log.epoch;
    desk.board.hello.cold_start = 1;
    desk.open();
    CHECK(desk.log.jobs[0].state == LoggedJob::State::unknown);
    CHECK(desk.log.epoch == epoch + 1);
    CHECK(desk.board.count(Op::load) == 0);
    CHECK(desk.board.count(Op::job_status) == 0);
}

TEST_CASE("a board that knows less than the ledger started cold, even if somebody else has heard it say so") {
    Desk desk;
    REQUIRE(desk.log.intend({.what = Home{}}));
    REQUIRE(desk.log.settle(1, LoggedJob::State::done, Fault::none, 0));
    REQUIRE(desk.log.intend({.what = Load{Pocket{1}, Port{0}}}));
    const auto epoch = desk.log.epoch;
    desk.board.hello.status.last_job = 0;
    desk.open();
    CHECK(desk.log.jobs[1].state == LoggedJob::State::unknown);
    CHECK(desk.log.epoch == epoch + 1);
}

TEST_CASE("a job left open by a program that was killed is settled by what the board says of it") {
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
        Desk desk;
        REQUIRE(desk.log.intend({.what = Load{Pocket{1}, Port{0}}}));
        desk.board.hello.status.last_job = row.last_job;
        desk.board.job = {1, row.state, rigproto::JobStage::idle, row.fault, 0};
        desk.open();
        CHECK(desk.log.jobs[0].state == row.settled);
        CHECK(desk.log.jobs[0].fault == row.fault);
        CHECK(desk.board.count(Op::load) == 0);
    }
}

TEST_CASE("the board is kept awake while nobody asks for anything") {
    Desk desk;
    desk.settings.lease = std::chrono::milliseconds(1500);
    desk.open();
    desk.bench.until([&] { return desk.board.count(Op::heartbeat) >= 3; });
    const auto beat = std::find_if(desk.board.heard.begin(), desk.board.heard.end(),
                                   [](const rigproto::Frame& frame) { return is(frame, Op::heartbeat); });
    CHECK(rigproto::decode<rigproto::HeartbeatRequest>(beat->payload())->lease_ms == 1500);
}

TEST_CASE("a link that is closed right after an answer ends its session, and leaves nobody waiting for its lease") {
    Desk desk;
    desk.open();
    REQUIRE(desk.home() == "done");
    desk.rig.reset();
    desk.bench.until([&] { return desk.board.count(Op::bye) == 1; });
}

TEST_CASE("a link that was closed gives everybody who waits an answer") {
    Desk desk;
    desk.open();
    desk.board.finishes = false;
    std::optional<mediarig::Result<JobOutcome>> outcome;
    boost::asio::co_spawn(
        desk.bench.io, desk.rig->home(),
        [&](const std::exception_ptr&, mediarig::Result<JobOutcome> came) { outcome = std::move(came); });
    desk.bench.until([&] { return desk.board.count(Op::home) == 1; });
    desk.rig->close();
    desk.bench.until([&] { return outcome.has_value(); });
    REQUIRE_FALSE(*outcome);
    CHECK(outcome->error().code == Errc::cancelled);
    CHECK_THAT(outcome->error().detail, ContainsSubstring("the link to the rig was closed"));
}
