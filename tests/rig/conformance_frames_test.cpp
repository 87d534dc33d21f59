// SPDX-License-Identifier: GPL-3.0-or-later
// Reaction of a board to each frame, including frames that our host never sends.
#include "tests/rig/conformance.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using rigproto::Fault;
using rigproto::Op;
using rigproto::Reject;
using rigproto::State;

namespace {

constexpr std::uint32_t no_job = 0;

/// A board with an open port, and our geometry.
struct Bare {
    BoardProcess board{{"--pockets", std::to_string(few_pockets), "--ports", std::to_string(few_ports)}};
    Wire wire{board.path()};
    rigproto::Config config = rigproto::simulated_rig(few_pockets, few_ports);

    rigproto::StatusReply status() { return wire.reply<rigproto::StatusReply>(wire.request(Op::status)).value(); }
    Reject home(std::uint32_t job) {
        return wire.verdict(wire.request_of(Op::home, rigproto::HomeRequest{job})).reject;
    }
    /// Configured and past its start-up.
    void wake() {
        wire.introduce(config);
        while (status().state == State::boot) {
        }
    }
    /// Homed by job 1.
    void make_ready() {
        wake();
        if (home(1) != Reject::none || wire.finish(1) != Fault::none) throw std::runtime_error("the rig does not home");
    }
    /// The operator declares the readers empty, since the board does not know it after a start.
    void vouch(std::uint32_t job) {
        const auto all = static_cast<std::uint8_t>((1U << few_ports) - 1U);
        const auto said = wire.verdict(wire.request_of(Op::empty, rigproto::EmptyRequest{job, all})).reject;
        if (said != Reject::none || wire.finish(job) != Fault::none) throw std::runtime_error("the rig is not empty");
    }
    Reject load(std::uint32_t job, std::uint8_t pocket, std::uint8_t port) {
        return wire.verdict(wire.request_of(Op::load, rigproto::LoadRequest{job, pocket, port})).reject;
    }
    std::string power(std::uint32_t job, std::uint8_t port, std::uint8_t on) {
        const auto rejection = wire.verdict(wire.request_of(Op::power, rigproto::PowerRequest{job, port, on}));
        return std::string(rejection.reject == Reject::interlock ? name_of(rejection.interlock)
                                                                 : name_of(rejection.reject));
    }
};

} // namespace

TEST_CASE("a board reports its versions, profile, identity and reset cause") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    const auto hello = on.wire.hello();
    REQUIRE(hello);
    CHECK(hello->major == rigproto::protocol_major);
    CHECK(hello->minor >= rigproto::protocol_minor);
    CHECK(std::string(hello->profile.data()) == "swap30");
    CHECK(hello->config_crc == 0);
    CHECK(hello->cold_start == 1);
    CHECK(hello->reset == rigproto::ResetReason::power_on);
    CHECK(hello->oldest_event == 1);
    CHECK(hello->status.last_job == 0);
}

TEST_CASE("a board without a session answers no_session") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    CHECK(on.wire.verdict(on.wire.request(Op::status)).reject == Reject::no_session);
    CHECK(on.home(1) == Reject::no_session);
}

TEST_CASE("a board permits only queries and STOP to a host of another major version") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    // The answer opens a session, whatever its other contents are.
    const auto foreign = on.wire.request_of(Op::hello, rigproto::HelloRequest{9, 0});
    REQUIRE(on.wire.ask(foreign));
    CHECK(on.wire.verdict(on.wire.request(Op::status)).reject == Reject::none);
    CHECK(on.wire.verdict(on.wire.request(Op::clock)).reject == Reject::none);
    CHECK(on.wire.verdict(on.wire.request_of(Op::config, on.config)).reject == Reject::read_only);
    CHECK(on.home(1) == Reject::read_only);
    on.wire.send({.kind = rigproto::Kind::stop, .session = 5, .seq = 1});
    CHECK(on.wire.next([](const rigproto::Frame& frame) { return frame.op == 0 && frame.session == 5; }));
}

TEST_CASE("frames of an earlier session and numbers out of order are reported as stale and counted") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    REQUIRE(on.wire.hello());
    const auto old = on.wire.request(Op::status);
    REQUIRE(on.wire.hello());
    CHECK(on.wire.verdict(old).reject == Reject::stale);
    auto jumped = on.wire.request(Op::status);
    jumped.seq = static_cast<std::uint8_t>(jumped.seq + 5);
    CHECK(on.wire.verdict(jumped).reject == Reject::stale);
    --on.wire.seq;
    const auto counters = on.wire.reply<rigproto::CountersReply>(on.wire.request(Op::counters));
    REQUIRE(counters);
    CHECK(counters->stale == 2);
}

TEST_CASE("a session belongs to one host until bye or the end of its lease, and observers change nothing") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    const std::uint16_t ours = on.wire.session;
    const std::uint8_t turn = on.wire.seq;
    const auto as = [&](std::uint16_t session, const rigproto::HelloRequest& hello) {
        on.wire.session = session;
        return on.wire.verdict(on.wire.request_of(Op::hello, hello)).reject;
    };
    const auto other = [&](unsigned n) { return static_cast<std::uint16_t>(ours + 5000 + n); };
    CHECK(as(other(1), {}) == Reject::session_held);
    CHECK(as(other(2), {.previous = other(1)}) == Reject::session_held);
    CHECK(as(other(3), {.look = 1}) == Reject::none);
    CHECK(on.status().state == State::ready);
    CHECK(on.wire.verdict(on.wire.request_of(Op::port_status, rigproto::PortRequest{0})).reject == Reject::none);
    CHECK(on.home(2) == Reject::read_only);
    CHECK(on.wire.verdict(on.wire.request(Op::bye)).reject == Reject::read_only);
    CHECK(as(other(4), {.major = 9}) == Reject::none);
    CHECK(on.wire.verdict(on.wire.request_of(Op::port_status, rigproto::PortRequest{0})).reject == Reject::read_only);
    // The host that owns the session continues unaffected.
    on.wire.session = ours;
    on.wire.seq = turn;
    CHECK(on.home(2) == Reject::none);
    CHECK(on.wire.finish(2) == Fault::none);
    CHECK(as(other(5), {.previous = ours}) == Reject::none);
    CHECK(on.wire.verdict(on.wire.request(Op::bye)).reject == Reject::none);
    CHECK(on.wire.verdict(on.wire.request(Op::status)).reject == Reject::no_session);
    CHECK(as(other(6), {}) == Reject::none);
}

TEST_CASE("a repeated request gets the same answer and acts once") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    on.vouch(2);
    const auto request = on.wire.request_of(Op::load, rigproto::LoadRequest{3, 1, 0});
    const auto first = on.wire.ask(request);
    const auto second = on.wire.ask(request);
    REQUIRE(first);
    CHECK(first == second);
    REQUIRE(on.wire.finish(3) == Fault::none);
    // The job is also repeated as a new request after a reconnect, long after its end.
    on.wire.introduce(on.config);
    CHECK(on.load(3, 1, 0) == Reject::none);
    CHECK(on.status().state == State::ready);
    CHECK(on.wire.reply<rigproto::PortStatusReply>(on.wire.request_of(Op::port_status, rigproto::PortRequest{0}))
              ->cycles == 1);
}

TEST_CASE("a job number always refers to the same job") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    CHECK(on.load(1, 0, 0) == Reject::job_reused);
    CHECK(on.load(no_job, 0, 0) != Reject::none);
    // More jobs than a board remembers.
    for (std::uint32_t job = 11; job < 11 + rigproto::kept_jobs; ++job) {
        CHECK(on.wire.verdict(on.wire.request_of(Op::guard, rigproto::GuardRequest{job, 0})).reject == Reject::none);
        CHECK(on.wire.finish(job) == Fault::none);
    }
    CHECK(on.home(1) == Reject::job_too_old);
    const auto forgotten =
        on.wire.reply<rigproto::JobStatusReply>(on.wire.request_of(Op::job_status, rigproto::JobStatusRequest{1}));
    REQUIRE(forgotten);
    CHECK(forgotten->state == rigproto::JobState::unknown);
    const auto kept =
        on.wire.reply<rigproto::JobStatusReply>(on.wire.request_of(Op::job_status, rigproto::JobStatusRequest{18}));
    REQUIRE(kept);
    CHECK(kept->state == rigproto::JobState::done);
}

TEST_CASE("a configuration without pockets is refused by a board whose jumper states a carriage") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    REQUIRE(on.wire.hello());
    rigproto::Config config = on.config;
    config.pockets = 0;
    const auto verdict = on.wire.verdict(on.wire.request_of(Op::config, config));
    CHECK(verdict.interlock == rigproto::Interlock::carriage_jumper);
    CHECK((on.status().flags & rigproto::flag_configured) == 0);
}

TEST_CASE("a configuration out of bounds is refused, and the former configuration stays in use") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    REQUIRE(on.wire.hello());
    const auto verdict = [&](auto change) {
        rigproto::Config config = on.config;
        change(config);
        return on.wire.verdict(on.wire.request_of(Op::config, config)).reject;
    };
    CHECK(verdict([](auto& c) { c.pockets = rigproto::max_pockets + 1; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.ports = 0; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.ports = rigproto::port_count + 1; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.x_travel = 0; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.x_first_port = c.x_travel + 1; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.z_port = c.z_travel + 1; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.x_bin[2] = -1; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.x_speed = 0; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.z_acceleration = -1; }) == Reject::out_of_range);
    CHECK(verdict([](auto& c) { c.home_speed = 0; }) == Reject::out_of_range);
    CHECK((on.status().flags & rigproto::flag_configured) == 0);
    // The board answers with the checksum of the applied configuration.
    const auto request = on.wire.request_of(Op::config, on.config);
    const auto taken = on.wire.reply<rigproto::ConfigReply>(request);
    REQUIRE(taken);
    CHECK(taken->crc == mediarig::crc32(request.payload()));
    CHECK(verdict([](auto& c) { c.x_speed = 0; }) == Reject::out_of_range);
    CHECK(on.wire.hello()->config_crc == taken->crc);
    // A truncated configuration is invalid.
    auto cut = on.wire.request_of(Op::config, on.config);
    cut.size = static_cast<std::uint8_t>(cut.size - 3);
    CHECK(on.wire.verdict(cut).reject == Reject::bad_payload);
}

TEST_CASE("read requests are answered at any time, and invalid arguments have their own error") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    REQUIRE(on.wire.hello());
    const auto clock = [&] { return on.wire.reply<rigproto::ClockReply>(on.wire.request(Op::clock)).value().time_us; };
    const auto begun = clock();
    std::uint64_t now = begun;
    for (int i = 0; i < 10'000 && now == begun; ++i) now = clock();
    CHECK(now > begun);
    for (std::uint8_t port = 0; port < rigproto::port_count; ++port) {
        const auto status =
            on.wire.reply<rigproto::PortStatusReply>(on.wire.request_of(Op::port_status, rigproto::PortRequest{port}));
        REQUIRE(status);
        CHECK(status->port == port);
    }
    CHECK(on.wire.verdict(on.wire.request_of(Op::port_status, rigproto::PortRequest{rigproto::port_count})).reject ==
          Reject::out_of_range);
    CHECK(on.wire.verdict(on.wire.request(Op::port_status)).reject == Reject::bad_payload);
    CHECK(on.wire.verdict(on.wire.request(Op::job_status, {1, 2})).reject == Reject::bad_payload);
    CHECK(on.wire.verdict(on.wire.request(Op::heartbeat)).reject == Reject::bad_payload);
    CHECK(on.wire.verdict(on.wire.request_of(Op::heartbeat, rigproto::HeartbeatRequest{999})).reject ==
          Reject::out_of_range);
    CHECK(on.wire.verdict(on.wire.request_of(Op::heartbeat, rigproto::HeartbeatRequest{5001})).reject ==
          Reject::out_of_range);
    CHECK(on.wire.verdict(on.wire.request_of(Op::heartbeat, rigproto::HeartbeatRequest{5000})).reject == Reject::none);
    CHECK(on.wire.verdict(on.wire.request(static_cast<Op>(0x7F))).reject == Reject::unknown_op);
}

TEST_CASE("no job acts before the configuration, and nothing moves before homing") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    REQUIRE(on.wire.hello());
    CHECK(on.home(1) == Reject::unconfigured);
    on.wake();
    CHECK(on.load(1, 0, 0) == Reject::not_homed);
    CHECK(on.wire.verdict(on.wire.request_of(Op::unload, rigproto::UnloadRequest{1, 0})).reject != Reject::none);
    CHECK(on.wire.verdict(on.wire.request_of(Op::jog, rigproto::JogRequest{1, rigproto::Axis::x, 100})).reject ==
          Reject::not_homed);
    const auto status = on.status();
    CHECK(status.last_job == 0);
    CHECK(status.powered == 0);
}

TEST_CASE("arguments outside the schema never begin a job") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    const auto cut = [&](Op op, const auto& message) {
        auto frame = on.wire.request_of(op, message);
        --frame.size;
        return on.wire.verdict(frame).reject;
    };
    CHECK(cut(Op::home, rigproto::HomeRequest{2}) == Reject::bad_payload);
    CHECK(cut(Op::load, rigproto::LoadRequest{2, 0, 0}) == Reject::bad_payload);
    CHECK(cut(Op::unload, rigproto::UnloadRequest{2, 0}) == Reject::bad_payload);
    CHECK(cut(Op::power, rigproto::PowerRequest{2, 0, 1}) == Reject::bad_payload);
    CHECK(cut(Op::clear, rigproto::ClearRequest{2}) == Reject::bad_payload);
    CHECK(cut(Op::jog, rigproto::JogRequest{2}) == Reject::bad_payload);
    CHECK(cut(Op::park, rigproto::ParkRequest{2}) == Reject::bad_payload);
    CHECK(cut(Op::guard, rigproto::GuardRequest{2, 0}) == Reject::bad_payload);
    CHECK(cut(Op::bootloader, rigproto::BootloaderRequest{2, 0}) == Reject::bad_payload);
    CHECK(on.wire.verdict(on.wire.request_of(Op::bootloader, rigproto::BootloaderRequest{2, 1})).reject ==
          Reject::bad_payload);
    CHECK(on.power(2, 0, 2) == "bad_payload");
    const auto to = static_cast<rigproto::UnloadRequest::To>(7);
    CHECK(on.wire.verdict(on.wire.request_of(Op::unload, rigproto::UnloadRequest{2, 0, to, 0})).reject ==
          Reject::bad_payload);
    CHECK(on.load(2, few_pockets, 0) == Reject::out_of_range);
    CHECK(on.load(2, 0, few_ports) == Reject::out_of_range);
    CHECK(on.power(2, rigproto::port_count, 1) == "out_of_range");
    const auto jog = [&](rigproto::Axis axis, std::int32_t position) {
        return on.wire.verdict(on.wire.request_of(Op::jog, rigproto::JogRequest{2, axis, position})).reject;
    };
    CHECK(jog(rigproto::Axis::x, -1) == Reject::out_of_range);
    CHECK(jog(rigproto::Axis::x, on.config.x_travel + 1) == Reject::out_of_range);
    CHECK(jog(rigproto::Axis::z, on.config.z_travel + 1) == Reject::out_of_range);
    CHECK(on.status().last_job == 1);
    // A refused number stays unused.
    CHECK(jog(rigproto::Axis::x, 500) == Reject::none);
    CHECK(on.wire.finish(2) == Fault::none);
    CHECK(on.status().x == 500);
}

TEST_CASE("only one job runs at a time") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    on.vouch(2);
    REQUIRE(on.load(3, 0, 0) == Reject::none);
    CHECK(on.load(4, 1, 1) == Reject::busy);
    CHECK(on.home(4) == Reject::busy);
    CHECK(on.wire.finish(3) == Fault::none);
}

TEST_CASE("a refusal by an interlock contains the name of the interlock") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    on.vouch(2);
    CHECK(on.power(3, 0, 1) == "no_card");
    REQUIRE(on.load(3, 0, 0) == Reject::none);
    REQUIRE(on.wire.finish(3) == Fault::none);
    const auto full = on.wire.verdict(on.wire.request_of(Op::load, rigproto::LoadRequest{4, 1, 0}));
    CHECK(full.interlock == rigproto::Interlock::card_present);
    CHECK(on.power(4, 0, 1) == "none");
    REQUIRE(on.wire.finish(4) == Fault::none);
    const auto powered = on.wire.verdict(on.wire.request_of(Op::unload, rigproto::UnloadRequest{5, 0}));
    CHECK(powered.interlock == rigproto::Interlock::port_powered);
    REQUIRE(on.wire.verdict(on.wire.request_of(Op::guard, rigproto::GuardRequest{5, 1})).reject == Reject::none);
    REQUIRE(on.wire.finish(5) == Fault::none);
    CHECK(on.power(6, 0, 0) == "port_guarded");
    on.board.say("the door is opened");
    for (int i = 0; i < 200 && on.status().state != State::latched; ++i) {
    }
    CHECK(on.home(6) == Reject::latched);
}

TEST_CASE("events are repeated in order until acknowledged, also to another session") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.wake();
    const auto is_event = [](const rigproto::Frame& frame) { return frame.kind == rigproto::Kind::event; };
    const auto next_id = [&]() -> std::uint32_t {
        const auto event = on.wire.next(is_event);
        return event ? rigproto::decode<rigproto::EventHead>(event->payload())->id : 0;
    };
    CHECK(next_id() == 1);
    CHECK(next_id() == 1); // half a second later
    REQUIRE(on.wire.hello());
    CHECK(next_id() == 1);
    on.wire.acknowledge(1);
    const auto hello = on.wire.hello();
    REQUIRE(hello);
    CHECK(hello->cold_start == 0);
    CHECK(hello->status.unacked == 0);
    CHECK(hello->oldest_event == 2);
}

TEST_CASE("a board with too many unacknowledged events takes no new jobs") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.wake();
    std::uint32_t job = 0;
    Reject verdict = Reject::none;
    // Each job adds the events "accepted" and "done".
    while (verdict == Reject::none && ++job < 20) {
        verdict = on.wire.verdict(on.wire.request_of(Op::guard, rigproto::GuardRequest{job, 0})).reject;
        for (int i = 0; verdict == Reject::none && i < 200; ++i) {
            const auto status = on.wire.reply<rigproto::JobStatusReply>(
                on.wire.request_of(Op::job_status, rigproto::JobStatusRequest{job}));
            if (status && status->state == rigproto::JobState::done) break;
        }
    }
    CHECK(verdict == Reject::events_full);
    CHECK(on.status().unacked >= rigproto::busy_events);
    on.wire.acknowledge(on.wire.hello()->oldest_event + on.status().unacked - 1);
    CHECK(on.status().unacked == 0);
    CHECK(on.wire.verdict(on.wire.request_of(Op::guard, rigproto::GuardRequest{job, 0})).reject == Reject::none);
}

TEST_CASE("a host that was silent for a lease must send HELLO before any job starts") {
    MEDIARIG_NEEDS_BOARD();
    Bare on;
    on.make_ready();
    on.vouch(2);
    REQUIRE(on.wire.verdict(on.wire.request_of(Op::heartbeat, rigproto::HeartbeatRequest{1000})).reject ==
            Reject::none);
    const auto until = on.status().time_us + 1'100'000;
    while (on.status().time_us < until) {
    } // a query does not count as a heartbeat
    CHECK(on.load(3, 0, 0) == Reject::lease_lost);
    CHECK(on.wire.verdict(on.wire.request_of(Op::heartbeat, rigproto::HeartbeatRequest{1000})).reject ==
          Reject::lease_lost);
    CHECK(on.wire.verdict(on.wire.request_of(Op::config, on.config)).reject == Reject::lease_lost);
    REQUIRE(on.wire.hello());
    CHECK(on.load(3, 0, 0) == Reject::lease_lost);
    CHECK(on.wire.verdict(on.wire.request_of(Op::config, on.config)).reject == Reject::none);
    CHECK(on.load(3, 0, 0) == Reject::none);
    CHECK(on.wire.finish(3) == Fault::none);
}
