// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/port.hpp"

#include "common/rigproto/simulated_rig.hpp"
#include "firmware/core/ports.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::firmware;
using rigproto::Fault;
using rigproto::PortState;

namespace {

/// Limits of a port: 900 mA, 2500 mA during 50 ms of inrush, trip at 3000 mA, 20 mA when off.
constexpr rigproto::Config fused_rig = [] {
    rigproto::Config config = rigproto::simulated_rig();
    config.inrush_limit_ma = 2500;
    config.trip_ma = 3000;
    return config;
}();

struct PortBench {
    Port port;
    std::uint64_t now_us{10'000};
    bool card{true}, limit_switch_off{};

    constexpr PortBench() { port.start(now_us); }
    /// Runs the port for this number of microseconds at this voltage and current, with one sample per tick.
    constexpr PortBench& pass(std::uint64_t us, std::uint16_t millivolts, std::uint16_t milliamperes) {
        const PortSample sample{millivolts, milliamperes};
        for (const std::uint64_t end = now_us + us; now_us < end;) {
            now_us += tick_us;
            port.tick(now_us, fused_rig, card, limit_switch_off, &sample);
        }
        return *this;
    }
    constexpr PortBench& blind(std::uint64_t us) {
        for (const std::uint64_t end = now_us + us; now_us < end;) {
            now_us += tick_us;
            port.tick(now_us, fused_rig, card, limit_switch_off, nullptr);
        }
        return *this;
    }
    constexpr PortBench& on() { return port.switch_on(now_us), *this; }
    constexpr PortBench& off() { return port.switch_off(now_us), *this; }
    constexpr PortBench& ready() { return pass(10'000, 0, 0); }
    constexpr PortBench& running() { return ready().on().pass(60'000, 5'000, 100); }
    [[nodiscard]] constexpr PortState state() const { return port.state(); }
    [[nodiscard]] constexpr bool tripped_by(Fault fault) const {
        return port.state() == PortState::tripped && port.fault() == fault && !port.output();
    }
};

} // namespace

static_assert(PortBench().state() == PortState::discharging && !PortBench().port.without_voltage(),
              "at first nothing is known");
static_assert(PortBench().pass(4'500, 0, 0).state() == PortState::discharging);
static_assert(PortBench().pass(6'000, 499, 0).state() == PortState::off);
static_assert(PortBench().pass(50'000, 500, 0).state() == PortState::discharging);
static_assert(PortBench().ready().port.without_voltage());
static_assert(!PortBench().on().port.output(), "not before it is known to be without voltage");
static_assert(PortBench().ready().on().state() == PortState::inrush);
static_assert(PortBench().ready().on().pass(49'000, 5'000, 100).state() == PortState::inrush);
static_assert(PortBench().running().state() == PortState::on);
static_assert(PortBench().running().off().state() == PortState::discharging);
static_assert(!PortBench().running().off().port.without_voltage());
static_assert(PortBench().running().off().pass(6'000, 100, 0).state() == PortState::off);

// // A short circuit trips the port.
static_assert(PortBench().ready().on().pass(2'000, 200, 6'000).port.output(), "blank: the limit switch carries");
static_assert(PortBench().ready().on().pass(3'500, 200, 6'000).tripped_by(Fault::port_short));
static_assert(PortBench().running().pass(1'000, 200, 3'000).port.output(), "two samples are no short yet");
static_assert(PortBench().running().pass(1'500, 200, 3'000).tripped_by(Fault::port_short));
static_assert(
    PortBench().running().pass(1'000, 5'000, 3'000).pass(500, 5'000, 100).pass(1'000, 5'000, 3'000).port.output());

// // A lasting overcurrent trips the port. A higher current trips it sooner.
static_assert(PortBench().ready().on().pass(40'000, 5'000, 2'400).port.output(), "within the window this is inrush");
static_assert(PortBench().ready().on().pass(25'000, 5'000, 2'900).tripped_by(Fault::port_overload));
static_assert(PortBench().running().pass(10'000'000, 5'000, 900).state() == PortState::on);
static_assert(PortBench().running().pass(20'000, 5'000, 1'800).state() == PortState::on);
static_assert(PortBench().running().pass(40'000, 5'000, 1'800).tripped_by(Fault::port_overload));
static_assert(PortBench().running().pass(70'000, 5'000, 1'273).state() == PortState::on);
static_assert(PortBench().running().pass(110'000, 5'000, 1'273).tripped_by(Fault::port_overload));

// // Missing or lost voltage trips the port.
static_assert(PortBench().ready().on().pass(51'000, 4'400, 0).tripped_by(Fault::port_no_voltage));
static_assert(PortBench().running().pass(15'000, 1'999, 100).state() == PortState::on);
static_assert(PortBench().running().pass(25'000, 1'999, 100).tripped_by(Fault::port_no_voltage));
// If a port has shown no voltage while it was on, a measured zero does not prove that it is off, until it has shown
// voltage again.
static_assert(PortBench().running().pass(25'000, 0, 100).pass(250'000, 0, 0).port.without_voltage());
static_assert(!PortBench().running().pass(25'000, 0, 100).pass(250'000, 0, 0).port.safe_for_cards());
static_assert(PortBench()
                  .running()
                  .pass(25'000, 0, 100)
                  .pass(250'000, 0, 0)
                  .on()
                  .pass(60'000, 5'000, 100)
                  .off()
                  .pass(250'000, 0, 0)
                  .port.safe_for_cards());
static_assert(PortBench().running().blind(45'000).state() == PortState::on);
static_assert(PortBench().running().blind(55'000).tripped_by(Fault::port_no_voltage), "no fast trip without samples");

// // Voltage that stays after power-off is a fault.
static_assert(PortBench().running().off().pass(1'990'000, 600, 0).state() == PortState::discharging);
static_assert(PortBench().running().off().pass(2'010'000, 600, 0).tripped_by(Fault::port_not_discharged));
static_assert(!PortBench().running().off().pass(2'010'000, 600, 0).port.without_voltage());
static_assert(PortBench().running().off().pass(2'010'000, 600, 0).pass(10'000, 0, 0).port.without_voltage());
static_assert(PortBench().running().off().pass(195'000, 5'000, 100).state() == PortState::discharging);
static_assert(PortBench().running().off().pass(205'000, 5'000, 100).tripped_by(Fault::port_welded));
static_assert(PortBench().running().off().pass(205'000, 0, 25).tripped_by(Fault::port_welded),
              "current without voltage");
static_assert(PortBench().running().off().pass(205'000, 0, 20).state() == PortState::off);
static_assert(!PortBench().running().off().pass(205'000, 5'000, 100).port.without_voltage());

TEST_CASE("port: a port whose voltage returns while it is off is reported as welded") {
    PortBench bench;
    bench.running().off().pass(300'000, 0, 0);
    REQUIRE(bench.port.settled());
    bench.pass(1'000, 5'000, 0);
    CHECK(bench.port.without_voltage());
    CHECK_FALSE(bench.port.settled()); // from the first such sample on, the port is sampled every tick
    bench.pass(500, 5'000, 0);
    CHECK(bench.tripped_by(Fault::port_welded));
    CHECK_FALSE(bench.port.without_voltage());
    bench.pass(10'000, 0, 0);
    CHECK(bench.port.without_voltage());
    CHECK(bench.port.fault() == Fault::port_welded); // readable until the next power-on
}

TEST_CASE("port: a removed card switches the voltage off") {
    PortBench bench;
    bench.running();
    bench.card = false;
    bench.pass(500, 5'000, 100);
    CHECK(bench.tripped_by(Fault::card_pulled));
}

TEST_CASE("port: a cut-off by the limit switch counts after the blanking if it lasts two ticks") {
    PortBench bench;
    bench.ready().on();
    bench.limit_switch_off = true;
    bench.pass(2'000, 0, 0);
    CHECK(bench.port.output());
    bench.limit_switch_off = false;
    bench.pass(60'000, 5'000, 100);
    bench.limit_switch_off = true;
    bench.pass(500, 5'000, 100);
    CHECK(bench.state() == PortState::on);
    bench.pass(500, 5'000, 100);
    CHECK(bench.tripped_by(Fault::port_short));
}

TEST_CASE("port: another power-on clears a trip once the voltage is gone") {
    PortBench bench;
    bench.running().pass(2'000, 200, 4'000);
    REQUIRE(bench.tripped_by(Fault::port_short));
    bench.on();
    CHECK_FALSE(bench.port.output());
    bench.pass(10'000, 0, 0);
    CHECK(bench.state() == PortState::tripped);
    bench.on();
    CHECK(bench.state() == PortState::inrush);
    CHECK(bench.port.fault() == Fault::none);
}

TEST_CASE("port: a short that leaves voltage is reported as not discharged after two seconds") {
    PortBench bench;
    bench.running().pass(2'000, 200, 4'000).pass(2'010'000, 900, 0);
    CHECK(bench.tripped_by(Fault::port_not_discharged));
}

TEST_CASE("port: a port measures its ramp, extremes, energy and time without voltage") {
    PortBench bench;
    bench.ready().on().pass(3'000, 2'000, 700).pass(57'000, 5'000, 200);
    auto report = bench.port.report();
    CHECK(report.ramp_us == 3'500);
    CHECK(report.max_milliamperes == 700);
    CHECK(report.min_millivolts == 5'000);
    // 2 V 0.7 A 3 ms + 5 V 0.2 A 57 ms
    CHECK(report.energy_uj == 4'200 + 57'000);
    bench.pass(1'000, 4'600, 300).pass(1'000'000, 5'000, 200);
    report = bench.port.report();
    CHECK(report.min_millivolts == 4'600);
    CHECK(report.millivolts == 5'000);
    CHECK(report.milliamperes == 200);

    bench.off().pass(20'000, 800, 2).pass(10'000, 3, 1);
    report = bench.port.report();
    CHECK(report.state == PortState::off);
    CHECK(report.off_time_us == 25'500);
    CHECK(report.min_millivolts == 3);
    CHECK(report.max_milliamperes == 2);
    CHECK(report.ramp_us == 3'500);
}

TEST_CASE("port: a sample above 0.5 V restarts the 5 ms below 0.5 V that a port needs to count as off") {
    PortBench bench;
    bench.running().off();
    for (int i = 0; i < 20; ++i) bench.pass(4'500, 100, 0).pass(500, 500, 0);
    CHECK(bench.state() == PortState::discharging);
    bench.pass(6'000, 100, 0);
    CHECK(bench.state() == PortState::off);
}

TEST_CASE("port: a rig without a configuration does not report noise of the current measurement as a welded switch") {
    Port port;
    port.start(0);
    const PortSample noise{10, 3};
    for (std::uint64_t now_us = tick_us; now_us < 1'000'000; now_us += tick_us)
        port.tick(now_us, rigproto::Config{}, false, false, &noise);
    CHECK(port.state() == PortState::off);
    CHECK(port.settled());
}

TEST_CASE("ports: after a start each of the eight is discharging until measured without voltage") {
    Retained memory{};
    (void)open_retained(memory);
    Events events(memory);
    Ports ports(events);
    CHECK(ports.ports_not_off() == 0);
    ports.start(0);
    CHECK(ports.ports_not_off() == 0xFF);
    CHECK(ports.wanted() == 0xFF);
    CHECK_FALSE(ports.all_discharged());
}
