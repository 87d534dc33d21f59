// SPDX-License-Identifier: GPL-3.0-or-later
// The complete firmware, tested by frames.
#include "firmware/core/firmware.hpp"

#include <deque>
#include <memory>
#include <vector>

#include "common/rigproto/simulated_rig.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::firmware;
using rigproto::Fault;
using rigproto::Frame;
using rigproto::Kind;
using rigproto::Op;
using rigproto::Reject;
using rigproto::State;

namespace {

/// A board whose inputs are constant, and a host at its USB link. Flags open, no cards, no voltage.
class BoardFixture {
public:
    explicit BoardFixture(Retained& memory, rigproto::ResetReason reset = rigproto::ResetReason::power_on)
        : firmware(std::make_unique<Firmware>(memory, BoardInfo{.reset = reset})) {}

    void tick() {
        inputs.now_us += tick_us;
        inputs.sampled = outputs.sample;
        if (serve) hear();
        outputs = firmware->tick(inputs);
        due_us_ = due_us_ > tick_us ? due_us_ - tick_us : 0;
        MotorStep step;
        for (std::uint32_t used = due_us_; stepping && used < tick_us && firmware->steps().next(step);) {
            used += step.interval_us;
            due_us_ = used;
            ++steps;
        }
    }
    void pass(std::uint64_t us) {
        for (const std::uint64_t end = inputs.now_us + us; inputs.now_us < end;) tick();
    }

    void send(const Frame& frame) {
        const auto encoded = rigproto::encode(frame);
        firmware->receive(HostInterface::usb, {encoded.bytes.data(), encoded.size});
    }
    template <class Message>
    Frame ask(Op op, const Message& message) {
        Frame frame{.kind = Kind::request, .session = nonce, .seq = ++seq, .op = static_cast<std::uint8_t>(op)};
        rigproto::append(frame, message);
        send(frame);
        return answer();
    }
    Frame ask(Op op) {
        send({.kind = Kind::request, .session = nonce, .seq = ++seq, .op = static_cast<std::uint8_t>(op)});
        return answer();
    }
    Frame answer() {
        hear();
        if (answers.empty()) return {};
        const Frame frame = answers.front();
        answers.pop_front();
        return frame;
    }
    void greet(std::uint16_t fresh_nonce) {
        const std::uint16_t previous = nonce;
        nonce = fresh_nonce;
        REQUIRE(ask(Op::hello, rigproto::HelloRequest{.previous = previous}).bytes[0] == 0);
        REQUIRE(ask(Op::config, rigproto::simulated_rig()).bytes[0] == 0);
    }
    rigproto::StatusReply status() {
        const Frame frame = ask(Op::status);
        return *rigproto::decode<rigproto::StatusReply>(frame.payload().subspan(1));
    }
    Reject heartbeat() { return static_cast<Reject>(ask(Op::heartbeat, rigproto::HeartbeatRequest{}).bytes[0]); }

    std::unique_ptr<Firmware> firmware;
    Inputs inputs{.safety_closed = true};
    Outputs outputs;
    bool serve{true}, stepping{true};
    std::uint32_t steps{};
    std::uint16_t nonce{};
    std::uint8_t seq{};
    std::deque<Frame> answers, events;

private:
    void hear() {
        std::array<std::uint8_t, 64> bytes{};
        while (const std::size_t count = firmware->transmit(HostInterface::usb, bytes))
            for (std::size_t i = 0; i < count; ++i) {
                if (decoder_.feed(bytes[i]) != rigproto::Decoder::Outcome::frame) continue;
                const Frame& frame = decoder_.frame();
                (frame.kind == Kind::event ? events : answers).push_back(frame);
            }
    }

    rigproto::Decoder decoder_;
    std::uint32_t due_us_{};
};

} // namespace

TEST_CASE("firmware: after HELLO and a configuration the rig homes on request") {
    Retained memory{};
    BoardFixture fixture(memory);
    fixture.pass(30'000);
    fixture.greet(77);
    CHECK(fixture.status().state == State::unhomed);
    CHECK((fixture.status().flags & rigproto::flag_configured) != 0);
    CHECK(fixture.ask(Op::home, rigproto::HomeRequest{.job = 1}).bytes[0] == 0);
    fixture.pass(200'000);
    CHECK(fixture.status().state == State::homing);
    CHECK(fixture.status().running_job == 1);
    CHECK(fixture.outputs.motors_on);
    CHECK(fixture.steps > 0);
}

TEST_CASE("firmware: host silence for one lease ramps motion down, and motion does not resume when the host returns") {
    Retained memory{};
    BoardFixture fixture(memory);
    fixture.pass(30'000);
    fixture.greet(77);
    REQUIRE(fixture.ask(Op::heartbeat, rigproto::HeartbeatRequest{.lease_ms = 1'000}).bytes[0] == 0);
    // The flags stay open, so homing searches for the flag of Z from 0.1 s to 1.2 s.
    fixture.ask(Op::home, rigproto::HomeRequest{.job = 1});
    fixture.pass(999'000);
    const auto before = fixture.steps;
    fixture.pass(500'000);
    CHECK(fixture.steps - before > 40); // v^2 / 2a = 64 steps
    CHECK(fixture.steps - before < 90);
    const auto stopped = fixture.steps;
    CHECK(fixture.heartbeat() == Reject::lease_lost);
    fixture.greet(78);
    fixture.pass(1'000'000);
    CHECK(fixture.steps == stopped);
    CHECK(fixture.status().state == State::unhomed);
    const Frame frame = fixture.ask(Op::job_status, rigproto::JobStatusRequest{.job = 1});
    CHECK(rigproto::decode<rigproto::JobStatusReply>(frame.payload().subspan(1))->fault == Fault::lease);
}

TEST_CASE("firmware: the job is not resumed after a watchdog reset") {
    Retained memory{};
    {
        BoardFixture fixture(memory);
        fixture.pass(30'000);
        fixture.greet(77);
        fixture.ask(Op::home, rigproto::HomeRequest{.job = 41});
        fixture.pass(300'000);
        REQUIRE(fixture.steps > 0);
    }
    BoardFixture fixture(memory, rigproto::ResetReason::watchdog);
    fixture.pass(2'000'000);
    CHECK(fixture.steps == 0);
    CHECK_FALSE(fixture.outputs.motors_on);
    CHECK(fixture.outputs.ports_on == 0);
    fixture.greet(78);
    CHECK(fixture.status().state == State::unhomed);
    CHECK(fixture.status().last_job == 41);
    const Frame frame = fixture.ask(Op::job_status, rigproto::JobStatusRequest{.job = 41});
    const auto job = rigproto::decode<rigproto::JobStatusReply>(frame.payload().subspan(1));
    CHECK(job->state == rigproto::JobState::failed);
    CHECK(job->fault == Fault::watchdog);
    // The repeated request is answered without a second action.
    CHECK(fixture.ask(Op::home, rigproto::HomeRequest{.job = 41}).bytes[0] == 0);
    fixture.pass(1'000'000);
    CHECK(fixture.steps == 0);
    bool reset_told = false;
    for (const Frame& event : fixture.events)
        reset_told = reset_told || event.op == static_cast<std::uint8_t>(rigproto::EventKind::reset);
    CHECK(reset_told);
}

TEST_CASE("firmware: STOP works without a session in a flood of other bytes") {
    Retained memory{};
    BoardFixture fixture(memory);
    fixture.pass(30'000);
    fixture.greet(77);
    fixture.ask(Op::home, rigproto::HomeRequest{.job = 1});
    fixture.pass(300'000);
    std::vector<std::uint8_t> flood(5'000, 0xA5);
    flood.push_back(0);
    const auto stop = rigproto::encode({.kind = Kind::stop, .session = 9'999});
    flood.insert(flood.end(), stop.bytes.begin(), stop.bytes.begin() + stop.size);
    fixture.firmware->receive(HostInterface::uart, flood);
    const auto steps = fixture.steps;
    fixture.pass(1'000'000);
    CHECK(fixture.steps == steps);
    CHECK_FALSE(fixture.outputs.motors_on);
    CHECK(fixture.status().fault == Fault::stopped);
}

TEST_CASE("firmware: the watchdog is fed only while link and steps are served") {
    Retained memory{};
    BoardFixture fixture(memory);
    fixture.pass(30'000);
    CHECK(fixture.outputs.feed_watchdog);
    fixture.serve = false;
    fixture.pass(51'000);
    CHECK_FALSE(fixture.outputs.feed_watchdog);
    fixture.serve = true;
    fixture.pass(1'000);
    CHECK(fixture.outputs.feed_watchdog);
    fixture.greet(77);
    fixture.ask(Op::home, rigproto::HomeRequest{.job = 1});
    fixture.pass(300'000);
    CHECK(fixture.outputs.feed_watchdog);
    fixture.stepping = false;
    fixture.pass(70'000);
    CHECK_FALSE(fixture.outputs.feed_watchdog);
}

TEST_CASE("firmware: the safety interrupt stops the steps at once and latches in the next tick") {
    Retained memory{};
    BoardFixture fixture(memory);
    fixture.pass(30'000);
    fixture.greet(77);
    fixture.ask(Op::home, rigproto::HomeRequest{.job = 1});
    fixture.pass(300'000);
    fixture.firmware->safety_opened();
    MotorStep step;
    CHECK_FALSE(fixture.firmware->steps().next(step));
    fixture.tick();
    CHECK_FALSE(fixture.outputs.enabled);
    CHECK(fixture.status().fault == Fault::estop);
    fixture.pass(21'000);
    CHECK(fixture.ask(Op::clear, rigproto::ClearRequest{.job = 2}).bytes[0] == 0);
    fixture.pass(1'000);
    CHECK(fixture.status().state == State::unhomed);
    CHECK(fixture.outputs.enabled);
}
