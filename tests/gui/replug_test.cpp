// SPDX-License-Identifier: GPL-3.0-or-later
/// Erasing that is confirmed by pulling a medium out and putting it back.
#include "host/gui/models/replug.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

/// `plugged`: the kernel counts each plugging in.
Attached stick(const std::string& serial, std::uint64_t plugged, Bytes size = 4_GiB) {
    Attached attached;
    attached.medium.transport = media::Transport::usb;
    attached.medium.usb.emplace();
    attached.medium.usb->port_path = "1-2";
    attached.medium.number = {8, 16};
    attached.medium.disk_sequence = plugged;
    attached.medium.serial = serial;
    attached.medium.size = size;
    attached.confirm = serial;
    return attached;
}

} // namespace

TEST_CASE("a medium that stays is there, and is not confirmed by that") {
    Replug replug(stick("A", 1));
    for (int looks = 0; looks < 3; ++looks) CHECK(replug.look({stick("A", 1), stick("B", 2)}) == Replug::State::there);
}

TEST_CASE("a medium that is pulled and put back is back, as it is attached now") {
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1), stick("B", 2)});
    CHECK(replug.look({stick("B", 2)}) == Replug::State::pulled);
    CHECK(replug.look({stick("B", 2), stick("A", 3)}) == Replug::State::back);
    CHECK(replug.medium().medium.disk_sequence == 3);
    CHECK(replug.look({stick("B", 2), stick("A", 3)}) == Replug::State::back);
    CHECK(replug.look({stick("B", 2)}) == Replug::State::pulled);
}

TEST_CASE("a card is pulled out of a reader whose empty slot stays, and put back") {
    const Attached empty_slot = stick("A", 2, 0_B);
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({empty_slot}) == Replug::State::pulled);
    CHECK(replug.look({stick("A", 3)}) == Replug::State::back);
    CHECK(replug.look({empty_slot}) == Replug::State::pulled);
    CHECK(replug.look({stick("A", 4, 8_GiB)}) == Replug::State::another);
}

TEST_CASE("who pulls and puts back between two looks has pulled it") {
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({stick("A", 2)}) == Replug::State::back);
}

TEST_CASE("another medium in its place confirms nothing, and nothing does any more") {
    for (const Attached& other : {stick("B", 2), stick("A", 2, 8_GiB)}) {
        Replug replug(stick("A", 1));
        replug.look({stick("A", 1)});
        CHECK(replug.look({other}) == Replug::State::another);
        CHECK(replug.other().medium == other.medium);
        CHECK(replug.look({stick("A", 3)}) == Replug::State::another);
    }
}

TEST_CASE("a medium whose size changes where it is, is another one") {
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({stick("A", 1, 8_GiB)}) == Replug::State::another);
}

TEST_CASE("one that was put back before the question was asked is not confirmed by that") {
    Replug replug(stick("A", 1));
    CHECK(replug.look({stick("A", 2)}) == Replug::State::there);
    CHECK(replug.medium().medium.disk_sequence == 2);
}

TEST_CASE("what is plugged in elsewhere meanwhile changes nothing") {
    Attached elsewhere = stick("B", 2);
    elsewhere.medium.number = {8, 32};
    elsewhere.medium.usb->port_path = "1-3";
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({elsewhere}) == Replug::State::pulled);
    CHECK(replug.look({elsewhere, stick("A", 3)}) == Replug::State::back);
}
