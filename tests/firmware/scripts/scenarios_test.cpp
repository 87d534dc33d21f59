// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "tests/catch.hpp"
#include "tests/firmware/scripts/play.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;

namespace {

/// Plays each scenario twice, because equal scenarios must end in the same state of the plant.
void play_file(const char* path) {
    const std::string text = mediarig::tests::text_of(path);
    const auto scenario = scenario::read_scenario(text);
    if (!scenario) {
        for (const auto& complaint : scenario.error())
            UNSCOPED_INFO("line " << complaint.line << ": " << complaint.text);
        FAIL("the script cannot be read");
        return;
    }
    const scenario::Played played = scenario::play(*scenario);
    for (const auto& failure : played.failures) UNSCOPED_INFO(failure);
    REQUIRE(played.failures.empty());
    CHECK(scenario::play(*scenario).fingerprint == played.fingerprint);
}

scenario::Scenario script(const std::filesystem::path& path) {
    std::ifstream in(path);
    const auto scenario = scenario::read_scenario(std::string(std::istreambuf_iterator<char>(in), {}));
    REQUIRE(scenario);
    return *scenario;
}

} // namespace

TEST_CASE("clinging cards cause no forbidden event in any script, even with a careless operator") {
    const char* thorough = std::getenv("MEDIARIG_THOROUGH");
    std::set<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(MEDIARIG_SOURCE_DIR "/tests/firmware/scripts"))
        if (entry.path().extension() == ".rig") paths.insert(entry.path());
    REQUIRE(paths.size() > 100);
    unsigned runs = 0, bad = 0;
    for (const auto& path : paths) {
        const scenario::Scenario scenario = script(path);
        std::vector<std::string> all;
        for (unsigned card = 1; card <= scenario.rig.pockets; ++card)
            all.push_back("card " + std::to_string(card) + " clings to the cup");
        std::vector<std::vector<std::string>> variants{all};
        if (thorough != nullptr && std::string_view(thorough) == "1")
            for (const std::string& one : all) variants.push_back({one});
        for (const auto& injections : variants) {
            ++runs;
            const scenario::Played played = scenario::play(scenario, injections, scenario::Purpose::hazards);
            if (played.hazards.empty()) continue;
            ++bad;
            for (const std::string& hazard : played.hazards)
                std::cout << path.filename() << ", " << injections.size() << " clinging: " << hazard << "\n";
        }
    }
    std::cout << "clinging cards: " << paths.size() << " scripts, " << runs << " runs, " << bad << " with a hazard\n";
    CHECK(bad == 0);
}

#include "scenarios.inc"
