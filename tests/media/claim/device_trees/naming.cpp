// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/scenarios.hpp"

namespace mediarig::media::scenarios {
namespace {

void two_sticks(Machine& m) {
    m.nvme_system()
        .usb({.name = "sdb", .serial = "AA11", .port = "1-1"})
        .usb({.name = "sdc", .serial = "BB22", .port = "1-2"});
}

/// Readers of one batch: same serial, on one hub.
void twin_readers(Machine& m) {
    m.nvme_system().usb({.name = "sdb", .serial = "000000000001", .port = "1-4.1"});
    m.usb({.name = "sdc", .serial = "000000000001", .port = "1-4.2"});
}

/// One reader with four slots: one USB device, four logical units.
void four_slots(Machine& m, Bytes others) {
    m.nvme_system().usb({.name = "sdb", .serial = "RDR4", .port = "1-3", .lun = "0", .size = others});
    m.usb({.name = "sdc", .serial = "RDR4", .port = "1-3", .lun = "1"});
    m.usb({.name = "sdd", .serial = "RDR4", .port = "1-3", .lun = "2", .size = others});
    m.usb({.name = "sde", .serial = "RDR4", .port = "1-3", .lun = "3", .size = {}});
}

Scenario confirmed_with(const std::string& name, const std::string& confirmation, const std::string& says) {
    return {.name = name, .machine = two_sticks, .confirmation = confirmation, .says = says};
}

} // namespace

std::vector<Scenario> naming_scenarios() {
    return {
        confirmed_with("no confirmation is given", "", "no confirmation was given"),
        confirmed_with("the confirmation is the other stick's serial", "BB22", "the confirmation does not match"),
        confirmed_with("the confirmation is in lower case", "aa11", "the confirmation does not match"),
        confirmed_with("the confirmation has a trailing blank", "AA11 ", "the confirmation does not match"),
        confirmed_with("the confirmation is a blank", " ", "the confirmation does not match"),
        confirmed_with("the confirmation is the first half of the serial", "AA", "the confirmation does not match"),
        confirmed_with("the confirmation is the path, although the stick has a serial", "/dev/sdb",
                       "the confirmation does not match"),
        confirmed_with("the confirmation is the port, although the serial names one stick", "usb port path 1-1",
                       "the confirmation does not match"),
        {.name = "the second of two sticks is the target",
         .machine = two_sticks,
         .target = "/dev/sdc",
         .confirmation = "BB22",
         .may_write = "sdc"},
        {.name = "a stick without a serial is confirmed by its path",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sdb", .serial = ""}); },
         .confirmation = "/dev/sdb",
         .may_write = "sdb"},
        {.name = "a stick without a serial is confirmed by another path",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sdb", .serial = ""}); },
         .confirmation = "/dev/sdc",
         .says = "the confirmation does not match"},
        {.name = "a partition is the target instead of its disk",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).partition("sdb1"); },
         .target = "/dev/sdb1",
         .says = "sdb1 is a partition of sdb: name the whole device /dev/sdb"},
        {.name = "a directory is the target",
         .machine = two_sticks,
         .target = "/dev",
         .says = "/dev is a directory: name a block device or an image file"},
        {.name = "a character device is the target",
         .machine = two_sticks,
         .target = "/dev/null",
         .says = "/dev/null is neither a block device nor an image file"},
        {.name = "a missing device is the target",
         .machine = two_sticks,
         .target = "/dev/sdx",
         .says = "/dev/sdx cannot be used: No such file or directory"},
        {.name = "the target is empty", .machine = two_sticks, .target = "", .says = "no device or image"},
        {.name = "a link by serial leads to the stick",
         .machine =
             [](Machine& m) {
                 two_sticks(m);
                 m.link("/dev/disk/by-id/usb-stick", "sdc");
             },
         .target = "/dev/disk/by-id/usb-stick",
         .confirmation = "BB22",
         .may_write = "sdc"},
        {.name = "a stale link leads to the other stick",
         .machine =
             [](Machine& m) {
                 two_sticks(m);
                 m.link("/dev/disk/by-id/usb-stick", "sdc");
             },
         .target = "/dev/disk/by-id/usb-stick",
         .says = "the confirmation does not match"},
        {.name = "a link leads to a partition",
         .machine =
             [](Machine& m) {
                 two_sticks(m);
                 m.partition("sdb1").link("/dev/disk/by-label/CAMERA", "sdb1");
             },
         .target = "/dev/disk/by-label/CAMERA",
         .says = "sdb1 is a partition of sdb"},
        {.name = "two readers have the same serial, and the serial is given",
         .machine = twin_readers,
         .confirmation = "000000000001",
         .says = "/dev/sdc has the same serial '000000000001': confirm with 'usb port path 1-4.1' instead"},
        {.name = "two readers have the same serial, and the port is given",
         .machine = twin_readers,
         .target = "/dev/sdc",
         .confirmation = "usb port path 1-4.2",
         .may_write = "sdc"},
        {.name = "two readers have the same serial, and the port of the other reader is given",
         .machine = twin_readers,
         .confirmation = "usb port path 1-4.2",
         .says = "has the same serial"},
        {.name = "two readers have the same serial, and the path is given",
         .machine = twin_readers,
         .confirmation = "/dev/sdb",
         .says = "has the same serial"},
        {.name = "two readers have the same serial, and the other reader is mounted",
         .machine =
             [](Machine& m) {
                 twin_readers(m);
                 m.mount("sdc", "/mnt");
             },
         .confirmation = "000000000001",
         .says = "has the same serial"},
        {.name = "the port distinguishes two readers but lifts no other refusal",
         .machine =
             [](Machine& m) {
                 twin_readers(m);
                 m.mount("sdc", "/mnt");
             },
         .target = "/dev/sdc",
         .confirmation = "usb port path 1-4.2",
         .says = "sdc is mounted on /mnt"},
        {.name = "cards in several slots of one reader, and the reader's serial is given",
         .machine = [](Machine& m) { four_slots(m, 32_GiB); },
         .target = "/dev/sdc",
         .confirmation = "RDR4",
         .says = "confirm with 'usb port path 1-3 lun 1' instead"},
        {.name = "cards in several slots of one reader, and the slot is given",
         .machine = [](Machine& m) { four_slots(m, 32_GiB); },
         .target = "/dev/sdc",
         .confirmation = "usb port path 1-3 lun 1",
         .may_write = "sdc"},
        {.name = "cards in several slots of one reader, and another slot is given",
         .machine = [](Machine& m) { four_slots(m, 32_GiB); },
         .target = "/dev/sdd",
         .confirmation = "usb port path 1-3 lun 1",
         .says = "has the same serial"},
        {.name = "one card in a reader with four slots needs no port",
         .machine = [](Machine& m) { four_slots(m, {}); },
         .target = "/dev/sdc",
         .confirmation = "RDR4",
         .may_write = "sdc"},
        {.name = "the target is the fifth of seven readers on a hub",
         .machine =
             [](Machine& m) {
                 m.nvme_system();
                 for (int i = 0; i < 7; ++i) {
                     const std::string letter(1, static_cast<char>('b' + i));
                     const std::string port = "1-1." + std::to_string(i + 1);
                     m.usb({.name = "sd" + letter, .serial = "READER-" + std::to_string(i), .port = port});
                 }
             },
         .target = "/dev/sdf",
         .confirmation = "READER-4",
         .may_write = "sdf"},
        {.name = "two NVMe namespaces share a serial and have no port to distinguish them",
         .machine =
             [](Machine& m) { m.nvme_system().nvme("nvme1n1", "TB", "removable").nvme("nvme1n2", "TB", "removable"); },
         .target = "/dev/nvme1n1",
         .confirmation = "TB",
         .says = "/dev/nvme1n2 has the same serial 'TB'"},
    };
}

} // namespace mediarig::media::scenarios
