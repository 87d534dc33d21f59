// SPDX-License-Identifier: GPL-3.0-or-later
// The events in RigModel::hazards never happen, whatever is requested and whatever fails.
#include <random>

#include "tests/catch.hpp"
#include "tests/firmware/latches.hpp"
#include "tests/firmware/rig_model.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using firmware::Axis;

namespace {

class Chaos {
public:
    explicit Chaos(std::uint32_t seed) : random_(seed) {
        model.x = below(13'000);
        model.z = below(1'200);
        model.pass(30'000);
        model.ask(rigproto::HomeRequest{});
    }

    void go(int turns) {
        for (int turn = 0; turn < turns; ++turn) {
            const bool was_latched = model.state() == State::latched;
            const auto taken = model.steps.taken();
            const auto cleared = model.told(rigproto::EventKind::cleared);
            model.pass(static_cast<std::uint64_t>(below(40) < 35 ? below(400'000) : below(4'000'000)));
            if (was_latched) {
                // Only CLEAR ends the latched state, and the rig has made no step.
                CHECK((model.state() == State::latched || model.told(rigproto::EventKind::cleared) == cleared + 1));
                CHECK(model.steps.taken() == taken);
            }
            const auto status = model.machine.status();
            CHECK((status.state == State::latched) == (status.fault != Fault::none));
            if (below(10) == 0)
                break_something();
            else
                ask_something();
            if (below(4) == 0) model.broken = Breakage{};
        }
    }

    RigModel model;

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    std::uint8_t byte_below(int n) { return static_cast<std::uint8_t>(below(n)); }

    void ask_something() {
        switch (below(20)) {
            case 0:
            case 1:
                model.ask(rigproto::HomeRequest{});
                break;
            case 2:
            case 3:
            case 4:
            case 5:
                model.ask(rigproto::LoadRequest{.pocket = byte_below(31), .port = byte_below(9)});
                break;
            case 6:
            case 7:
                model.ask(rigproto::UnloadRequest{.port = byte_below(9),
                                                  .to = static_cast<rigproto::UnloadRequest::To>(below(2)),
                                                  .index = byte_below(31)});
                break;
            case 8:
            case 9:
            case 10:
                model.ask(rigproto::PowerRequest{.port = byte_below(9), .on = byte_below(2)});
                break;
            case 11:
                model.ask(rigproto::ClearRequest{});
                break;
            case 12:
                model.ask(rigproto::JogRequest{.axis = Axis::x, .position = below(13'000)});
                break;
            case 13:
                model.ask(rigproto::JogRequest{.axis = Axis::z, .position = below(1'200)});
                break;
            case 14:
                model.ask(rigproto::GuardRequest{.ports = byte_below(256)});
                break;
            case 15:
                model.ask(rigproto::ParkRequest{});
                break;
            case 16:
            case 17:
                model.ask(rigproto::IdentifyRequest{.pocket = byte_below(31)});
                break;
            case 18:
                model.ask(rigproto::NestReadRequest{});
                break;
            case 19:
                model.nest_card = !model.nest_card;
                break;
        }
    }

    void break_something() {
        Breakage& broken = model.broken;
        const auto bit = static_cast<std::uint8_t>(1U << below(8));
        switch (below(22)) {
            case 0:
                broken.safety_open = true;
                break;
            case 1:
                broken.driver_fault = true;
                break;
            case 2:
                broken.bent = true;
                break;
            case 3:
                broken.porous = true;
                break;
            case 4:
                broken.vent_stuck = true;
                break;
            case 5:
                broken.slips_in_reader = true;
                break;
            case 6:
                broken.drops_at_x = below(13'000);
                break;
            case 7:
                broken.drops_at_z = below(1'000);
                break;
            case 8:
                broken.detect_stuck = bit;
                break;
            case 9:
                broken.shorted = bit;
                break;
            case 10:
                broken.dead = bit;
                break;
            case 11:
                broken.slow = bit;
                break;
            case 12:
                broken.cut_off = bit;
                break;
            case 13:
                broken.load_ma[byte_below(8)] = static_cast<std::uint16_t>(below(3'500));
                break;
            case 14:
                broken.x_flag = static_cast<Sensor>(below(3));
                break;
            case 15:
                broken.x_flag_wanders = below(30);
                break;
            case 16:
                broken.z_flag_wanders = below(30);
                break;
            case 17:
                model.readers[byte_below(8)] = false;
                break;
            case 18:
                model.machine.lease_lost(model.now_us);
                break;
            case 19:
                model.machine.lease_lost(model.now_us);
                model.machine.lease_parked(model.now_us);
                break;
            case 20:
                model.machine.stop(model.now_us);
                break;
            case 21:
                model.machine.safety_opened();
                model.steps.halt();
                break;
        }
    }

    std::mt19937 random_;
};

} // namespace

TEST_CASE("forbidden events do not happen for random requests and faults") {
    std::size_t jobs = 0, faults = 0;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        Chaos chaos(seed);
        chaos.go(120);
        for (const std::string& hazard : chaos.model.hazards) FAIL_CHECK("seed " << seed << ": " << hazard);
        jobs += chaos.model.told(rigproto::EventKind::job_done) + chaos.model.told(rigproto::EventKind::job_failed);
        faults += chaos.model.told(rigproto::EventKind::fault);
    }
    INFO(jobs << " jobs, " << faults << " latched faults");
    CHECK(jobs > 2'000); // the fault rate permits successful jobs and causes failures
    CHECK(faults > 150);
}

TEST_CASE("the rig latches only faults that are specified as latching") {
    for (std::uint32_t seed = 500; seed < 560; ++seed) {
        CAPTURE(seed);
        Chaos chaos(seed);
        for (int turn = 0; turn < 60; ++turn) {
            const std::size_t told = chaos.model.history.size();
            chaos.go(1);
            for (std::size_t i = told; i < chaos.model.history.size(); ++i) {
                const Told& event = chaos.model.history[i];
                if (event.kind != rigproto::EventKind::fault) continue;
                const auto fault = static_cast<Fault>(event.bytes[0]);
                // A welded switch latches only while the cup is in the reader. watch_cup checks this.
                CHECK((firmware::latches(fault) || fault == Fault::port_welded));
            }
        }
    }
}
