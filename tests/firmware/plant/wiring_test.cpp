// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/wiring.hpp"

#include <optional>
#include <string>

#include "hw/parts.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::plant;
using rigproto::Axis;

namespace {

/// Drives the pins as a board does, at a pace that the parts can follow.
class Hand {
public:
    Plant plant{simulated_plant(8, 8)};
    Wiring wiring{plant};
    Nanoseconds now{microseconds(1)};

    void set(unsigned pin, bool level, Nanoseconds pause = 200) {
        now += pause;
        wiring.drive(pin, level, now);
    }
    void pulse(unsigned pin, Nanoseconds pause = 200) {
        set(pin, true, pause);
        set(pin, false, pause);
    }
    /// Shifts `out` into the output registers, returns the bits of the input registers.
    std::uint32_t exchange(std::uint32_t out) {
        set(pins::chain_latch, false);
        set(pins::chain_latch, true);
        std::uint32_t in = 0;
        for (unsigned order = 0; order < pins::chain_bits; ++order) {
            set(pins::chain_out, (out >> (pins::chain_bits - 1 - order) & 1U) != 0);
            const unsigned bit = order / 8 * 8 + 7 - order % 8;
            if ((wiring.levels(now) >> pins::chain_in & 1U) != 0) in |= 1U << bit;
            pulse(pins::chain_clk);
        }
        set(pins::chain_latch, false);
        set(pins::chain_latch, true);
        return in;
    }
    void keep_supply(Nanoseconds until) {
        while (now < until) {
            now += microseconds(500);
            wiring.drive(pins::safety_pump, pump_ = !pump_, now);
        }
    }
    void arm() {
        set(pins::out_en_n, false);
        exchange(1U << pins::out::motor_arm);
    }
    void motors_on() {
        arm();
        keep_supply(now + milliseconds(10));
        set(pins::mot_en_n, false);
    }

private:
    bool pump_{};
};

} // namespace

TEST_CASE("wiring: in reset the pull resistors switch everything off") {
    Hand hand;
    hand.set(pins::out_en_n, false);
    hand.exchange(0x3FFFF);
    CHECK(hand.plant.actuators().ports_on == 0xFF);
    hand.wiring.release(hand.now);
    CHECK(hand.plant.actuators() == Actuators{});
    CHECK(Wiring::idle(pins::mot_en_n));
    CHECK(Wiring::idle(pins::out_en_n));
    CHECK_FALSE(Wiring::idle(pins::x_step));
}

TEST_CASE("wiring: the last bit shifted is output 0, and outputs change at the latch only") {
    Hand hand;
    hand.set(pins::out_en_n, false);
    hand.exchange(1U << pins::out::port_en2 | 1U << pins::out::pump | 1U << pins::out::led7);
    CHECK(hand.plant.actuators().ports_on == 0x04);
    CHECK(hand.plant.actuators().pump);
    CHECK_FALSE(hand.plant.actuators().valve);
    CHECK(hand.wiring.leds() == 0x80);

    for (unsigned i = 0; i < pins::chain_bits; ++i) hand.pulse(pins::chain_clk);
    CHECK(hand.plant.actuators().ports_on == 0x04);
}

TEST_CASE("wiring: the output-enable line switches ports, pump and vent off at once for any register value") {
    Hand hand;
    hand.set(pins::out_en_n, false);
    hand.exchange(0xFF | 1U << pins::out::pump | 1U << pins::out::valve);
    hand.set(pins::out_en_n, true);
    CHECK(hand.plant.actuators() == Actuators{});
    CHECK((hand.wiring.latched() & 0xFFU) == 0xFF);
}

TEST_CASE("wiring: the inputs of the chain are active low") {
    Hand hand;
    const std::uint32_t none = hand.exchange(0);
    CHECK((none >> pins::in::card0 & 0xFFU) == 0xFF);
    CHECK((none >> pins::in::fault0 & 0xFFU) == 0xFF);
    CHECK((none >> pins::in::z_home & 1U) == 0); // Z begins retracted
    CHECK((none >> pins::in::driver_fault & 1U) == 1);
    CHECK((none >> pins::in::nest_card) == 0x3F); // empty: pulled up

    REQUIRE(hand.plant.say("the driver reports an error", hand.now));
    CHECK((hand.exchange(0) >> pins::in::driver_fault & 1U) == 0);
}

TEST_CASE("wiring: motors have supply only while the safety pump toggles") {
    Hand hand;
    hand.arm();
    hand.set(pins::mot_en_n, false);
    CHECK_FALSE(hand.plant.actuators().motors_on);
    hand.keep_supply(hand.now + milliseconds(10));
    CHECK(hand.plant.actuators().motors_on);

    const std::int32_t before = hand.plant.position(Axis::x);
    hand.set(pins::x_dir, true);
    hand.pulse(pins::x_step);
    CHECK(hand.plant.position(Axis::x) == before + 1);

    hand.now += PartTiming::supply_hold + microseconds(1);
    hand.pulse(pins::x_step);
    CHECK(hand.plant.position(Axis::x) == before + 1);
    CHECK_FALSE(hand.plant.actuators().motors_on);

    // A single edge does not start the pump yet.
    hand.set(pins::safety_pump, true, microseconds(500));
    CHECK_FALSE(hand.wiring.motor_supply(hand.now));
}

TEST_CASE("wiring: the carriage follows rising edges of STEP, and its home flag is low when covered") {
    Hand hand;
    hand.motors_on();
    CHECK((hand.wiring.levels(hand.now) >> pins::x_home & 1U) == 1);
    std::int32_t steps = 0;
    while (hand.plant.position(Axis::x) > 0 && steps < 4000) {
        hand.keep_supply(hand.now + microseconds(500));
        hand.pulse(pins::x_step);
        ++steps;
    }
    CHECK(steps == hand.plant.config().x.start);
    CHECK((hand.wiring.levels(hand.now) >> pins::x_home & 1U) == 0);
}

TEST_CASE("wiring: the input of the safety chain is high when the chain is closed") {
    Hand hand;
    CHECK((hand.wiring.levels(hand.now) >> pins::safety_ok & 1U) == 1);
    REQUIRE(hand.plant.say("the e-stop is pressed", hand.now));
    CHECK((hand.wiring.levels(hand.now + milliseconds(20)) >> pins::safety_ok & 1U) == 0);
}

TEST_CASE("wiring: a conversion measures the selected port after its settling time") {
    Hand hand;
    hand.set(pins::out_en_n, false);
    hand.exchange(1U << pins::out::port_en3);
    hand.now += milliseconds(200);
    const auto volts = [&] { return hand.wiring.convert(1, hand.now); };
    CHECK(volts() < 10);
    hand.set(pins::sense_sel0, true);
    hand.set(pins::sense_sel1, true);
    CHECK(volts() < 10); // the converter still measures the former port
    hand.now += parts::voltage_tau_ns;
    CHECK(volts() > 1900); // 63 % of the step
    CHECK(volts() < 2030);
    hand.now += parts::settle_ns - parts::voltage_tau_ns;
    // 5 V through 1:2 are 2.5 V of 3.3 V.
    CHECK(volts() > 3000);
    CHECK(volts() < 3200);
    CHECK(hand.wiring.convert(0, hand.now) > 50);
    CHECK(hand.wiring.convert(3, hand.now) == 0);
}

TEST_CASE("wiring: a short circuit reads as the limit current of the switch") {
    Hand hand;
    hand.set(pins::out_en_n, false);
    REQUIRE(hand.plant.say("port 1 is shorted", hand.now));
    hand.exchange(1U << pins::out::port_en0);
    hand.now += milliseconds(1);
    CHECK(hand.wiring.convert(0, hand.now) == 1'700 * 4096 / 3300);
}

TEST_CASE("wiring: edges too fast for the parts are counted") {
    Hand hand;
    hand.motors_on();
    hand.exchange(0x5A5A5A);
    CHECK(hand.wiring.too_fast() == 0);

    SECTION("shift clock") {
        hand.pulse(pins::chain_clk, PartTiming::chain_pulse - 1);
        CHECK(hand.wiring.too_fast_pin() == pins::chain_clk);
    }
    SECTION("step") {
        hand.pulse(pins::x_step);
        hand.pulse(pins::x_step, PartTiming::step_pulse - 1);
        CHECK(hand.wiring.too_fast_pin() == pins::x_step);
    }
    SECTION("direction right before a step") {
        hand.set(pins::z_dir, true);
        hand.set(pins::z_step, true, PartTiming::direction_setup - 1);
        CHECK(hand.wiring.too_fast_pin() == pins::z_dir);
    }
    CHECK(hand.wiring.too_fast() > 0);
}

TEST_CASE("wiring: unmapped pins have no effect") {
    Hand hand;
    const std::uint64_t before = hand.plant.fingerprint();
    hand.pulse(15);
    hand.wiring.drive(40, true, hand.now);
    CHECK(hand.plant.fingerprint() == before);
}

TEST_CASE("wiring: the lines of the nest reach the card once the card has supply") {
    Hand hand;
    REQUIRE(hand.plant.say("card 1 is on the nest", hand.now));
    hand.now += milliseconds(20);
    const auto levels = [&] { return hand.wiring.levels(hand.now); };
    const auto is_high = [&](unsigned pin) { return (levels() >> pin & 1U) != 0; };
    CHECK((hand.exchange(0) >> pins::in::nest_card & 1U) == 0); // low: a card
    CHECK_FALSE(is_high(pins::nest_cmd));                       // the pull-up of this line has no supply
    hand.exchange(1U << pins::out::nest_power);
    hand.set(pins::out_en_n, false);
    CHECK(hand.plant.actuators().nest_power);
    CHECK(is_high(pins::nest_cmd));
    CHECK(is_high(pins::nest_dat0));
    const auto send = [&](bool level) {
        hand.set(pins::nest_cmd, level, microseconds(1));
        hand.set(pins::nest_clk, true, microseconds(2));
        hand.set(pins::nest_clk, false, microseconds(2));
    };
    for (int clock = 0; clock < 80; ++clock) send(true);
    for (unsigned bit = 48; bit > 0; --bit) send((0x48'0000'01AA'87U >> (bit - 1) & 1U) != 0);
    std::string answer;
    for (int clock = 0; clock < 56; ++clock) {
        answer += is_high(pins::nest_cmd) ? '1' : '0';
        send(true);
    }
    CHECK_THAT(answer, ContainsSubstring("000010000000000000000000000000011010101000010011"));
    CHECK(hand.wiring.too_fast() == 0);
    hand.set(pins::nest_clk, true, 1'000);
    CHECK(hand.wiring.too_fast_pin() == pins::nest_clk);
    hand.set(pins::out_en_n, true);
    CHECK_FALSE(hand.plant.actuators().nest_power);
    CHECK_FALSE(is_high(pins::nest_cmd));
}

TEST_CASE("wiring: the third channel measures the vacuum, or the nest's current while selected and enabled") {
    Hand hand;
    hand.set(pins::out_en_n, false);
    REQUIRE(hand.plant.say("the vacuum sensor is stuck high", hand.now));
    REQUIRE(hand.plant.say("card 1 is on the nest", hand.now));
    const auto millivolts = [&] {
        return hand.wiring.convert(pins::vacuum_or_nest - pins::port_current, hand.now) * 3300 / 4096;
    };
    const int vacuum = millivolts();
    CHECK(vacuum > 2'000);
    hand.exchange(1U << pins::out::nest_sense);
    CHECK(millivolts() == 0);
    hand.exchange(1U << pins::out::nest_sense | 1U << pins::out::nest_power);
    CHECK(millivolts() == static_cast<int>(SdCard::rest_ua / parts::nest_ua_per_mv) - 1); // one step of the converter
    hand.set(pins::out_en_n, true);
    CHECK(millivolts() == vacuum);
    hand.set(pins::out_en_n, false);
    hand.exchange(1U << pins::out::nest_power);
    CHECK(millivolts() == vacuum);
}
