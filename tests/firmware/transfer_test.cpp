// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/rig_model.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using rigproto::JobStatusReply;
using rigproto::UnloadRequest;

namespace {
/// Checks that the job failed with this fault, that no fault is latched, that Z is up and that the cup is empty.
void check_failed_only(const RigModel& model, const JobStatusReply& job, Fault fault) {
    CHECK(job.state == JobState::failed);
    CHECK(job.fault == fault);
    CHECK(model.state() == State::ready);
    CHECK(model.fault() == Fault::none);
    CHECK(model.z <= model.rig.home_tolerance);
    CHECK_FALSE(model.on_cup);
    CHECK_FALSE(model.outputs.pump);
    CHECK_FALSE(model.outputs.valve);
    CHECK_FALSE(model.outputs.jaw_open);
}
void check_latched(RigModel& model, const JobStatusReply& job, Fault fault) {
    CHECK(job.state == JobState::failed);
    CHECK(job.fault == fault);
    CHECK(model.state() == State::latched);
    CHECK(model.fault() == fault);
    CHECK(model.told(rigproto::EventKind::fault) == 1);
    CHECK(model.ask(rigproto::HomeRequest{}) == Rejection{Reject::latched});
}
} // namespace

TEST_CASE("load: the card moves from its pocket into the reader stage by stage") {
    RigModel model;
    model.ready().stages.clear();
    REQUIRE(done(model.load(7, 2)));
    CHECK_FALSE(model.pockets[7]);
    CHECK(model.readers[2]);
    CHECK(model.machine.status().cards == 0b100);
    CHECK(model.machine.port(2).cycles == 1);
    CHECK(model.machine.port(2).card == 1);
    CHECK(model.state() == State::ready);
    CHECK(model.stages == std::vector<JobStage>{JobStage::travelling, JobStage::reaching, JobStage::picking,
                                                JobStage::lifting, JobStage::travelling, JobStage::reaching,
                                                JobStage::checking, JobStage::releasing, JobStage::lifting,
                                                JobStage::checking});
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: the card moves from the reader into a pocket or a bin") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(0, 0)));
    REQUIRE(done(model.load(1, 1)));
    model.stages.clear();
    REQUIRE(done(model.unload_to_bin(0, 3)));
    CHECK(model.stages == std::vector<JobStage>{JobStage::travelling, JobStage::reaching, JobStage::picking,
                                                JobStage::lifting, JobStage::checking, JobStage::travelling,
                                                JobStage::reaching, JobStage::releasing, JobStage::lifting,
                                                JobStage::checking});
    CHECK(model.bins[3] == 1);
    model.pockets[29] = false;
    REQUIRE(done(model.run(UnloadRequest{.port = 1, .to = UnloadRequest::To::pocket, .index = 29})));
    CHECK(model.pockets[29]);
    CHECK(model.fallen == 0);
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: a card returns to the pocket from which it came") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(4, 3)));
    REQUIRE(done(model.run(UnloadRequest{.port = 3, .to = UnloadRequest::To::pocket, .index = 4})));
    CHECK(model.pockets[4]);
    CHECK_FALSE(model.readers[3]);
    CHECK(model.machine.status().cards == 0);
}

TEST_CASE("transfer: a magazine of 30 cards through eight readers ends with each card in its place") {
    RigModel model;
    model.ready();
    for (std::uint8_t card = 0; card < 30; ++card) {
        const auto port = static_cast<std::uint8_t>(card % 8);
        if (card >= 8) REQUIRE(done(model.unload_to_bin(port, card % 4)));
        REQUIRE(done(model.load(card, port)));
        CHECK_FALSE(model.pockets[card]);
    }
    CHECK(model.bins == std::array<int, 4>{6, 6, 5, 5});
    CHECK(model.fallen == 0);
    CHECK(model.machine.port(0).cycles == 4);
    CHECK(model.machine.port(7).cycles == 3);
    CHECK(model.hazards.empty());
}

TEST_CASE("load: an empty pocket is reported as a missed pick, without a latched fault or further motion") {
    RigModel model;
    model.ready().pockets[5] = false;
    const JobStatusReply job = model.load(5, 0);
    check_failed_only(model, job, Fault::pick_missed);
    CHECK(job.detail == 5);
    const auto taken = model.steps.taken();
    model.pass(2'000'000);
    CHECK(model.steps.taken() == taken);
    CHECK(model.insertions == 0);
    CHECK(done(model.load(6, 0)));
    CHECK(model.hazards.empty());
}

TEST_CASE("load: a card that does not slide in returns to its pocket and is not pushed twice") {
    RigModel model;
    model.ready().broken.bent = true;
    const JobStatusReply job = model.load(5, 1);
    check_failed_only(model, job, Fault::insert_failed);
    CHECK(job.detail == 1);
    CHECK(model.pockets[5]);
    CHECK(model.insertions == 1);
    CHECK(model.machine.port(1).cycles == 0);
    model.broken.bent = false;
    CHECK(done(model.load(5, 1)));
    CHECK(model.hazards.empty());
}

TEST_CASE("load: if card-detect closes before the push, the card returns to its pocket") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.on_cup; }));
    model.broken.detect_stuck = 0b10;
    check_failed_only(model, model.finish(), Fault::insert_failed);
    CHECK(model.insertions == 0);
    CHECK(model.pockets[5]);
}

TEST_CASE("load: a card that falls off the cup at any place is reported as dropped and latches the rig") {
    const auto dropped = [](auto break_it) {
        RigModel model;
        model.ready();
        break_it(model.broken);
        const JobStatusReply job = model.load(5, 1);
        check_latched(model, job, Fault::card_dropped);
        CHECK(model.hazards.empty());
    };
    dropped([](Breakage& broken) { broken.drops_at_z = 400; });   // while the cup lifts the card out of the pocket
    dropped([](Breakage& broken) { broken.drops_at_x = 3'000; }); // on the way to the reader
    dropped([](Breakage& broken) { broken.drops_at_x = 5'795; }); // just before the reader
}

TEST_CASE("load: a card that falls off on the way stops the carriage at once") {
    RigModel model;
    model.ready().broken.drops_at_x = 3'000;
    check_latched(model, model.load(5, 1), Fault::card_dropped);
    CHECK(model.x < 3'000 + 300); // 20 ms without vacuum at 6000 steps/s, plus the delay of the pump's sensor
}

TEST_CASE("load: a card that leaves its reader and is not on the cup is reported as dropped") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.readers[1]; }));
    model.readers[1] = false;
    check_latched(model, model.finish(), Fault::card_dropped);
}

TEST_CASE("transfer: a card that stays on the cup after its release latches the rig and is reported") {
    struct Row {
        const char* place;
        JobStatusReply (*job)(RigModel& model);
        std::uint8_t detail;
    };
    for (const Row& row :
         {Row{"bin", [](RigModel& model) { return model.unload_to_bin(1, 2); }, 2},
          Row{"pocket",
              [](RigModel& model) {
                  return model.run(UnloadRequest{.port = 1, .to = UnloadRequest::To::pocket, .index = 5});
              },
              5},
          Row{"reader", [](RigModel& model) { return model.load(6, 3); }, 3}})
        for (const bool jaw : {false, true}) {
            CAPTURE(row.place, jaw);
            RigModel model;
            model.ready();
            REQUIRE(done(model.load(5, 1)));
            (jaw ? model.broken.jaw_stuck : model.broken.clings) = true;
            const JobStatusReply job = row.job(model);
            check_latched(model, job, Fault::card_clings);
            CHECK(job.detail == row.detail);
            CHECK((model.machine.status().occupied >> 3 & 1) == 0); // a card on the cup is not in reader 4
            CHECK(model.on_cup);
            CHECK(model.fallen == 0);
            CHECK(model.z <= model.rig.home_tolerance);
            CHECK(model.hazards.empty());
        }
}

TEST_CASE("transfer: a card that is still on the cup is found before the next pick") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.clings = true;
    REQUIRE(model.unload_to_bin(1, 2).fault == Fault::card_clings);
    model.broken.clings = false;
    model.pass(1'000'000);
    REQUIRE(done(model.clear()));
    model.on_cup = true; // whether homing has released the card or not
    model.broken.clings = true;
    REQUIRE(done(model.run(rigproto::HomeRequest{})));
    const JobStatusReply job = model.load(6, 2);
    CHECK(job.fault == Fault::card_clings);
    CHECK(job.detail == 6);
    CHECK(model.pockets[6]);
    CHECK(model.insertions == 1);
}

TEST_CASE("unload: a pocket that the rig filled is refused until its card is picked") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(4, 0)));
    REQUIRE(done(model.load(5, 1)));
    const auto back = [](std::uint8_t port, std::uint8_t pocket) {
        return UnloadRequest{.port = port, .to = UnloadRequest::To::pocket, .index = pocket};
    };
    REQUIRE(done(model.run(back(0, 5))));
    CHECK(model.ask(back(1, 5)) == refused_by(Interlock::pocket_occupied));
    REQUIRE(done(model.load(5, 0)));
    CHECK(done(model.run(back(1, 5))));
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: the cup probes a pocket of unknown content before it fetches the card") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(4, 0)));
    const UnloadRequest into_full{.port = 0, .to = UnloadRequest::To::pocket, .index = 9};
    const JobStatusReply job = model.run(into_full);
    check_failed_only(model, job, Fault::pocket_occupied);
    CHECK(job.detail == 9);
    CHECK(model.pockets[9]);
    CHECK(model.readers[0]);
    CHECK(model.ask(into_full) == refused_by(Interlock::pocket_occupied)); // now the pocket is known to contain a card

    model.pockets[9] = false;
    model.broken.safety_open = true; // a hand changes the magazine
    model.pass(100'000);
    model.broken.safety_open = false;
    model.pass(100'000);
    REQUIRE(done(model.clear()));
    REQUIRE(done(model.run(rigproto::HomeRequest{})));
    REQUIRE(done(model.run(into_full)));
    CHECK(model.pockets[9]);
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: a card that is not gripped stays in the reader and is reported as a missed pick") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.porous = true;
    check_failed_only(model, model.unload_to_bin(1, 0), Fault::pick_missed);
    CHECK(model.readers[1]);
}

TEST_CASE("unload: a card that stays in the reader when the cup lifts is reported as a failed eject") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.slips_in_reader = true;
    const JobStatusReply job = model.unload_to_bin(1, 0);
    check_failed_only(model, job, Fault::eject_failed);
    CHECK(job.detail == 1);
    CHECK(model.readers[1]);
    model.broken.slips_in_reader = false;
    CHECK(done(model.unload_to_bin(1, 0)));
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: if card-detect stays closed, the card returns to the reader") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.detect_stuck = 0b10;
    check_failed_only(model, model.unload_to_bin(1, 0), Fault::eject_failed);
    CHECK(model.readers[1]);
    CHECK(model.fallen == 0);
}

TEST_CASE("unload: a card that is dropped on the way to its bin latches the rig") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.drops_at_x = 8'000;
    check_latched(model, model.unload_to_bin(1, 0), Fault::card_dropped);
    CHECK(model.fallen == 1);
}

TEST_CASE("load: if the reader has voltage before the card arrives, the card returns to its pocket") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.on_cup; }));
    model.broken.welded = 0b10;
    const JobStatusReply job = model.finish();
    check_failed_only(model, job, Fault::port_welded);
    CHECK(job.detail == 1);
    CHECK(model.pockets[5]);
    CHECK(model.insertions == 0);
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: if the reader has voltage before the cup arrives, the job ends with the cup above the reader") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    REQUIRE(done(model.run(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 0})));
    REQUIRE(model.ask(UnloadRequest{.port = 1, .to = UnloadRequest::To::bin}).reject == Reject::none);
    model.pass(300'000);
    model.broken.welded = 0b10;
    check_failed_only(model, model.finish(), Fault::port_welded);
    CHECK(model.readers[1]);
    CHECK(model.hazards.empty());
}

TEST_CASE("unload: a card that cannot return because its reader has voltage latches the rig") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.detect_stuck = 0b10;
    REQUIRE(model.ask(UnloadRequest{.port = 1, .to = UnloadRequest::To::bin}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.machine.status().stage == static_cast<std::uint8_t>(JobStage::checking); }));
    model.broken.welded = 0b10;
    check_latched(model, model.finish(), Fault::port_welded);
    CHECK(model.z <= model.rig.home_tolerance);
    CHECK(model.hazards.empty());
}

TEST_CASE("transfer: a vent that does not open is reported as an impossible state") {
    RigModel model;
    model.ready().broken.vent_stuck = true;
    check_latched(model, model.load(5, 1), Fault::internal);
}

TEST_CASE("load: lost steps on X are detected before the next card is picked") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.load(5, 1)));
    model.broken.x_loses = 160; // a pocket's pitch: the adjacent card would be taken
    check_latched(model, model.load(6, 2), Fault::jam);
    CHECK(model.machine.status().fault_detail == static_cast<std::uint8_t>(firmware::Axis::x));
    CHECK(model.pockets[7]);
    CHECK(model.insertions == 1);
    CHECK(model.hazards.empty());
}

TEST_CASE("load: steps lost towards home are detected") {
    RigModel model;
    model.ready();
    REQUIRE(model.run(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 9'000}).state == JobState::done);
    model.broken.x_loses = 60;
    const auto jog = model.run(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 200});
    check_latched(model, jog, Fault::jam);
}

TEST_CASE("load: a few lost steps within the tolerance are not reported as a jam") {
    RigModel model;
    model.ready().broken.x_loses = 5;
    CHECK(done(model.load(6, 2)));
}

TEST_CASE("load: a Z axis that is blocked on its way down and comes up too early is reported as a jam") {
    RigModel model;
    model.ready().broken.z_blocked_at = 500;
    check_latched(model, model.load(6, 2), Fault::jam);
    CHECK(model.machine.status().fault_detail == static_cast<std::uint8_t>(firmware::Axis::z));
    CHECK(model.hazards.empty());
}

TEST_CASE("transfer: a driver error during motion stops everything at once") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(rigproto::LoadRequest{.pocket = 5, .port = 1}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.on_cup && model.x > 3'000; }));
    model.broken.driver_fault = true;
    model.tick();
    const auto taken = model.steps.taken();
    model.tick(); // the second of three samples
    CHECK(model.steps.taken() == taken);
    check_latched(model, model.finish(), Fault::driver_fault);
    CHECK(model.ask(rigproto::ClearRequest{}) == Rejection{Reject::latched}); // still reported
    model.broken.driver_fault = false;
    model.tick();
    CHECK(done(model.clear()));
    CHECK(model.state() == State::unhomed);
}

TEST_CASE("transfer: X stops at once if Z is no longer detected as retracted") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 9'000}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.x > 3'000; }));
    model.broken.z_flag = Sensor::stuck_off;
    model.tick();
    const auto taken = model.steps.taken();
    model.tick(); // the second of three samples
    CHECK(model.steps.taken() == taken);
    check_latched(model, model.finish(), Fault::jam);
    CHECK(model.machine.status().fault_detail == static_cast<std::uint8_t>(firmware::Axis::z));
}

TEST_CASE(
    "transfer: two wrong samples of three of a sensor or of the drivers stop the motion, and a single wrong sample "
    "does not") {
    struct Row {
        const char* what;
        void (*disturb)(Breakage& broken);
        Fault fault;
    };
    for (const Row& row : {Row{"driver", [](Breakage& broken) { broken.driver_fault = true; }, Fault::driver_fault},
                           Row{"z flag", [](Breakage& broken) { broken.z_flag = Sensor::stuck_off; }, Fault::jam},
                           Row{"x flag", [](Breakage& broken) { broken.x_flag = Sensor::stuck_on; }, Fault::jam},
                           Row{"comb", [](Breakage& broken) { broken.comb = Sensor::stuck_on; }, Fault::jam}}) {
        CAPTURE(row.what);
        for (const int samples : {1, 2}) {
            CAPTURE(samples);
            RigModel model;
            model.ready();
            REQUIRE(model.ask(rigproto::JogRequest{.axis = firmware::Axis::x, .position = 5'000}).reject ==
                    Reject::none);
            REQUIRE(model.until([&] { return model.x > 4'960; })); // between a pocket and a reader
            const Breakage sound = model.broken;
            for (int i = 0; i < samples; ++i) {
                row.disturb(model.broken);
                model.tick();
                model.broken = sound;
                if (samples > 1) continue;
                model.tick();
                model.tick();
            }
            const JobStatusReply job = model.finish();
            if (samples == 1)
                CHECK(done(job));
            else
                CHECK(job.fault == row.fault);
        }
    }
}
