// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/world.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using rigproto::JobStatusReply;
using rigproto::UnloadRequest;

namespace {
/// The job failed by this and nothing is latched; Z is up and the cup is empty.
void check_failed_only(const World& world, const JobStatusReply& job, Fault fault) {
    CHECK(job.state == JobState::failed);
    CHECK(job.fault == fault);
    CHECK(world.state() == State::ready);
    CHECK(world.fault() == Fault::none);
    CHECK(world.z <= world.rig.home_tolerance);
    CHECK_FALSE(world.on_cup);
    CHECK_FALSE(world.outputs.pump);
    CHECK_FALSE(world.outputs.valve);
}
void check_latched(World& world, const JobStatusReply& job, Fault fault) {
    CHECK(job.state == JobState::failed);
    CHECK(job.fault == fault);
    CHECK(world.state() == State::latched);
    CHECK(world.fault() == fault);
    CHECK(world.told(rigproto::EventKind::fault) == 1);
    CHECK(world.ask(rigproto::HomeRequest{}) == Rejection{Reject::latched});
}
} // namespace

TEST_CASE("load: the card goes from its pocket into the reader, stage by stage") {
    World world;
    world.ready().stages.clear();
    REQUIRE(done(world.load(7, 2)));
    CHECK_FALSE(world.pockets[7]);
    CHECK(world.readers[2]);
    CHECK(world.machine.status().cards == 0b100);
    CHECK(world.machine.port(2).cycles == 1);
    CHECK(world.machine.port(2).card == 1);
    CHECK(world.state() == State::ready);
    CHECK(world.stages == std::vector<JobStage>{JobStage::travelling, JobStage::reaching, JobStage::picking,
                                                JobStage::lifting, JobStage::travelling, JobStage::reaching,
                                                JobStage::checking, JobStage::releasing, JobStage::lifting});
    CHECK(world.hazards.empty());
}

TEST_CASE("unload: the card goes from the reader into a pocket or a bin") {
    World world;
    world.ready();
    REQUIRE(done(world.load(0, 0)));
    REQUIRE(done(world.load(1, 1)));
    world.stages.clear();
    REQUIRE(done(world.unload_to_bin(0, 3)));
    CHECK(world.stages == std::vector<JobStage>{JobStage::travelling, JobStage::reaching, JobStage::picking,
                                                JobStage::lifting, JobStage::checking, JobStage::travelling,
                                                JobStage::reaching, JobStage::releasing, JobStage::lifting});
    CHECK(world.bins[3] == 1);
    world.pockets[29] = false;
    REQUIRE(done(world.run(UnloadRequest{.port = 1, .to = UnloadRequest::To::pocket, .index = 29})));
    CHECK(world.pockets[29]);
    CHECK(world.fallen == 0);
    CHECK(world.hazards.empty());
}

TEST_CASE("unload: a card goes back into the pocket from which it came") {
    World world;
    world.ready();
    REQUIRE(done(world.load(4, 3)));
    REQUIRE(done(world.run(UnloadRequest{.port = 3, .to = UnloadRequest::To::pocket, .index = 4})));
    CHECK(world.pockets[4]);
    CHECK_FALSE(world.readers[3]);
    CHECK(world.machine.status().cards == 0);
}

TEST_CASE("a magazine of 30 cards through eight readers: each card is where it should be") {
    World world;
    world.ready();
    for (std::uint8_t card = 0; card < 30; ++card) {
        const auto port = static_cast<std::uint8_t>(card % 8);
        if (card >= 8) REQUIRE(done(world.unload_to_bin(port, card % 4)));
        REQUIRE(done(world.load(card, port)));
        CHECK_FALSE(world.pockets[card]);
    }
    CHECK(world.bins == std::array<int, 4>{6, 6, 5, 5});
    CHECK(world.fallen == 0);
    CHECK(world.machine.port(0).cycles == 4);
    CHECK(world.machine.port(7).cycles == 3);
    CHECK(world.hazards.empty());
}

TEST_CASE("load: an empty pocket is a missed pick, nothing is latched and nothing moves afterwards") {
    World world;
    world.ready().pockets[5] = false;
    const JobStatusReply job = world.load(5, 0);
    check_failed_only(world, job, Fault::pick_missed);
    CHECK(job.detail == 5);
    const auto taken = world.steps.taken();
    world.pass(2'000'000);
    CHECK(world.steps.taken() == taken);
    CHECK(world.insertions == 0);
    CHECK(done(world.load(6, 0)));
    CHECK(world.hazards.empty());
}

TEST_CASE("load: a card that does not slide in goes back into its pocket and is not pushed twice") {
    World world;
    world.ready().broken.bent = true;
    const JobStatusReply job = world.load(5, 1);
    check_failed_only(world, job, Fault::insert_failed);
    CHECK(job.detail == 1);
    CHECK(world.pockets[5]);
    CHECK(world.insertions == 1);
    CHECK(world.machine.port(1).cycles == 0);
    world.broken.bent = false;
    CHECK(done(world.load(5, 1)));
    CHECK(world.hazards.empty());
}

TEST_CASE("load: a card-detect that says yes before the push sends the card back") {
    World world;
    world.ready();
    REQUIRE(world.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.on_cup; }));
    world.broken.detect_stuck = 0b10;
    check_failed_only(world, world.finish(), Fault::insert_failed);
    CHECK(world.insertions == 0);
    CHECK(world.pockets[5]);
}

TEST_CASE("load: a card that falls off is a dropped card wherever it happens, and latches") {
    const auto dropped = [](auto break_it) {
        World world;
        world.ready();
        break_it(world.broken);
        const JobStatusReply job = world.load(5, 1);
        check_latched(world, job, Fault::card_dropped);
        CHECK(world.hazards.empty());
    };
    dropped([](Breakage& broken) { broken.drops_at_z = 400; });   // out of the pocket
    dropped([](Breakage& broken) { broken.drops_at_x = 3'000; }); // on the way
    dropped([](Breakage& broken) { broken.drops_at_x = 5'795; }); // just before the reader
}

TEST_CASE("load: a card that falls off on the way stops the carriage there and then") {
    World world;
    world.ready().broken.drops_at_x = 3'000;
    check_latched(world, world.load(5, 1), Fault::card_dropped);
    CHECK(world.x < 3'000 + 300); // 20 ms of lost vacuum at 6000 steps/s, and what the pump's sensor needs
}

TEST_CASE("load: a card that comes out again with the cup is a dropped card") {
    World world;
    world.ready();
    REQUIRE(world.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.readers[1]; }));
    world.readers[1] = false;
    check_latched(world, world.finish(), Fault::card_dropped);
}

TEST_CASE("unload: a card that does not stick stays in the reader as a missed pick") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    world.broken.porous = true;
    check_failed_only(world, world.unload_to_bin(1, 0), Fault::pick_missed);
    CHECK(world.readers[1]);
}

TEST_CASE("unload: a card that stays when the cup comes up is a failed eject") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    world.broken.slips_in_reader = true;
    const JobStatusReply job = world.unload_to_bin(1, 0);
    check_failed_only(world, job, Fault::eject_failed);
    CHECK(job.detail == 1);
    CHECK(world.readers[1]);
    world.broken.slips_in_reader = false;
    CHECK(done(world.unload_to_bin(1, 0)));
    CHECK(world.hazards.empty());
}

TEST_CASE("unload: a card-detect that keeps saying yes has the card put back into the reader") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    world.broken.detect_stuck = 0b10;
    check_failed_only(world, world.unload_to_bin(1, 0), Fault::eject_failed);
    CHECK(world.readers[1]);
    CHECK(world.fallen == 0);
}

TEST_CASE("unload: a card that falls on the way to its bin latches") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    world.broken.drops_at_x = 8'000;
    check_latched(world, world.unload_to_bin(1, 0), Fault::card_dropped);
    CHECK(world.fallen == 1);
}

TEST_CASE("load: voltage that comes up in the reader before the card is there sends the card back") {
    World world;
    world.ready();
    REQUIRE(world.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.on_cup; }));
    world.broken.welded = 0b10;
    const JobStatusReply job = world.finish();
    check_failed_only(world, job, Fault::port_welded);
    CHECK(job.detail == 1);
    CHECK(world.pockets[5]);
    CHECK(world.insertions == 0);
    CHECK(world.hazards.empty());
}

TEST_CASE("unload: voltage that comes up in the reader before the cup is there ends the job above it") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    REQUIRE(done(world.run(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 0})));
    REQUIRE(world.ask(UnloadRequest{.port = 1, .to = UnloadRequest::To::bin}).reject == Reject::none);
    world.pass(300'000);
    world.broken.welded = 0b10;
    check_failed_only(world, world.finish(), Fault::port_welded);
    CHECK(world.readers[1]);
    CHECK(world.hazards.empty());
}

TEST_CASE("unload: a card that cannot be put back, because voltage came up in its reader, has no place: that latches") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    world.broken.detect_stuck = 0b10;
    REQUIRE(world.ask(UnloadRequest{.port = 1, .to = UnloadRequest::To::bin}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.machine.status().stage == static_cast<std::uint8_t>(JobStage::checking); }));
    world.broken.welded = 0b10;
    check_latched(world, world.finish(), Fault::port_welded);
    CHECK(world.z <= world.rig.home_tolerance);
    CHECK(world.hazards.empty());
}

TEST_CASE("a vent that does not open is a state that cannot be") {
    World world;
    world.ready().broken.vent_stuck = true;
    check_latched(world, world.load(5, 1), Fault::internal);
}

TEST_CASE("load: lost steps on X are found before the next card is fetched") {
    World world;
    world.ready();
    REQUIRE(done(world.load(5, 1)));
    world.broken.x_loses = 160; // a pocket's pitch: the neighbour's card would be taken
    check_latched(world, world.load(6, 2), Fault::jam);
    CHECK(world.machine.status().fault_detail == static_cast<std::uint8_t>(firmware::Axis::x));
    CHECK(world.pockets[7]);
    CHECK(world.insertions == 1);
    CHECK(world.hazards.empty());
}

TEST_CASE("load: steps lost towards home are found there as well") {
    World world;
    world.ready();
    REQUIRE(world.run(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 9'000}).state == JobState::done);
    world.broken.x_loses = 60;
    const auto jog = world.run(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 200});
    check_latched(world, jog, Fault::jam);
}

TEST_CASE("load: a few lost steps, within the tolerance, are no jam") {
    World world;
    world.ready().broken.x_loses = 5;
    CHECK(done(world.load(6, 2)));
}

TEST_CASE("load: a Z axis that is held on its way down is a jam when it comes up too early") {
    World world;
    world.ready().broken.z_blocked_at = 500;
    check_latched(world, world.load(6, 2), Fault::jam);
    CHECK(world.machine.status().fault_detail == static_cast<std::uint8_t>(firmware::Axis::z));
    CHECK(world.hazards.empty());
}

TEST_CASE("a driver that reports an error while something moves stops everything at once") {
    World world;
    world.ready();
    REQUIRE(world.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.on_cup && world.x > 3'000; }));
    world.broken.driver_fault = true;
    const auto taken = world.steps.taken();
    world.tick();
    CHECK(world.steps.taken() == taken);
    check_latched(world, world.finish(), Fault::driver_fault);
    CHECK(world.ask(rigproto::ClearRequest{}) == Rejection{Reject::latched}); // it still says so
    world.broken.driver_fault = false;
    world.tick();
    CHECK(done(world.clear()));
    CHECK(world.state() == State::unhomed);
}

TEST_CASE("X stops at once when the sensor does not see Z retracted any more") {
    World world;
    world.ready();
    REQUIRE(world.ask(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 9'000}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.x > 3'000; }));
    world.broken.z_flag = Sensor::stuck_off;
    const auto taken = world.steps.taken();
    world.tick();
    CHECK(world.steps.taken() == taken);
    check_latched(world, world.finish(), Fault::jam);
    CHECK(world.machine.status().fault_detail == static_cast<std::uint8_t>(firmware::Axis::z));
}
