// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/injection_text.hpp"
#include "tests/catch.hpp"
#include "tests/firmware/plant/hands.hpp"

using namespace mediarig::plant;

namespace {

/// A short working sequence that polls the sensors every `look` ns.
std::uint64_t work(std::uint64_t seed, Nanoseconds look) {
    PlantConfig config = simulated_plant(8, 2);
    config.seed = seed;
    Hands rig(config);
    const auto looking_wait = [&](std::uint64_t ms) {
        const Nanoseconds end = rig.plant.now() + milliseconds(ms);
        if (look != 0)
            for (Nanoseconds at = rig.plant.now(); at < end; at += look) (void)rig.plant.sense(at);
        rig.plant.advance(end);
    };
    (void)rig.say("after the second insertion, the e-stop is pressed for 300 ms");
    rig.pick(0);
    rig.insert(0);
    rig.power(0, true);
    looking_wait(70);
    rig.pick(1);
    rig.insert(1);
    (void)rig.say("port 1 is shorted");
    looking_wait(20);
    rig.power(0, false);
    looking_wait(500);
    return rig.plant.fingerprint();
}

} // namespace

TEST_CASE("equal inputs lead to the same state of the plant for any polling rate") {
    const auto once = work(1, 0);
    CHECK(work(1, 0) == once);
    CHECK(work(1, microseconds(500)) == once);
    CHECK(work(1, 77'777) == once);
}

TEST_CASE("another seed makes the contacts bounce differently") {
    const auto flicker = [](std::uint64_t seed) {
        PlantConfig config = simulated_plant(8, 2);
        config.seed = seed;
        Hands rig(config);
        (void)rig.say("the e-stop is pressed");
        std::string pattern;
        while (const auto next = rig.plant.next_change()) pattern += rig.plant.sense(*next).safety_closed ? '1' : '0';
        return pattern;
    };
    CHECK(flicker(1) == flicker(1));
    CHECK(flicker(1) != flicker(2));
}

TEST_CASE("the time of the plant does not run backwards") {
    Hands rig;
    const Nanoseconds now = rig.plant.now();
    rig.plant.advance(now - 1);
    CHECK(rig.plant.now() == now);
    (void)rig.plant.sense(0);
    CHECK(rig.plant.now() == now);
}

TEST_CASE("injections start after a delay, at a place or at a count") {
    Hands rig;
    REQUIRE(rig.say("after 300 ms, the door is opened") == "success");
    rig.wait(299);
    CHECK(rig.plant.sense().safety_closed);
    rig.wait(10);
    CHECK_FALSE(rig.plant.sense().safety_closed);
    REQUIRE(rig.say("the door is closed") == "success");
    rig.arm();

    REQUIRE(rig.say("after the second pick, the pump fails") == "success");
    rig.pick(0);
    rig.insert(0);
    CHECK(rig.plant.cards().in_port(0) == 0);
    rig.pick(1);
    rig.wait(6'000);
    CHECK(rig.plant.sense().vacuum_mv < 500); // the jaw still holds the card

    REQUIRE(rig.say("when the carriage passes 900, port 2 is stuck on") == "success");
    rig.go_x(899);
    CHECK(rig.millivolts(1) == 0);
    rig.go_x(901);
    rig.wait(10);
    CHECK(rig.millivolts(1) > 4'500);
}

TEST_CASE("an injection for a missing part is refused without effect") {
    Hands rig;
    const auto before = rig.plant.fingerprint();
    CHECK_THAT(rig.say("port 3 is shorted"), ContainsSubstring("a port from 1 to 2"));
    CHECK_THAT(rig.say("pocket 9 is empty"), ContainsSubstring("a pocket from 1 to 8"));
    CHECK_THAT(rig.say(""), ContainsSubstring("no words"));
    CHECK(rig.plant.fingerprint() == before);
}

TEST_CASE("a script is read completely, or its first invalid line is reported") {
    const RigSize rig{8, 2};
    const auto good = read_script("# a comment\n\nport 1 is shorted\r\nafter 2 s, the pump fails for 1 s\n", rig);
    REQUIRE(good);
    REQUIRE(good->size() == 2);
    CHECK((*good)[1].cue.delay == milliseconds(2'000));
    CHECK((*good)[1].injection.lasting == milliseconds(1'000));
    const auto bad = read_script("port 1 is shorted\nport 1 is sorted\n", rig);
    REQUIRE_FALSE(bad);
    CHECK_THAT(bad.error(), ContainsSubstring("line 2: after \"port 1 is\", \"sorted\" is found where"));
    CHECK_THAT(bad.error(), ContainsSubstring("\"shorted\""));
    CHECK_FALSE(read_script("job 1 homes the rig", rig));
}
