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
        after_claim("another stick takes its name and number", another_stick_takes_the_name,
                    "my stick no longer responds"),
        after_claim(
            "the stick is pulled out", [](Machine& m) { m.unplug("sdb"); }, "my stick no longer responds"),
        after_claim(
            "the card in the reader is exchanged", [](Machine& m) { m.new_medium("sdb", "somebody's card", 32_GiB); },
            "another disk has this name now: its disk sequence"),
        after_claim(
            "the kernel reports another size", [](Machine& m) { m.disk("sdb").facts.size = 16_GiB; },
            "it has 17.2 GB, and 34.4 GB when it was identified"),
        after_claim(
            "sysfs reports another size", [](Machine& m) { m.attribute("sdb", "size", "4096"); },
            "/dev/sdb is another device now: size 2097152 bytes"),
        after_claim(
            "the device says another serial",
            [](Machine& m) { m.attribute("sdb", "device/../../../../serial", "ZZ99"); },
            "/dev/sdb is another device now: serial 'ZZ99'"),
        after_claim(
            "somebody mounts it", [](Machine& m) { m.mount("sdb", "/media/auto", "exfat"); },
            "sdb is mounted on /media/auto"),
        {.name = "somebody wants to open it exclusively, and the claim holds it",
         .may_write = "my stick",
         .after_claim = [](Machine& m) { m.held_by("sdb", "process 99 (mkfs.ext4)"); }},
        {.name = "somebody opens it exclusively between identifying and opening",
         .says = "my stick is held exclusively by process 99 (mkfs.ext4)",
         .before_open = [](Machine& m) { m.held_by("sdb", "process 99 (mkfs.ext4)"); }},
        after_claim(
            "somebody makes it a physical volume", [](Machine& m) { m.signature("sdb", "LVM2_member", "raid"); },
            "LVM2_member"),
        after_claim(
            "somebody opens a partition for writing",
            [](Machine& m) { m.disk("sdb").writer = "/dev/sdb1 is open for writing in process 99 (dd)"; },
            "/dev/sdb may not be erased: /dev/sdb1 is open for writing in process 99 (dd)"),
        after_claim(
            "not every process can be examined any more",
            [](Machine& m) { m.disk("sdb").unseen_writer = "a program may write to it: /proc/99/fd cannot be read"; },
            "/dev/sdb may not be erased: a program may write to it"),
        after_claim(
            "it becomes write-protected", [](Machine& m) { m.disk("sdb").facts.read_only = true; },
            "the kernel has set it write-protected"),
        after_claim(
            "a second stick of the same serial is plugged in",
            [](Machine& m) { m.usb({.name = "sdc", .serial = "AA11", .port = "1-2"}); },
            "/dev/sdc has the same serial 'AA11'"),
        after_claim(
            "its state cannot be read any more", [](Machine& m) { m.unreadable("sdb", "ro"); }, "cannot be read"),
        after_claim(
            "the table of mounts cannot be read any more", [](Machine& m) { m.unreadable_proc("self/mountinfo"); },
            "cannot be read"),
        {.name = "another stick takes its name between identifying and opening",
         .says = "another disk has this name now: its disk sequence is",
         .before_open = another_stick_takes_the_name},
        {.name = "a disk of another number takes its name between identifying and opening",
         .says = "the opened device is 8:32, the identified one is 8:16",
         .before_open =
             [](Machine& m) {
                 m.usb({.name = "sdc", .serial = "CC33", .port = "1-2", .label = "somebody's stick"});
                 // The node of sdb leads to sdc: it was renamed, or a container has its own /dev.
                 auto& farm = m.farm();
                 auto stranger = std::make_shared<PhysicalDisk>("stranger behind the node");
                 stranger->facts = farm.at("/dev/sdc").facts;
                 farm.plug_in("/dev/sdb", stranger);
             }},
        {.name = "the stick vanishes between identifying and opening",
         .says = "/dev/sdb cannot be opened",
         .before_open = [](Machine& m) { m.unplug("sdb"); }},
        {.name = "the stick comes back under another name while it is being opened",
         .says = "my stick no longer responds",
         .after_open = [](Machine& m) { m.reappear("sdb", {.name = "sdc", .serial = "AA11"}); }},
        {.name = "somebody mounts it while it is being opened",
         .says = "sdb is mounted on /media/auto",
         .after_open = [](Machine& m) { m.mount("sdb", "/media/auto"); }},
        {.name = "on an old kernel without disk sequences another stick takes its name before the open",
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
        {.name = "a link is pointed at another stick between identifying and opening",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.usb({.name = "sdc", .serial = "BB22", .port = "1-2"}).link("/dev/disk/by-id/usb-mine", "sdb");
             },
         .target = "/dev/disk/by-id/usb-mine",
         .says = "/dev/disk/by-id/usb-mine is another device now: device number 8:32",
         .before_open = [](Machine& m) { m.link("/dev/disk/by-id/usb-mine", "sdc"); }},
        {.name = "a link is pointed at another stick after the claim, which holds on to the first",
         .machine =
             [](Machine& m) {
                 one_stick(m);
                 m.usb({.name = "sdc", .serial = "BB22", .port = "1-2"}).link("/dev/disk/by-id/usb-mine", "sdb");
             },
         .target = "/dev/disk/by-id/usb-mine",
         .may_write = "my stick",
         .after_claim = [](Machine& m) { m.link("/dev/disk/by-id/usb-mine", "sdc"); }},
        {.name = "another stick is plugged in and out beside it, which is nobody's business",
         .may_write = "my stick",
         .after_claim = [](Machine& m) { m.usb({.name = "sdc", .serial = "BB22", .port = "1-2"}).unplug("sdc"); }},
        {.name = "the stick is moved to another port while it is being opened",
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
            "its size cannot be read", [](Machine& m) { m.unreadable("sdb", "size"); }, "cannot be read"),
        stick(
            "its size is not a number", [](Machine& m) { m.attribute("sdb", "size", "many"); },
            "holds no number: 'many'"),
        stick(
            "its write protection cannot be read", [](Machine& m) { m.unreadable("sdb", "ro"); }, "cannot be read"),
        stick(
            "its removable flag is missing", [](Machine& m) { m.without_attribute("sdb", "removable"); },
            "/removable is missing"),
        stick(
            "its disk sequence cannot be read", [](Machine& m) { m.unreadable("sdb", "diskseq"); }, "cannot be read"),
        stick(
            "what stands on it cannot be read", [](Machine& m) { m.unreadable("sdb", "holders"); }, "cannot be read"),
        stick(
            "what stands on its partition cannot be read", [](Machine& m) { m.unreadable("sdb1", "holders"); },
            "cannot be read"),
        stick(
            "what stands on its partition is not shown at all",
            [](Machine& m) { m.without_attribute("sdb1", "holders"); }, "/holders is missing"),
        stick(
            "our own mounts cannot be read", [](Machine& m) { m.unreadable_proc("self/mountinfo"); }, "cannot be read"),
        stick(
            "the table of mounts is in a form that we do not know",
            [](Machine& m) { m.proc("self/mountinfo", "a new and better format\n"); }, "not a line of mountinfo"),
        stick(
            "the mounts of process 1 are in a form that we do not know",
            [](Machine& m) { m.proc("1/mountinfo", "36 35 nonsense / /mnt rw - ext4 /dev/sdb rw\n"); },
            "not a line of mountinfo"),
        stick(
            "the table of swaps cannot be read", [](Machine& m) { m.unreadable_proc("swaps"); }, "cannot be read"),
        stick(
            "the table of swaps is in a form that we do not know",
            [](Machine& m) { m.proc("swaps", "/dev/sdb1 cloud 5\n"); }, "not a line of /proc/swaps"),
        stick(
            "the root lies on a device that sysfs does not show",
            [](Machine& m) { m.proc("self/mountinfo", "22 1 8:99 / / rw - ext4 /dev/root rw\n"); },
            "device 8:99, which carries /, is not in sysfs"),
        stick(
            "its first sectors cannot be read", [](Machine& m) { m.disk("sdb").unreadable = true; },
            "its signatures could not be read"),
        {.name = "the mounts of process 1 are closed to us, which the exclusive open makes good",
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
