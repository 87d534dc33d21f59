// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "tests/catch.hpp"
#include "tests/firmware/scripts/play.hpp"

using namespace mediarig;

TEST_CASE("a magazine of 30 cards passes 8 readers into the bins, each card once") {
    constexpr unsigned cards = 30, readers = 8;
    std::string text =
        "Scenario: a magazine\na magazine of 30 cards\na rig with 8 readers\nthe host greets the rig\n"
        "job 1 homes the rig\nthen job 1 is done\n";
    unsigned job = 1;
    const auto done = [&](const std::string& what) {
        const std::string name = "job " + std::to_string(++job);
        text += name + ' ' + what + "\nthen " + name + " is done\n";
    };
    for (unsigned card = 1; card <= cards; ++card) {
        const std::string reader = std::to_string((card - 1) % readers + 1);
        done("loads pocket " + std::to_string(card) + " into reader " + reader);
        done("switches port " + reader + " on");
        done("switches port " + reader + " off");
        done("unloads reader " + reader + " into bin pass");
        text += "then bin pass holds card " + std::to_string(card) + '\n';
    }
    text += "then there were 30 insertions\n";
    const auto scenario = scenario::read_scenario(text);
    REQUIRE(scenario);
    const scenario::Played played = scenario::play(*scenario);
    for (const auto& failure : played.failures) UNSCOPED_INFO(failure);
    REQUIRE(played.failures.empty());

    const double seconds = static_cast<double>(played.took) / 1e9;
    std::cout << "a swap (load, power on and off, unload) takes " << seconds / cards
              << " s of the model's time: " << cards / seconds * 3'600 << " swaps per hour\n";
}
