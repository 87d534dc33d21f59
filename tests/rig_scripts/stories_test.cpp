// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <iterator>

#include "tests/catch.hpp"
#include "tests/rig_scripts/play.hpp"

using namespace mediarig;

namespace {

/// Twice: the same story must end in the same state, to the last capacitor.
void play_file(const char* path) {
    std::ifstream in(path);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto story = story::read_story(text);
    if (!story) {
        for (const auto& complaint : story.error()) UNSCOPED_INFO("line " << complaint.line << ": " << complaint.text);
        FAIL("the script cannot be read");
        return;
    }
    const story::Played played = story::play(*story);
    for (const auto& failure : played.failures) UNSCOPED_INFO(failure);
    REQUIRE(played.failures.empty());
    CHECK(story::play(*story).fingerprint == played.fingerprint);
}

} // namespace

#include "stories.inc"
