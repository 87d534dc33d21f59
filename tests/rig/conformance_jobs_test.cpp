// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/conformance.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using rigproto::Bin;
using rigproto::State;

namespace {

/// A switch's contact bounces for some milliseconds.
constexpr std::chrono::milliseconds contact_bounces{100};

} // namespace

TEST_CASE("a card moves from its pocket into a reader, is powered and goes into a bin") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    REQUIRE(on.open() == "success");
    CHECK(on.status().state == State::unhomed);
    REQUIRE(on.home() == "done");
    CHECK(on.status().state == State::ready);
    REQUIRE(on.load(2, 1) == "done");
    CHECK(on.card(2) == "port 1");
    CHECK(on.status().cards == 2);
    REQUIRE(on.power_on(1) == "done");
    CHECK(on.port(1).millivolts > 4500);
    REQUIRE(on.power_off(1) == "done");
    const auto off = on.port(1);
    CHECK(off.millivolts < 500);
    CHECK(off.off_time_us > 0);
    CHECK(off.cycles == 1);
    REQUIRE(on.to_bin(1, Bin::retest) == "done");
    CHECK(on.card(2) == "bin 2");
    CHECK(on.status().cards == 0);
    // All jobs are in the ledger and settled.
    CHECK(on.log.jobs.size() == 6); // one job reports the reader as empty
    for (const LoggedJob& job : on.log.jobs) CHECK(job.state == LoggedJob::State::done);
}

TEST_CASE("a card returns to the pocket that it came from") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.to_pocket(0, 0) == "done");
    CHECK(on.card(0) == "pocket 0");
}

TEST_CASE("a card goes into one reader while another reader is powered") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.power_on(0) == "done");
    REQUIRE(on.load(1, 1) == "done");
    REQUIRE(on.power_on(1) == "done");
    CHECK(on.status().powered == 3);
    REQUIRE(on.power_off(0) == "done");
    REQUIRE(on.to_bin(0, Bin::pass) == "done");
    CHECK(on.port(1).millivolts > 4500);
}

TEST_CASE("an empty pocket fails only the load from this pocket") {
    MEDIARIG_NEEDS_BOARD();
    Conformance on;
    on.board.say("pocket 2 is empty");
    REQUIRE(on.open() == "success");
    REQUIRE(on.home() == "done");
    CHECK_THAT(on.load(1, 0), ContainsSubstring("pick_missed"));
    CHECK(on.log.jobs.back().state == LoggedJob::State::failed);
    CHECK(on.log.jobs.back().fault == rigproto::Fault::pick_missed);
    if (on.status().state == State::latched) {
        REQUIRE(said(on.bench.run(on.rig->clear())) == "done");
        REQUIRE(on.home() == "done");
    }
    CHECK(on.load(0, 0) == "done");
}

TEST_CASE("an empty reader is not powered, a powered reader not unloaded, and an occupied reader not loaded") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    CHECK_THAT(on.power_on(0), ContainsSubstring("there is no card in that reader"));
    CHECK(on.log.jobs.back().state == LoggedJob::State::refused);
    REQUIRE(said(on.bench.run(on.rig->declare_empty(PortSet{0b11}))) == "done");
    CHECK_THAT(on.to_bin(0, Bin::pass), ContainsSubstring("there is no card in that reader"));
    REQUIRE(on.load(0, 0) == "done");
    CHECK_THAT(on.load(1, 0), ContainsSubstring("there is, or was, a card in that reader"));
    REQUIRE(on.power_on(0) == "done");
    CHECK_THAT(on.to_bin(0, Bin::pass), ContainsSubstring("the port has voltage"));
    CHECK(on.card(0) == "port 0");
    CHECK(on.card(1) == "pocket 1");
}

TEST_CASE("nonexistent places are refused and nothing moves") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    const auto before = on.status();
    CHECK_THAT(on.load(few_pockets, 0), ContainsSubstring("this rig has no such place"));
    CHECK_THAT(on.load(0, few_ports), ContainsSubstring("this rig has no such place"));
    CHECK_THAT(on.to_pocket(few_ports, 0), ContainsSubstring("this rig has no such place"));
    CHECK_THAT(on.power_on(rigproto::port_count), ContainsSubstring("this rig has no such place"));
    const auto after = on.status();
    CHECK(after.x == before.x);
    CHECK(after.z == before.z);
}

TEST_CASE("a short circuit trips only its own port, and the report contains the port") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.load(1, 1) == "done");
    REQUIRE(on.power_on(1) == "done");
    on.board.say("port 1 is shorted");
    const auto tripped = on.power_on(0);
    CHECK_THAT(tripped, ContainsSubstring("port_short 0") || ContainsSubstring("port_overload 0") ||
                            ContainsSubstring("port_no_voltage 0"));
    CHECK(on.port(0).state == rigproto::PortState::tripped);
    CHECK(on.port(1).state == rigproto::PortState::on);
    on.board.say("port 1 is fine");
    CHECK(on.power_on(0) == "done");
}

TEST_CASE("a port that trips without a job is reported as an event") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.power_on(0) == "done");
    on.board.say("port 1 is shorted");
    on.bench.until([&] { return on.port(0).state == rigproto::PortState::tripped; });
    on.bench.until([&] { return on.status().unacked == 0; });
    const auto told = std::any_of(on.log.events.begin(), on.log.events.end(), [](const LoggedEvent& event) {
        if (event.kind != rigproto::EventKind::port) return false;
        const auto port = rigproto::decode<rigproto::PortEvent>(std::span(event.payload).subspan(12));
        return port && port->state == rigproto::PortState::tripped;
    });
    CHECK(told);
}

TEST_CASE("a guarded port with a write in progress is not switched off") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(on.load(0, 0) == "done");
    REQUIRE(on.power_on(0) == "done");
    REQUIRE(said(on.bench.run(on.rig->guard(PortSet{1}))) == "done");
    CHECK_THAT(on.power_off(0), ContainsSubstring("a write is in progress"));
    REQUIRE(said(on.bench.run(on.rig->guard(PortSet{}))) == "done");
    CHECK(on.power_off(0) == "done");
}

TEST_CASE("a parked rig moves again after homing") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    REQUIRE(said(on.bench.run(on.rig->park())) == "done");
    CHECK_THAT(on.load(0, 0), ContainsSubstring("the rig is not homed"));
    REQUIRE(on.home() == "done");
    CHECK(on.load(0, 0) == "done");
}

TEST_CASE("an open safety chain latches, and after it is closed a reset leads to the unhomed state") {
    MEDIARIG_NEEDS_BOARD();
    HomedBoard on;
    on.board.say("the e-stop is pressed");
    on.bench.until([&] { return on.status().state == State::latched; });
    on.let(contact_bounces);
    CHECK(on.status().fault == rigproto::Fault::estop);
    CHECK_THAT(on.home(), ContainsSubstring("the rig is stopped after a fault"));
    CHECK_THAT(said(on.bench.run(on.rig->clear())), ContainsSubstring("the safety chain is open"));
    on.board.say("the e-stop is released");
    on.let(contact_bounces);
    CHECK((on.status().flags & rigproto::flag_safety_closed) != 0);
    CHECK(on.status().state == State::latched);
    REQUIRE(said(on.bench.run(on.rig->clear())) == "done");
    CHECK(on.status().state == State::unhomed);
    CHECK(on.home() == "done");
}
