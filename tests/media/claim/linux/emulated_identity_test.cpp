// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/emulated_identity.hpp"

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

BlockNode disk(const std::string& name) {
    BlockNode node;
    node.name = node.disk = name;
    return node;
}

const std::string usb_drive = R"({"vendor":"a","model":"b","revision":"1","serial":"LAB001"})";

} // namespace

TEST_CASE("a device of ublk adopts the identity in its file and becomes removable") {
    const tests::Scratch folder;
    folder.write("ublkb3", usb_drive);
    Medium medium;
    CHECK(adopt_emulated(medium, disk("ublkb3"), folder.path().string()));
    CHECK(medium.serial == "LAB001");
    CHECK(medium.vendor == "a");
    CHECK(medium.model == "b");
    CHECK(medium.removable);
    CHECK(medium.refusals.empty());
}

TEST_CASE("a file cannot make another disk removable") {
    const tests::Scratch folder;
    for (const char* name : {"sda", "nvme0n1", "vda", "ublkb3p1", "ublkb", "loop0"}) {
        CAPTURE(name);
        folder.write(name, usb_drive);
        Medium medium;
        CHECK_FALSE(adopt_emulated(medium, disk(name), folder.path().string()));
        CHECK(medium == Medium{});
    }
}

TEST_CASE("without a folder or a file there is no emulated identity") {
    const tests::Scratch folder;
    Medium medium;
    CHECK_FALSE(adopt_emulated(medium, disk("ublkb3"), ""));
    CHECK_FALSE(adopt_emulated(medium, disk("ublkb3"), folder.path().string()));
    CHECK(medium == Medium{});
}

TEST_CASE("an invalid identity is a doubt that refuses the medium") {
    for (const char* text : {"", "[]", R"({"serial":3})", R"({"cid":7})"}) {
        CAPTURE(text);
        const tests::Scratch folder;
        folder.write("ublkb3", text);
        Medium medium;
        CHECK(adopt_emulated(medium, disk("ublkb3"), folder.path().string()));
        REQUIRE(medium.refusals.size() == 1);
        CHECK(medium.refusals.front().kind == RefusalKind::unknown_state);
    }
}
