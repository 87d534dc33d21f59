// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/step_key.hpp"

#include "host/plan/names.hpp"
#include "host/plan/steps.hpp"
#include "tests/catch.hpp"

using namespace mediarig::plan;

TEST_CASE("a step key is unchanged after conversion to text and back") {
    struct Row {
        StepKey key;
        std::string text, told;
    };
    const std::vector<Row> rows{
        {{.medium = 0, .what = "identify"}, "m0.identify", "identify"},
        // This key must not be read as a group of the repeat "elease".
        {{.medium = 12, .what = "release"}, "m12.release", "release"},
        {{.medium = 1, .repeat = 2, .format = "exfat"}, "m1.r2.exfat", "exfat, repeat 2"},
        {{.repeat = 1, .format = "exfat-2", .what = "format"}, "m0.r1.exfat-2.format", "format exfat-2"},
        {{.repeat = 1, .format = "keep", .what = "mount"}, "m0.r1.keep.mount", "mount the present volume"},
        {{.repeat = 1, .format = "raw", .entry = "verify"}, "m0.r1.raw.verify", "verify raw"},
        {{.repeat = 3, .format = "exfat", .entry = "crystal-2", .what = "run"},
         "m0.r3.exfat.crystal-2.run",
         "crystal-2 on exfat, repeat 3"},
        {{.repeat = 1, .format = "directory", .entry = "dd", .what = "run"},
         "m0.r1.directory.dd.run",
         "dd in a directory"},
        {{.medium = 3, .repeat = 5, .what = "compare"}, "m3.r5.compare", "compare, repeat 5"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(row.key.text() == row.text);
        CHECK(StepKey::parse(row.text) == row.key);
        CHECK(text_of_key(row.text) == row.told);
    }
}

TEST_CASE("text_of_key() returns an invalid step key unchanged") {
    for (const char* text : {"", "m", "mx.identify", "m01.identify", "m0.r1x.exfat", "m0.r99999999999.exfat", "m0..run",
                             "m0.r1.exfat.dd.run.more", "m0.r1.exfat.dd.more", "n0.identify", "m-1.identify"}) {
        CAPTURE(text);
        CHECK_FALSE(StepKey::parse(text));
        CHECK(text_of_key(text) == text);
    }
}

TEST_CASE("each format name has one title and one text for the place of its passes") {
    struct Row {
        std::string name;
        PassTarget ground;
        std::string title, place;
    };
    const std::vector<Row> rows{
        {"exfat", PassTarget::format, "exFAT", "under exFAT"},
        {"exfat-2", PassTarget::format, "exFAT-2", "under exFAT-2"},
        {"my own", PassTarget::format, "my own", "under my own"},
        {"keep", PassTarget::kept, "present volume", "on the present volume"},
        {"raw", PassTarget::raw, "raw", "on the bare device"},
        {"directory", PassTarget::directory, "directory", "in the directory"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        CHECK(pass_target_from(row.name) == row.ground);
        CHECK(title_of_format(row.name) == row.title);
        CHECK(place_of_format(row.name) == row.place);
    }
}
