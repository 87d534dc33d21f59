// SPDX-License-Identifier: GPL-3.0-or-later
/// Confirmation of an erasure by replugging the medium.
#include "host/gui/models/replug.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

/// `plugged`: number that the kernel increments each time a medium is plugged in.
AttachedMedium stick(const std::string& serial, std::uint64_t plugged, Bytes size = 4_GiB) {
    AttachedMedium attached;
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

TEST_CASE("a medium that stays attached is not confirmed") {
    Replug replug(stick("A", 1));
    for (int looks = 0; looks < 3; ++looks) CHECK(replug.look({stick("A", 1), stick("B", 2)}) == Replug::State::there);
}

TEST_CASE("a replugged medium is confirmed, and medium() returns its new attachment") {
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1), stick("B", 2)});
    CHECK(replug.look({stick("B", 2)}) == Replug::State::pulled);
    CHECK(replug.look({stick("B", 2), stick("A", 3)}) == Replug::State::back);
    CHECK(replug.medium().medium.disk_sequence == 3);
    CHECK(replug.look({stick("B", 2), stick("A", 3)}) == Replug::State::back);
    CHECK(replug.look({stick("B", 2)}) == Replug::State::pulled);
}

TEST_CASE("a replugged card is confirmed in a reader whose slot stays listed") {
    const AttachedMedium empty_slot = stick("A", 2, 0_B);
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({empty_slot}) == Replug::State::pulled);
    CHECK(replug.look({stick("A", 3)}) == Replug::State::back);
    CHECK(replug.look({empty_slot}) == Replug::State::pulled);
    CHECK(replug.look({stick("A", 4, 8_GiB)}) == Replug::State::another);
}

TEST_CASE("a replug between two polls counts as a replug") {
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({stick("A", 2)}) == Replug::State::back);
}

TEST_CASE("if another medium is inserted, neither medium is confirmed, now or later") {
    for (const AttachedMedium& other : {stick("B", 2), stick("A", 2, 8_GiB)}) {
        Replug replug(stick("A", 1));
        replug.look({stick("A", 1)});
        CHECK(replug.look({other}) == Replug::State::another);
        CHECK(replug.other().medium == other.medium);
        CHECK(replug.look({stick("A", 3)}) == Replug::State::another);
    }
}

TEST_CASE("a medium whose size changes is treated as another medium") {
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({stick("A", 1, 8_GiB)}) == Replug::State::another);
}

TEST_CASE("replugging before the dialog opens confirms nothing") {
    Replug replug(stick("A", 1));
    CHECK(replug.look({stick("A", 2)}) == Replug::State::there);
    CHECK(replug.medium().medium.disk_sequence == 2);
}

TEST_CASE("other media plugged in during the wait have no effect") {
    AttachedMedium elsewhere = stick("B", 2);
    elsewhere.medium.number = {8, 32};
    elsewhere.medium.usb->port_path = "1-3";
    Replug replug(stick("A", 1));
    replug.look({stick("A", 1)});
    CHECK(replug.look({elsewhere}) == Replug::State::pulled);
    CHECK(replug.look({elsewhere, stick("A", 3)}) == Replug::State::back);
}
