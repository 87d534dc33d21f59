// SPDX-License-Identifier: GPL-3.0-or-later

#include "tests/catch.hpp"
#include "tests/firmware/scripts/play.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;

namespace {

/// Twice, since equal scenarios must end in the same state of the plant.
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

} // namespace

#include "scenarios.inc"
