// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "tests/rig/cable.hpp"
#include "tests/rig/conformance.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using mediarig::Result;
using rigproto::Fault;
using rigproto::State;

namespace {

/// Waits until the carriage moves.
void wait_for_motion(Conformance& on) {
    on.bench.until([&] { return on.status().state == State::moving || on.status().state == State::homing; }, "motion");
}

/// Waits longer than a lease of one second and the ramps after it take on the board's clock. The clock cannot be
/// queried now, and an emulator on a busy machine advances it slowly.
void be_silent(Conformance& on) {
    const auto enough = std::chrono::milliseconds(BoardProcess::kind() == "emulator" ? 20'000 : 2'500);
    const auto until = std::chrono::steady_clock::now() + enough;
    on.bench.until([&] { return std::chrono::steady_clock::now() > until; });
}

} // namespace

TEST_CASE("STOP ends a move at once and latches, and nothing restarts without a request") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    const auto running = on.bench.begin(on.rig->load(Pocket{3}, PortIndex{1}));
    wait_for_motion(on);
    REQUIRE(reason(on.bench.run(on.rig->stop())) == "success");
    CHECK(said(on.bench.finish(running)) == "stopped 0, latched");
    const auto stands = on.status();
    CHECK(stands.state == State::latched);
    CHECK(stands.fault == Fault::stopped);
    const auto before = on.board.say("state");
    CHECK_THAT(on.load(0, 0), ContainsSubstring("the rig is stopped after a fault"));
    const auto after = on.board.say("state");
    CHECK(before.at("x") == after.at("x"));
    REQUIRE(said(on.bench.run(on.rig->clear())) == "done");
    CHECK(on.status().state == State::unhomed);
    CHECK(on.home() == "done");
}

TEST_CASE("STOP is received in a flood of frames and random bytes") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    Wire wire(on.board.path());
    wire.introduce(on.settings.config);
    while (wire.reply<rigproto::StatusReply>(wire.request(rigproto::Op::status))->state == State::boot) {
    }
    REQUIRE(wire.verdict(wire.request_of(rigproto::Op::home, rigproto::HomeRequest{1})).reject ==
            rigproto::Reject::none);
    REQUIRE(wire.finish(1) == Fault::none);
    REQUIRE(wire.verdict(wire.request_of(rigproto::Op::empty, rigproto::EmptyRequest{2, 3})).reject ==
            rigproto::Reject::none);
    REQUIRE(wire.verdict(wire.request_of(rigproto::Op::load, rigproto::LoadRequest{3, 3, 1})).reject ==
            rigproto::Reject::none);
    // Echoes of another session, damaged frames, and bytes without a delimiter.
    std::vector<std::uint8_t> flood;
    for (int i = 0; i < 200; ++i) {
        rigproto::Frame stale{.kind = rigproto::Kind::request, .session = 1, .seq = static_cast<std::uint8_t>(i)};
        stale.op = static_cast<std::uint8_t>(rigproto::Op::status);
        auto encoded = rigproto::encode(stale);
        if (i % 2 == 0) encoded.bytes[3] = static_cast<std::uint8_t>(encoded.bytes[3] ^ 0x55U);
        flood.insert(flood.end(), encoded.span().begin(), encoded.span().end());
    }
    flood.insert(flood.end(), 700, 0x11);
    flood.push_back(0);
    const rigproto::Frame stop{.kind = rigproto::Kind::stop, .session = 0xBEEF, .seq = 9};
    const auto encoded = rigproto::encode(stop);
    flood.insert(flood.end(), encoded.span().begin(), encoded.span().end());
    wire.send_raw(flood);
    const auto confirmed = wire.next([](const rigproto::Frame& frame) {
        return frame.kind == rigproto::Kind::response && frame.session == 0xBEEF && frame.seq == 9 && frame.op == 0;
    });
    REQUIRE(confirmed);
    const auto status = rigproto::decode<rigproto::StatusReply>(confirmed->payload().subspan(1));
    REQUIRE(status);
    CHECK(status->fault == Fault::stopped);
    CHECK(wire.finish(3) == Fault::stopped);
}

TEST_CASE("a cable unplugged for a moment does not end the job, even if the port returns under a new name") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    Cable cable(on.bench.io, on.board.path(), on.board.path() + "-cable");
    on.settings.path = on.board.path() + "-cable";
    REQUIRE(on.open() == "success");
    REQUIRE(on.home() == "done");
    const auto running = on.bench.begin(on.rig->load(Pocket{3}, PortIndex{1}));
    wait_for_motion(on);
    cable.pull();
    // The interruption is long enough to be noticed, and much shorter than the lease.
    const auto again = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    on.bench.until([&] { return std::chrono::steady_clock::now() > again; });
    cable.plug();
    CHECK(said(on.bench.finish(running)) == "done");
    // On a busy machine a HELLO may be late and is repeated.
    CHECK(on.rig->reconnects() >= 1);
    CHECK(on.card(3) == "port 1");
    CHECK(on.log.jobs.size() == 3); // one job reports the reader as empty
    CHECK(on.log.jobs.back().state == LoggedJob::State::done);
    CHECK(on.status().fault == Fault::none);
}

TEST_CASE("damaged and lost frames are repeated and every job acts once") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    Cable cable(on.bench.io, on.board.path(), on.board.path() + "-cable");
    on.settings.path = on.board.path() + "-cable";
    REQUIRE(on.open() == "success");
    // Every seventh piece of data to the board is damaged, and every ninth piece from the board.
    int there = 0;
    int back = 0;
    cable.to_board = [&](std::vector<std::uint8_t>& bytes) {
        if (++there % 7 == 0) bytes[bytes.size() / 2] = static_cast<std::uint8_t>(bytes[bytes.size() / 2] ^ 0x10U);
    };
    cable.from_board = [&](std::vector<std::uint8_t>& bytes) {
        if (++back % 9 == 0) bytes.clear();
    };
    REQUIRE(on.home() == "done");
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.to_bin(0, rigproto::Bin::pass) == "done");
    REQUIRE(on.load(1, 0) == "done");
    cable.to_board = {};
    cable.from_board = {};
    CHECK(on.card(0) == "bin 0");
    CHECK(on.card(1) == "port 0");
    CHECK(on.port(0).cycles == 2);
    CHECK(on.bench.run(on.rig->counters())->bad_crc + on.bench.run(on.rig->counters())->bad_cobs > 0);
}

TEST_CASE("a restarted controller learns the end of its job from board and ledger") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    const auto running = on.bench.begin(on.rig->load(Pocket{3}, PortIndex{1}));
    wait_for_motion(on);
    on.rig->close();
    CHECK_THAT(said(on.bench.finish(running)), ContainsSubstring("load pocket 4 into reader 2"));
    CHECK(on.log.jobs.back().state == LoggedJob::State::intended);
    // The next controller uses the same ledger and the same board.
    REQUIRE(on.open() == "success");
    CHECK(on.log.jobs.back().state == LoggedJob::State::done);
    CHECK(on.card(3) == "port 1");
    CHECK(on.log.jobs.size() == 3); // one job reports the reader as empty
}

TEST_CASE("a job recorded but never sent did not happen") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    on.rig.reset();
    REQUIRE(on.log.intend({.what = Load{Pocket{1}, PortIndex{0}}}));
    REQUIRE(on.open() == "success");
    CHECK(on.log.jobs.back().state == LoggedJob::State::refused);
    CHECK(on.card(1) == "pocket 1");
    CHECK(on.load(1, 0) == "done");
}

TEST_CASE("with a silent host the rig stops, keeps ports powered and takes jobs again after HELLO") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    on.settings.lease = std::chrono::milliseconds(1000);
    REQUIRE(on.open() == "success");
    REQUIRE(on.home() == "done");
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.power_on(0) == "done");
    on.rig.reset();
    be_silent(on);
    CHECK(on.board.say("state").at("ports_on") == 1);
    REQUIRE(on.open() == "success");
    on.bench.until([&] { return on.heard(rigproto::EventKind::lease_lost) == 1; });
    CHECK(on.power_off(0) == "done");
    CHECK(on.to_pocket(0, 0) == "done");
}

TEST_CASE("silence during a move ends it at a hold point with an empty cup") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    on.settings.lease = std::chrono::milliseconds(1000);
    REQUIRE(on.open() == "success");
    const auto running = on.bench.begin(on.rig->home());
    wait_for_motion(on);
    on.rig->close();
    (void)on.bench.finish(running);
    be_silent(on);
    const auto before = on.board.say("state");
    const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    on.bench.until([&] { return std::chrono::steady_clock::now() > later; });
    CHECK(before.at("x") == on.board.say("state").at("x"));
    REQUIRE(on.open() == "success");
    // Homing may have ended before the lease ended. Otherwise the job reports the reason.
    const auto& job = on.log.jobs.back();
    CHECK(
        (job.state == LoggedJob::State::done || (job.state == LoggedJob::State::failed && job.fault == Fault::lease)));
}

TEST_CASE("a board after a power loss has a new epoch, and the open job is unknown and not repeated") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    const auto epoch = on.log.epoch;
    const auto running = on.bench.begin(on.rig->load(Pocket{3}, PortIndex{1}));
    wait_for_motion(on);
    on.board.say("the power fails");
    on.board.say("the power returns");
    CHECK_THAT(
        said(on.bench.finish(running)),
        ContainsSubstring(
            "the rig's board was switched off and on during load pocket 4 into reader 2: its progress is unknown"));
    CHECK(on.log.jobs.back().state == LoggedJob::State::unknown);
    CHECK(on.log.epoch > epoch);
    const auto status = on.status();
    CHECK(status.state != State::moving);
    CHECK(status.last_job == 0);
    // Event ids restart, and are stored next to the old ones.
    on.bench.until([&] {
        return std::any_of(on.log.events.begin(), on.log.events.end(),
                           [&](const LoggedEvent& event) { return event.epoch == on.log.epoch && event.id == 1; });
    });
}

TEST_CASE("a firmware hang makes everything safe and is reported as a hang") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.power_on(0) == "done");
    const auto running = on.bench.begin(on.rig->load(Pocket{3}, PortIndex{1}));
    wait_for_motion(on);
    on.board.say("the firmware hangs");
    CHECK_THAT(said(on.bench.finish(running)), ContainsSubstring("watchdog"));
    CHECK(on.log.jobs.back().state == LoggedJob::State::failed);
    CHECK(on.log.jobs.back().fault == Fault::watchdog);
    CHECK(on.rig->hello().reset == rigproto::ResetReason::watchdog);
    CHECK(on.board.say("state").at("ports_on") == 0);
    CHECK(on.status().state != State::moving);
    CHECK_THAT(on.load(0, 0), ContainsSubstring("refuses"));
    CHECK(on.card(3) != "port 1");
}

TEST_CASE("the response times of two hundred requests are measured") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    REQUIRE(on.open() == "success");
    std::vector<double> took;
    for (int i = 0; i < 200; ++i) {
        const auto begun = std::chrono::steady_clock::now();
        (void)on.status();
        took.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
    }
    std::sort(took.begin(), took.end());
    std::cout << fmt::format("{}: round trip p50 {:.2f} ms, p99 {:.2f} ms, longest {:.2f} ms\n", BoardProcess::kind(),
                             took[100], took[197], took[199]);
    CHECK(took.size() == 200);
}
