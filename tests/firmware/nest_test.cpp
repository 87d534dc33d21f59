// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of the card on the identity nest. References for the checksums are frames printed in the specification and
// published registers of real cards.
#include <set>
#include <string_view>

#include "firmware/core/sd_reader.hpp"
#include "tests/catch.hpp"
#include "tests/firmware/rig_model.hpp"

using namespace mediarig;
using namespace mediarig::firmware;
using namespace mediarig::firmware::test;
using plant::SdDefect;
using rigproto::NestEnd;
using rigproto::NestSupply;
using rigproto::RegisterState;

namespace {

template <std::size_t size>
std::array<std::uint8_t, size> bytes_of(std::string_view hex) {
    std::array<std::uint8_t, size> bytes{};
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(2 * i, 2)), nullptr, 16));
    return bytes;
}

/// Registers of a Phison card of 2015. Both checksums are those that its host recorded.
plant::SdRegisters real_card() {
    plant::SdRegisters registers = plant::simulated_registers(0);
    registers.cid = bytes_of<16>("275048534431364730da89b82900fb61");
    registers.csd = bytes_of<16>("400e00325b59000073a77f800a4000eb");
    registers.scr = bytes_of<8>("0235800300000000");
    return registers;
}

/// A rig with a nest only, unhomed.
struct Nest {
    RigModel model;

    explicit Nest(SdDefect trouble = SdDefect::none, const plant::SdRegisters& card = real_card()) {
        model.pass(30'000);
        model.on_nest.insert(card, trouble);
        model.nest_card = true;
    }
    rigproto::NestReply read() {
        CHECK(model.run(rigproto::NestReadRequest{}).state == JobState::done);
        CHECK_FALSE(model.outputs.nest.power);
        CHECK(model.hazards.empty());
        return model.machine.nest();
    }
};

constexpr std::array<std::uint8_t, 5> cmd0{0x40, 0, 0, 0, 0}, cmd17{0x51, 0, 0, 0, 0}, answer17{0x11, 0, 0, 0x09, 0};
static_assert(crc7(cmd0) == 0x4A && crc7(cmd17) == 0x2A && crc7(answer17) == 0x33, "section 4.5 of the specification");
static_assert(command_frame(8, 0x1AA) == 0x48'0000'01AA'87);

} // namespace

TEST_CASE("nest: the checksum over 512 bytes 0xFF is the specified one") {
    std::array<std::uint8_t, 512> block{};
    block.fill(0xFF);
    CHECK(crc16(block) == 0x7FA1);
    CHECK(plant::checksum(std::vector<bool>(4096, true), 16, 0x1021) == 0x7FA1);
}

TEST_CASE("nest: the count of clocks without an answer saturates") {
    Reception<8> reception;
    reception.expect(8, Reception<8>::Start::kept);
    for (int clock = 0; clock < 0x10005; ++clock) reception.take(true);
    CHECK(reception.waited() == 0xFFFF);
    CHECK(reception.state() == Reception<8>::State::waiting);
}

TEST_CASE("nest: all registers of a card are read correctly") {
    Nest nest;
    const auto report = nest.read();
    CHECK(report == rigproto::NestReply{.job = nest.model.last_job,
                                        .end = NestEnd::finished,
                                        .command = 13,
                                        .cid = RegisterState::read,
                                        .csd = RegisterState::read,
                                        .scr = RegisterState::read,
                                        .ssr = RegisterState::read,
                                        .card = 1,
                                        .ocr = 0xC0FF8000,
                                        .supply = NestSupply::measured,
                                        .rest_ua = plant::SdCard::rest_ua,
                                        .most_ua = plant::SdCard::sending_ua});
    const auto& registers = nest.model.machine.nest_registers();
    CHECK(registers.job == nest.model.last_job);
    CHECK(registers.cid == real_card().cid);
    CHECK(registers.csd == real_card().csd);
    CHECK(registers.scr == real_card().scr);
    CHECK(registers.ssr == real_card().ssr);
}

TEST_CASE("nest: the card receives identification commands only") {
    Nest nest;
    nest.read();
    const std::set<std::uint8_t> allowed{0, 2, 3, 7, 8, 9, 55, 64 + 13, 64 + 41, 64 + 51};
    REQUIRE_FALSE(nest.model.on_nest.commands().empty());
    for (const std::uint8_t command : nest.model.on_nest.commands()) CHECK(allowed.contains(command));
}

TEST_CASE("nest: a card before version 2.00 is read without block addressing") {
    auto old = real_card();
    old.csd = bytes_of<16>("007f00325b5a83bd6db7ff800a800000");
    old.csd[15] = static_cast<std::uint8_t>(crc7(std::span(old.csd).first(15)) << 1 | 1);
    Nest nest(SdDefect::old, old);
    const auto report = nest.read();
    CHECK(report.end == NestEnd::finished);
    CHECK(report.ocr == 0x80FF8000);
    CHECK(nest.model.machine.nest_registers().csd == old.csd);
}

TEST_CASE("nest: a failed read is reported with its command") {
    struct Scenario {
        SdDefect trouble;
        NestEnd end;
        std::uint8_t command;
    };
    for (const Scenario& scenario :
         {Scenario{SdDefect::silent, NestEnd::no_answer, 55}, Scenario{SdDefect::damaged_answers, NestEnd::damaged, 8},
          Scenario{SdDefect::never_ready, NestEnd::never_ready, 41},
          Scenario{SdDefect::multimedia_card, NestEnd::not_sd, 1}}) {
        CAPTURE(int{scenario.command});
        Nest nest(scenario.trouble);
        const auto report = nest.read();
        CHECK(report.end == scenario.end);
        CHECK(report.command == scenario.command);
        CHECK(report.cid == RegisterState::not_asked);
        CHECK(nest.model.machine.nest_registers() == rigproto::NestRegistersReply{.job = nest.model.last_job});
    }
}

TEST_CASE("nest: reading stops after a second if the card never becomes ready") {
    Nest nest(SdDefect::never_ready);
    const std::uint64_t begun = nest.model.now_us;
    nest.read();
    CHECK(nest.model.now_us - begun >= nest_ready_us);
    CHECK(nest.model.now_us - begun < nest_ready_us + 200'000);
}

TEST_CASE("nest: a register with a wrong checksum is not reported and does not affect other registers") {
    Nest all(SdDefect::damaged_registers);
    const auto damaged = all.read();
    CHECK(damaged.end == NestEnd::finished);
    CHECK(damaged.cid == RegisterState::damaged);
    CHECK(damaged.csd == RegisterState::damaged);
    CHECK(damaged.scr == RegisterState::damaged);
    CHECK(damaged.ssr == RegisterState::damaged);
    CHECK(all.model.machine.nest_registers() == rigproto::NestRegistersReply{.job = all.model.last_job});

    // A card with a forged CID and a missing checksum.
    auto forged = real_card();
    forged.cid[15] = 0x01;
    Nest one(SdDefect::none, forged);
    const auto report = one.read();
    CHECK(report.cid == RegisterState::damaged);
    CHECK(report.csd == RegisterState::read);
    CHECK(report.ssr == RegisterState::read);
    CHECK(one.model.machine.nest_registers().csd == forged.csd);
}

TEST_CASE("nest: without a card the supply stays off") {
    Nest nest;
    nest.model.nest_card = false;
    const auto report = nest.read();
    CHECK(report.end == NestEnd::no_card);
    CHECK(report.card == 0);
    CHECK(nest.model.bursts.empty());
}

TEST_CASE("nest: a card removed during a reading switches the supply off") {
    Nest nest;
    REQUIRE(nest.model.ask(rigproto::NestReadRequest{}).reject == Reject::none);
    REQUIRE(nest.model.until([&] { return nest.model.bursts.size() > 20; }));
    nest.model.nest_card = false;
    nest.model.on_nest.remove();
    CHECK(nest.model.finish().state == JobState::done);
    CHECK(nest.model.machine.nest().end == NestEnd::no_card);
    CHECK_FALSE(nest.model.outputs.nest.power);
}

TEST_CASE("nest: e-stop, STOP and host silence switch the supply off in the next tick and fail the job") {
    for (const Fault fault : {Fault::estop, Fault::stopped, Fault::lease}) {
        CAPTURE(int(fault));
        Nest nest;
        REQUIRE(nest.model.ask(rigproto::NestReadRequest{}).reject == Reject::none);
        REQUIRE(nest.model.until([&] { return nest.model.bursts.size() > 20; }));
        REQUIRE(nest.model.outputs.nest.power);
        if (fault == Fault::estop) nest.model.broken.safety_open = true;
        if (fault == Fault::stopped) nest.model.machine.stop(nest.model.now_us);
        if (fault == Fault::lease) nest.model.machine.lease_lost(nest.model.now_us);
        nest.model.tick();
        CHECK(nest.model.outputs.nest == NestBurst{});
        CHECK(nest.model.last().fault == fault);
        CHECK(nest.model.machine.nest().end == NestEnd::interrupted);
        CHECK(nest.model.hazards.empty());
    }
}

TEST_CASE("nest: a card can be read with powered ports and on an unhomed rig, but not during another job or a fault") {
    RigModel rig;
    rig.ready();
    REQUIRE(rig.load(0, 0).state == JobState::done);
    REQUIRE(rig.ask(rigproto::JogRequest{.position = 5'000}).reject == Reject::none);
    CHECK(rig.ask(rigproto::NestReadRequest{}) == Rejection{Reject::busy});
    rig.finish();
    REQUIRE(rig.power(0, true).state == JobState::done);
    rig.on_nest.insert(real_card(), SdDefect::none);
    rig.nest_card = true;
    CHECK(rig.run(rigproto::NestReadRequest{}).state == JobState::done);
    CHECK(rig.machine.nest().end == NestEnd::finished);
    CHECK(rig.outputs.ports_on == 1);
    rig.machine.stop(rig.now_us);
    CHECK(rig.ask(rigproto::NestReadRequest{}) == Rejection{Reject::latched});
    CHECK(rig.hazards.empty());
}

TEST_CASE("nest: the next card is not powered before the supply of the last one has fallen") {
    Nest nest;
    nest.read();
    const std::uint64_t off = nest.model.now_us;
    REQUIRE(nest.model.ask(rigproto::NestReadRequest{}).reject == Reject::none);
    REQUIRE(nest.model.until([&] { return nest.model.outputs.nest.power; }));
    CHECK(nest.model.now_us - off >= nest_off_us - 2 * tick_us);
    CHECK(nest.model.finish().state == JobState::done);
    CHECK(nest.model.machine.nest().end == NestEnd::finished);
}

TEST_CASE("nest: a complete reading takes less than 250 ms and 200 bursts of at most 32 clocks") {
    Nest nest;
    const std::uint64_t begun = nest.model.now_us;
    nest.read();
    CHECK(nest.model.now_us - begun < 250'000);
    CHECK(nest.model.bursts.size() < 200);
    for (const NestBurst& burst : nest.model.bursts) CHECK(burst.clocks <= burst_clocks);
}

TEST_CASE("nest: idle and peak supply current are reported minus the offset without supply") {
    Nest nest;
    nest.model.broken.nest_offset_ua = 3'000;
    const auto report = nest.read();
    CHECK(report.supply == NestSupply::measured);
    CHECK(report.rest_ua == plant::SdCard::rest_ua);
    CHECK(report.most_ua == plant::SdCard::sending_ua);

    nest.model.broken.nest_offset_ua = 0;
    nest.model.on_nest.insert(real_card(), SdDefect::silent);
    const auto silent = nest.read();
    CHECK(silent.end == NestEnd::no_answer);
    CHECK(silent.supply == NestSupply::measured);
    CHECK(silent.most_ua == plant::SdCard::rest_ua);
}

TEST_CASE("nest: an offset without supply is not reported as current of the card") {
    Nest nest;
    nest.model.broken.nest_offset_ua = nest_zero_most_ua + 100;
    const auto report = nest.read();
    CHECK(report.end == NestEnd::finished);
    CHECK(report.supply == NestSupply::offset);
    CHECK(report.rest_ua == 0);
    CHECK(report.most_ua == 0);
}

TEST_CASE("nest: without a card no current is reported, and the former values are cleared") {
    Nest nest;
    REQUIRE(nest.read().supply == NestSupply::measured);
    nest.model.nest_card = false;
    const auto report = nest.read();
    CHECK(report.supply == NestSupply::none);
    CHECK(report.rest_ua == 0);
    CHECK(report.most_ua == 0);
}

TEST_CASE("nest: after the end of every reading, also an interrupted one, the converter measures the vacuum again") {
    Nest nest;
    nest.read();
    nest.model.tick();
    CHECK_FALSE(nest.model.outputs.nest_sense);
    RigModel rig;
    rig.ready();
    REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 0}).reject == Reject::none);
    CHECK(rig.until([&] { return rig.outputs.nest_sense; }));
    rig.machine.stop(rig.now_us);
    rig.tick();
    CHECK_FALSE(rig.outputs.nest_sense);
    CHECK(rig.hazards.empty());
}

TEST_CASE("identify: Z stays on the nest until the vacuum is detected again") {
    RigModel rig;
    rig.ready();
    REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 0}).reject == Reject::none);
    REQUIRE(rig.until([&] { return rig.outputs.nest_sense; }));
    rig.broken.vacuum_unseen = true;
    REQUIRE(rig.until([&] { return rig.machine.nest().end == NestEnd::finished; }));
    const auto z = rig.z;
    rig.pass(1'000'000);
    CHECK(rig.z == z);
    CHECK(rig.outputs.pump);
    rig.broken.vacuum_unseen = false;
    CHECK(rig.finish().state == JobState::done);
    CHECK(rig.pockets[0]);
    CHECK(rig.hazards.empty());
}

TEST_CASE("identify: a card lost during a reading is detected before Z moves") {
    RigModel rig;
    rig.ready();
    REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 0}).reject == Reject::none);
    REQUIRE(rig.until([&] { return rig.bursts.size() > 10; }));
    const auto z = rig.z;
    rig.on_cup = false;
    rig.broken.porous = true;
    CHECK(rig.finish().fault == Fault::card_dropped);
    CHECK(rig.z == z);
    // The only hazard is the fall by which the test moved the card. No step is made after it.
    CHECK(rig.hazards == std::set<std::string>{"a card moved on a live nest"});
}

TEST_CASE("identify: the card is pressed on the nest, read and returned to its pocket") {
    RigModel rig;
    rig.ready();
    rig.carried = real_card();
    rig.stages.clear();
    CHECK(rig.run(rigproto::IdentifyRequest{.pocket = 5}).state == JobState::done);
    CHECK(rig.machine.nest().end == NestEnd::finished);
    CHECK(rig.machine.nest().job == rig.last_job);
    CHECK(rig.machine.nest_registers().cid == real_card().cid);
    using enum JobStage;
    CHECK(rig.stages == std::vector{travelling, reaching, picking, lifting, travelling, reaching, checking, lifting,
                                    travelling, reaching, releasing, lifting, checking});
    CHECK(rig.pockets[5]);
    CHECK_FALSE(rig.on_cup);
    CHECK(rig.fallen == 0);
    CHECK(rig.state() == State::ready);
    CHECK(rig.hazards.empty());
}

TEST_CASE("identify: a card without contact is returned and the reading reports no card") {
    RigModel rig;
    rig.ready();
    rig.rig.z_nest += 40; // actual position of the nest
    CHECK(rig.run(rigproto::IdentifyRequest{.pocket = 0}).state == JobState::done);
    CHECK(rig.machine.nest().end == NestEnd::no_card);
    CHECK(rig.pockets[0]);
    CHECK(rig.hazards.empty());
}

TEST_CASE("identify: an empty pocket is reported as a missed pick, and nothing is read") {
    RigModel rig;
    rig.ready();
    rig.pockets[3] = false;
    const auto end = rig.run(rigproto::IdentifyRequest{.pocket = 3});
    CHECK(end.fault == Fault::pick_missed);
    CHECK(rig.machine.nest().end == NestEnd::none);
    CHECK(rig.bursts.empty());
}

TEST_CASE("identify: a card dropped on the way to or from the nest latches a fault") {
    for (const bool back : {false, true}) {
        RigModel rig;
        rig.ready();
        REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 0}).reject == Reject::none);
        if (back) REQUIRE(rig.until([&] { return rig.outputs.nest.power; }));
        rig.broken.drops_at_x = rigproto::simulated_rig().x_nest / 2;
        CHECK(rig.finish().fault == Fault::card_dropped);
        CHECK(rig.state() == State::latched);
        CHECK_FALSE(rig.outputs.nest.power);
        CHECK(rig.hazards.empty());
    }
}

TEST_CASE("identify: vacuum loss on a powered nest latches a fault and switches the supply off") {
    RigModel rig;
    rig.ready();
    REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 0}).reject == Reject::none);
    REQUIRE(rig.until([&] { return rig.bursts.size() > 10; }));
    rig.on_cup = false;
    rig.broken.porous = true;
    CHECK(rig.finish().fault == Fault::card_dropped);
    CHECK(rig.state() == State::latched);
    CHECK(rig.outputs.nest == NestBurst{});
}

TEST_CASE("identify: e-stop at any moment switches the nest's supply off in the next tick") {
    RigModel whole;
    whole.ready();
    const std::uint64_t begun = whole.now_us;
    whole.run(rigproto::IdentifyRequest{.pocket = 2});
    const std::uint64_t length = whole.now_us - begun;
    for (std::uint64_t part = 1; part < 40; ++part) {
        RigModel rig;
        rig.ready();
        REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 2}).reject == Reject::none);
        rig.pass(length * part / 40);
        rig.broken.safety_open = true;
        rig.tick();
        CHECK(rig.outputs.nest == NestBurst{});
        CHECK_FALSE(rig.outputs.motors_on);
        CHECK(rig.state() == State::latched);
        CHECK(rig.hazards.empty());
    }
}

TEST_CASE("identify: after host silence the card is returned unread") {
    for (const bool reading : {false, true}) {
        RigModel rig;
        rig.ready();
        REQUIRE(rig.ask(rigproto::IdentifyRequest{.pocket = 7}).reject == Reject::none);
        REQUIRE(rig.until([&] { return reading ? rig.bursts.size() > 10 : rig.on_cup && rig.x > 5'000; }));
        rig.machine.lease_lost(rig.now_us);
        CHECK(rig.finish().fault == Fault::lease);
        CHECK(rig.machine.nest().end == (reading ? NestEnd::interrupted : NestEnd::none));
        CHECK(rig.pockets[7]);
        CHECK(rig.state() == State::ready);
        CHECK(rig.hazards.empty());
    }
}

TEST_CASE("identify: a wrong state, a wrong place or an interlock refuses the job") {
    RigModel rig;
    CHECK(rig.ask(rigproto::IdentifyRequest{.pocket = 0}) == Rejection{Reject::busy}); // the rig is still starting up
    rig.pass(30'000);
    CHECK(rig.ask(rigproto::IdentifyRequest{.pocket = 0}) == Rejection{Reject::not_homed});
    rig.ready();
    CHECK(rig.ask(rigproto::IdentifyRequest{.pocket = 30}) == Rejection{Reject::out_of_range});
    rig.nest_card = true;
    rig.tick();
    CHECK(rig.ask(rigproto::IdentifyRequest{.pocket = 0}) == Rejection{Reject::interlock, Interlock::card_present});

    auto without = rigproto::simulated_rig();
    without.x_nest = without.z_nest = 0;
    RigModel plain(without);
    plain.ready();
    CHECK(plain.ask(rigproto::IdentifyRequest{.pocket = 0}) == Rejection{Reject::out_of_range});
}
