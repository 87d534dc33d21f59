// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/power/hub/hub_machine.hpp"

using namespace mediarig;
using namespace mediarig::rig;

TEST_CASE("the path of a USB device gives hub and port") {
    struct Row {
        const char* path;
        UsbPort port;
    };
    const Row rows[] = {{"1-1.4.2", {"1-1.4", 2}}, {"1-2", {"1", 2}}, {"12-10.15", {"12-10", 15}}};
    for (const Row& row : rows) {
        CAPTURE(row.path);
        const auto port = usb_port(row.path);
        REQUIRE(reason(port) == "success");
        CHECK(*port == row.port);
        CHECK(port->path() == row.path);
    }
    for (const char* wrong :
         {"", "1", "1-", "-1", "1-1.", "1-1..2", "1-0", "1-256", "1-1 ", "usb1", "1-1:1.0", "a-1", "1-1-2"}) {
        CAPTURE(wrong);
        CHECK_THAT(reason(usb_port(wrong)),
                   ContainsSubstring("is not a USB path: give bus and ports, such as 1-1.4.2"));
    }
}

TEST_CASE("the halves of a USB 3 port are found through the kernel's peer links from either side") {
    const HubMachine machine;
    const auto halves = halves_of({"1-1", 2});
    REQUIRE(reason(halves) == "success");
    CHECK(*halves == std::vector<UsbPort>{{"1-1", 2}, {"2-1", 2}});
    CHECK(*halves_of({"2-1", 3}) == std::vector<UsbPort>{{"2-1", 3}, {"1-1", 3}});
    CHECK(reason(halves_of({"1-1", 9})) ==
          "this machine has no USB port 1-1.9 (port 9 of hub 1-1): look for the hub's "
          "path with lsusb -t");
}

TEST_CASE("devices below hubs are listed with their descriptors and disks") {
    HubMachine machine;
    machine.plug_reader(2, "R2");
    machine.plug_hub(4);
    machine.add_disk(2, "sdb");
    const auto devices = usb_devices_below({"1-1", "2-1"});
    REQUIRE(reason(devices) == "success");
    const UsbDevice hub{.path = "1-1.4", .vendor = "05e3", .product = "0610", .serial = "", .hub = true, .disks = {}};
    const UsbDevice reader{
        .path = "2-1.2", .vendor = "05e3", .product = "0749", .serial = "R2", .hub = false, .disks = {"sdb"}};
    CHECK(*devices == std::vector<UsbDevice>{hub, reader});
    CHECK(is_at(reader, {"2-1", 2}));
    CHECK(is_at(reader, {"2", 1}));
    CHECK_FALSE(is_at(reader, {"2-1", 22}));
    CHECK_FALSE(is_at(reader, {"1-1", 2}));
}

TEST_CASE("without the kernel's list of disks the use of devices is unknown") {
    HubMachine machine;
    machine.plug_reader(2, "R2");
    machine.hide_disks();
    CHECK(reason(usb_devices_below({"1-1", "2-1"})) == "/sys/class/block/ is missing: is sysfs mounted?");
}
