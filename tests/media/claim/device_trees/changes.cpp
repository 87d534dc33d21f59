// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/scenarios.hpp"

namespace mediarig::media::scenarios {
namespace {

void another_stick_takes_the_name(Machine& m) {
    m.unplug("sdb").usb({.name = "sdb", .serial = "BB22", .label = "somebody's stick"});
}

Scenario after_claim(const std::string& name, const std::function<void(Machine&)>& change, const std::string& says) {
    return {.name = name, .says = says, .after_claim = change};
}

} // namespace

std::vector<Scenario> change_scenarios() {
    return {
        after_claim(
            "the stick comes back under another name",
            [](Machine& m) { m.reappear("sdb", {.name = "sdc", .serial = "AA11"}); }, "my stick no longer responds"),
        after_claim(
            "the stick comes back under its old name",
            [](Machine& m) { m.reappear("sdb", {.name = "sdb", .serial = "AA11"}); }, "my stick no longer responds"),
        after_claim("another stick takes over the name and number of the stick", another_stick_takes_the_name,
                    "my stick no longer responds"),
        after_claim(
            "the stick is pulled out", [](Machine& m) { m.unplug("sdb"); }, "my stick no longer responds"),
        after_claim(
            "the card in the reader is exchanged", [](Machine& m) { m.new_medium("sdb", "somebody's card", 32_GiB); },
            "another disk has this name now: its disk sequence"),
        after_claim(
            "the kernel reports another size", [](Machine& m) { m.disk("sdb").facts.size = 16_GiB; },
            "its size is 17.2 GB, but was 34.4 GB when it was identified"),
        after_claim(
            "sysfs reports another size", [](Machine& m) { m.attribute("sdb", "size", "4096"); },
            "/dev/sdb is another device now: size 2097152 bytes"),
        after_claim(
            "the device reports another serial",
            [](Machine& m) { m.attribute("sdb", "device/../../../../serial", "ZZ99"); },
            "/dev/sdb is another device now: serial 'ZZ99'"),
        after_claim(
            "another program mounts the stick", [](Machine& m) { m.mount("sdb", "/media/auto", "exfat"); },
            "sdb is mounted on /media/auto"),
        {.name = "another program tries to open the stick exclusively, but the claim holds it",
         .may_write = "my stick",
         .after_claim = [](Machine& m) { m.held_by("sdb", "process 99 (mkfs.ext4)"); }},
        {.name = "another program opens the stick exclusively between identification and opening",
         .says = "my stick is held exclusively by process 99 (mkfs.ext4)",
         .before_open = [](Machine& m) { m.held_by("sdb", "process 99 (mkfs.ext4)"); }},
        after_claim(
            "another program makes the stick a physical volume",
            [](Machine& m) { m.signature("sdb", "LVM2_member", "raid"); }, "LVM2_member"),
        after_claim(
            "another program opens a partition for writing",
            [](Machine& m) { m.disk("sdb").writer = "/dev/sdb1 is open for writing in process 99 (dd)"; },
            "/dev/sdb may not be erased: /dev/sdb1 is open for writing in process 99 (dd)"),
        after_claim(
            "some process can no longer be examined",
            [](Machine& m) { m.disk("sdb").unseen_writer = "a program may write to it: /proc/99/fd cannot be read"; },
            "/dev/sdb may not be erased: a program may write to it"),
        after_claim(
            "the stick becomes write-protected", [](Machine& m) { m.disk("sdb").facts.read_only = true; },
            "the kernel marks the device as write-protected"),
        after_claim(
            "a second stick with the same serial is plugged in",
            [](Machine& m) { m.usb({.name = "sdc", .serial = "AA11", .port = "1-2"}); },
            "/dev/sdc has the same serial 'AA11'"),
        after_claim(
            "the write protection of the stick can no longer be read", [](Machine& m) { m.unreadable("sdb", "ro"); },
            "cannot be read"),
        after_claim(
            "the mount table can no longer be read", [](Machine& m) { m.unreadable_proc("self/mountinfo"); },
            "cannot be read"),
        {.name = "another stick takes over the name between identification and opening",
         .says = "another disk has this name now: its disk sequence is",
         .before_open = another_stick_takes_the_name},
        {.name = "a disk with another number takes over the name between identification and opening",
         .says = "the opened device is 8:32, the identified one is 8:16",
         .before_open =
             [](Machine& m) {
                 m.usb({.name = "sdc", .serial = "CC33", .port = "1-2", .label = "somebody's stick"});
                 // The node of sdb leads to sdc, because it was renamed, or because a container has its own /dev.
                 auto& farm = m.farm();
                 auto stranger = std::make_shared<PhysicalDisk>("stranger behind the node");
                 stranger->facts = farm.at("/dev/sdc").facts;
                 farm.plug_in("/dev/sdb", stranger);
             }},
        {.name = "the stick is unplugged between identification and opening",
         .says = "/dev/sdb cannot be opened",
         .before_open = [](Machine& m) { m.unplug("sdb"); }},
        {.name = "the stick comes back under another name while the claim opens it",
         .says = "my stick no longer responds",
         .after_open = [](Machine& m) { m.reappear("sdb", {.name = "sdc", .serial = "AA11"}); }},
        {.name = "another program mounts the stick while the claim opens it",
         .says = "sdb is mounted on /media/auto",
         .after_open = [](Machine& m) { m.mount("sdb", "/media/auto"); }},
        {.name = "on an old kernel without disk sequences another stick takes over the name before the open",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.kernel_without_disk_sequence();
             },
         .says = "/dev/sdb is another device now: serial 'BB22'",
         .before_open =
             [](Machine& m) {
                 another_stick_takes_the_name(m);
                 m.kernel_without_disk_sequence();
             }},
        {.name = "a link is changed to another stick between identification and opening",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.usb({.name = "sdc", .serial = "BB22", .port = "1-2"}).link("/dev/disk/by-id/usb-mine", "sdb");
             },
         .target = "/dev/disk/by-id/usb-mine",
         .says = "/dev/disk/by-id/usb-mine is another device now: device number 8:32",
         .before_open = [](Machine& m) { m.link("/dev/disk/by-id/usb-mine", "sdc"); }},
        {.name = "a link is changed to another stick after the claim, which keeps the first stick",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.usb({.name = "sdc", .serial = "BB22", .port = "1-2"}).link("/dev/disk/by-id/usb-mine", "sdb");
             },
         .target = "/dev/disk/by-id/usb-mine",
         .may_write = "my stick",
         .after_claim = [](Machine& m) { m.link("/dev/disk/by-id/usb-mine", "sdc"); }},
        {.name = "another stick is plugged in and out, which does not affect the claim",
         .may_write = "my stick",
         .after_claim = [](Machine& m) { m.usb({.name = "sdc", .serial = "BB22", .port = "1-2"}).unplug("sdc"); }},
        {.name = "the stick is moved to another port while the claim opens it",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.kernel_without_disk_sequence();
             },
         .says = "/dev/sdb is another device now: place",
         .before_open =
             [](Machine& m) {
                 m.reappear("sdb", {.name = "sdb", .serial = "AA11", .port = "1-7"}).kernel_without_disk_sequence();
             }},
    };
}

std::vector<Scenario> doubt_scenarios() {
    const auto stick = [](const std::string& name, const std::function<void(Machine&)>& doubt,
                          const std::string& says) {
        return Scenario{.name = name,
                        .machine =
                            [doubt](Machine& m) {
                                one_stick(m);
                                m.partition("sdb1");
                                doubt(m);
                            },
                        .says = says};
    };
    return {
        stick(
            "the size of the stick cannot be read", [](Machine& m) { m.unreadable("sdb", "size"); }, "cannot be read"),
        stick(
            "the size of the stick is not a number", [](Machine& m) { m.attribute("sdb", "size", "many"); },
            "holds no number: 'many'"),
        stick(
            "the write protection of the stick cannot be read", [](Machine& m) { m.unreadable("sdb", "ro"); },
            "cannot be read"),
        stick(
            "the removable flag of the stick is missing", [](Machine& m) { m.without_attribute("sdb", "removable"); },
            "/removable is missing"),
        stick(
            "the disk sequence of the stick cannot be read", [](Machine& m) { m.unreadable("sdb", "diskseq"); },
            "cannot be read"),
        stick(
            "the devices on the stick cannot be read", [](Machine& m) { m.unreadable("sdb", "holders"); },
            "cannot be read"),
        stick(
            "the devices on the partition cannot be read", [](Machine& m) { m.unreadable("sdb1", "holders"); },
            "cannot be read"),
        stick(
            "sysfs does not list the devices on the partition",
            [](Machine& m) { m.without_attribute("sdb1", "holders"); }, "/holders is missing"),
        stick(
            "the mounts of this process cannot be read", [](Machine& m) { m.unreadable_proc("self/mountinfo"); },
            "cannot be read"),
        stick(
            "the mount table is in an unknown form",
            [](Machine& m) { m.proc("self/mountinfo", "a new and better format\n"); }, "not a line of mountinfo"),
        stick(
            "the mount table of process 1 is in an unknown form",
            [](Machine& m) { m.proc("1/mountinfo", "36 35 nonsense / /mnt rw - ext4 /dev/sdb rw\n"); },
            "not a line of mountinfo"),
        stick(
            "the table of swap areas cannot be read", [](Machine& m) { m.unreadable_proc("swaps"); }, "cannot be read"),
        stick(
            "the table of swap areas is in an unknown form", [](Machine& m) { m.proc("swaps", "/dev/sdb1 cloud 5\n"); },
            "not a line of /proc/swaps"),
        stick(
            "the root file system is on a device that sysfs does not show",
            [](Machine& m) { m.proc("self/mountinfo", "22 1 8:99 / / rw - ext4 /dev/root rw\n"); },
            "device 8:99, which carries /, is not in sysfs"),
        stick(
            "the first sectors of the stick cannot be read", [](Machine& m) { m.disk("sdb").unreadable = true; },
            "its signatures could not be read"),
        {.name = "the mount table of process 1 is unreadable, and the exclusive open compensates for that",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.unreadable_proc("1/mountinfo");
             },
         .may_write = "my stick"},
        {.name = "swap on a device that sysfs does not show, which the exclusive open would detect on the stick",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.swap("/dev/mapper/lost");
             },
         .may_write = "my stick"},
    };
}

} // namespace mediarig::media::scenarios
