// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/presence.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::rig;

namespace {

media::Medium device(const std::string& node, std::uint64_t sequence, std::uint64_t size = 1 << 20) {
    media::Medium medium;
    medium.node = node;
    medium.disk_sequence = sequence;
    medium.size = Bytes{size};
    medium.usb.emplace();
    medium.usb->port_path = "1-1";
    return medium;
}

const auto system_disk = device("/dev/sda", 1);
const auto new_card = device("/dev/sdb", 5);

} // namespace

TEST_CASE("presence requires exactly one new device at its port after power-on") {
    CHECK(appeared_alone(between({system_disk}, {system_disk, new_card}), "")->node == "/dev/sdb");
    CHECK(appeared_alone(between({system_disk}, {system_disk, new_card}), "1-1"));
    CHECK(appeared_alone(between({system_disk}, {system_disk}), "").error().code == Errc::no_medium);
    CHECK(reason(appeared_alone(between({system_disk}, {new_card}), "")) ==
          "/dev/sda vanished while another port was switched on");
    CHECK(reason(appeared_alone(between({}, {device("/dev/sdb", 5), device("/dev/sdc", 6)}), "")) ==
          "/dev/sdb, /dev/sdc appeared at the same time, but only one can be the card");
}

TEST_CASE("a device name that another medium reuses does not show that the medium is present") {
    const Change change = between({new_card}, {device("/dev/sdb", 6)});
    CHECK(change.appeared.size() == 1);
    CHECK(change.vanished.size() == 1);
    CHECK(appeared_alone(change, "").error().code == Errc::refused);
}

TEST_CASE("absence requires exactly that device to disappear with the voltage") {
    CHECK(vanished_alone(between({system_disk, new_card}, {system_disk}), new_card));
    CHECK(vanished_alone(between({system_disk, new_card}, {system_disk, new_card}), new_card).error().code ==
          Errc::no_medium);
    CHECK(reason(vanished_alone(between({system_disk, new_card}, {new_card}), new_card)) ==
          "/dev/sda vanished when the port of /dev/sdb alone was switched off");
    CHECK(reason(vanished_alone(between({system_disk, new_card}, {}), new_card)) ==
          "/dev/sda, /dev/sdb vanished when the port of /dev/sdb alone was switched off");
    CHECK(vanished_alone(between({new_card}, {device("/dev/sdc", 7)}), new_card).error().code == Errc::refused);
    // A device during removal has incomplete attributes and is not gone yet.
    CHECK(vanished_alone(between({new_card}, {device("/dev/sdb", 0)}), new_card).error().code == Errc::no_medium);
}

TEST_CASE("devices that cannot be a card are not part of the presence handshake") {
    for (const media::Transport transport : {media::Transport::loop, media::Transport::zram, media::Transport::other}) {
        CAPTURE(name_of(transport));
        auto attached = device("/dev/attached", 9), replaced = device("/dev/attached", 10);
        attached.transport = replaced.transport = transport;
        CHECK(appeared_alone(between({attached}, {new_card}), "")->node == "/dev/sdb");
        CHECK(appeared_alone(between({}, {attached, new_card}), "")->node == "/dev/sdb");
        CHECK(appeared_alone(between({attached}, {replaced, new_card}), "")->node == "/dev/sdb");
        CHECK(appeared_alone(between({}, {attached}), "").error().code == Errc::no_medium);
        CHECK(vanished_alone(between({attached, new_card}, {}), new_card));
        CHECK(vanished_alone(between({new_card}, {attached}), new_card));
        CHECK(vanished_alone(between({attached, new_card}, {new_card}), new_card).error().code == Errc::no_medium);
    }
    for (const media::Transport transport : {media::Transport::usb, media::Transport::mmc, media::Transport::nvme,
                                             media::Transport::sata, media::Transport::scsi}) {
        CAPTURE(name_of(transport));
        auto other = device("/dev/other", 9);
        other.transport = transport;
        CHECK(appeared_alone(between({other}, {new_card}), "").error().code == Errc::refused);
    }
}

TEST_CASE("empty slots of a reader do not count as media") {
    CHECK(between({}, {device("/dev/sdc", 7, 0)}).none());
}

TEST_CASE("after a power loss a medium is identified by its data and port, not its name") {
    CHECK(same_medium(new_card, device("/dev/sdc", 9)));
    CHECK_FALSE(same_medium(new_card, device("/dev/sdb", 5, 2 << 20)));
    auto elsewhere = new_card;
    elsewhere.usb->port_path = "1-2";
    CHECK_FALSE(same_medium(new_card, elsewhere));
}
