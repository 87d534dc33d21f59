// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the bus of a card on the contacts of the nest, and the motion of the card onto the nest.
#include "firmware/plant/sd_card.hpp"

#include <optional>

#include "tests/catch.hpp"
#include "tests/firmware/plant/hands.hpp"

using namespace mediarig;
using namespace mediarig::plant;

namespace {

/// Frames are written out in full, as in the specification and in published logs.
struct Bus {
    SdCard card;
    Nanoseconds now{1};

    explicit Bus(SdDefect trouble = SdDefect::none) {
        card.insert(simulated_registers(0), trouble);
        card.power(true);
    }
    bool clock(bool host) {
        now += microseconds(3);
        card.lines(true, host, now);
        const bool seen = card.command();
        card.lines(false, host, now);
        return seen;
    }
    void idle(unsigned clocks) {
        while (clocks-- > 0) clock(true);
    }
    void send(std::uint64_t frame) {
        for (unsigned bit = 48; bit > 0; --bit) clock((frame >> (bit - 1) & 1U) != 0);
    }
    /// Returns the 48 bits of the response, or nothing if no response begins within 64 clocks.
    std::optional<std::uint64_t> answer() {
        for (unsigned waited = 0; waited < 64; ++waited) {
            if (clock(true)) continue;
            std::uint64_t frame = 0;
            for (unsigned bit = 1; bit < 48; ++bit) frame = frame << 1U | (clock(true) ? 1U : 0U);
            return frame;
        }
        return std::nullopt;
    }
};

constexpr std::uint64_t cmd0 = 0x40'0000'0000'95, cmd8 = 0x48'0000'01AA'87, cmd55 = 0x77'0000'0000'65,
                        acmd41 = 0x69'40FF'8000'17;

} // namespace

TEST_CASE("sd card: the card ignores commands before 74 clocks or with a wrong checksum") {
    Bus early;
    early.idle(60);
    early.send(cmd0);
    CHECK(early.card.commands().empty());

    Bus bus;
    bus.idle(80);
    bus.send(cmd0);
    bus.idle(8);
    bus.send(cmd8 ^ 2U);
    CHECK_FALSE(bus.answer());
    bus.send(cmd8);
    // The published answer to CMD8.
    CHECK(bus.answer() == 0x08'0000'01AA'13);
    CHECK(bus.card.commands() == std::vector<std::uint8_t>{0, 8});
}

TEST_CASE("sd card: a card before version 2.00 ignores CMD8 and answers CMD55") {
    Bus bus(SdDefect::old);
    bus.idle(80);
    bus.send(cmd0);
    bus.idle(8);
    bus.send(cmd8);
    CHECK_FALSE(bus.answer());
    bus.send(cmd55);
    CHECK(bus.answer().has_value());
}

TEST_CASE("sd card: without supply the card is silent and loses its state") {
    Bus bus;
    bus.idle(80);
    bus.send(cmd0);
    bus.card.power(false);
    bus.send(cmd8);
    CHECK_FALSE(bus.answer());
    bus.card.power(true);
    CHECK(bus.card.commands().empty());
}

TEST_CASE("sd card: the card draws current with supply, and more current while it works") {
    Bus bus;
    CHECK(bus.card.microamperes() == SdCard::rest_ua);
    bus.idle(80);
    bus.send(cmd0);
    bus.send(cmd8);
    CHECK(bus.card.microamperes() == SdCard::rest_ua);
    bus.idle(64);
    bus.send(cmd55);
    bus.idle(64);
    bus.send(acmd41);
    CHECK(bus.card.microamperes() == SdCard::active_ua);
    bus.card.power(false);
    CHECK(bus.card.microamperes() == 0);
    bus.card.power(true);
    CHECK(bus.card.microamperes() == SdCard::rest_ua);
    bus.card.remove();
    CHECK(bus.card.microamperes() == 0);
}

TEST_CASE("sd card: the CRC7 of a published CID is its last byte") {
    std::vector<bool> bits;
    for (const unsigned byte :
         {0x27, 0x50, 0x48, 0x53, 0x44, 0x31, 0x36, 0x47, 0x30, 0xDA, 0x89, 0xB8, 0x29, 0x00, 0xFB})
        for (unsigned bit = 8; bit > 0; --bit) bits.push_back((byte >> (bit - 1) & 1U) != 0);
    CHECK((checksum(bits, 7, 0x09) << 1U | 1U) == 0x61);
}

TEST_CASE("nest: a card pressed onto the nest is detected until it is lifted") {
    Hands hands;
    const auto& geometry = hands.plant.config().geometry;
    hands.pick(3);
    hands.go_x(geometry.x_nest);
    CHECK_FALSE(hands.plant.sense().nest_card);
    hands.go_z(geometry.z_nest);
    hands.wait(10);
    CHECK(hands.plant.sense().nest_card);
    hands.go_z(0);
    hands.wait(10);
    CHECK_FALSE(hands.plant.sense().nest_card);
    CHECK(hands.plant.holding());
    CHECK(hands.plant.hazards() == Hazards{});
}

TEST_CASE("nest: moving a card while the nest's supply is on counts as a hazard") {
    Hands hands;
    const auto& geometry = hands.plant.config().geometry;
    hands.pick(3);
    hands.go_x(geometry.x_nest);
    hands.set([](Actuators& a) { a.nest_power = true; });
    hands.go_z(geometry.z_nest);
    CHECK(hands.plant.hazards().card_moved_on_live_nest == 1);
}

TEST_CASE("nest: a card placed by hand is detected until it is taken away") {
    Hands hands;
    REQUIRE(hands.plant.say("card 2 is on the nest", hands.plant.now()));
    hands.wait(10);
    CHECK(hands.plant.sense().nest_card);
    CHECK(hands.plant.cards().on_nest() == 1);
    CHECK(hands.plant.cards().in_pocket(1) == no_card);
    REQUIRE(hands.plant.say("the nest is empty", hands.plant.now()));
    hands.wait(10);
    CHECK_FALSE(hands.plant.sense().nest_card);
    CHECK(hands.plant.cards().on_nest() == no_card);
}

TEST_CASE("nest: a card released on the nest stays there and can be picked again") {
    Hands hands;
    const auto& geometry = hands.plant.config().geometry;
    hands.pick(3);
    hands.go_x(geometry.x_nest);
    hands.go_z(geometry.z_nest);
    hands.vent();
    hands.go_z(0);
    CHECK(hands.plant.cards().on_nest() == 3);
    hands.go_z(geometry.z_nest);
    hands.suck();
    hands.go_z(0);
    CHECK(hands.plant.cards()[3].where == Card::CardPlace::cup);
}
