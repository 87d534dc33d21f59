// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/scenarios.hpp"

namespace mediarig::media::scenarios {

std::vector<Scenario> kind_of_medium_scenarios() {
    const std::string card = "02544d53413034471027b7748500bc00", card_serial = "0x27b77485";
    return {
        {.name = "a stick with Bulk-Only Transport",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sda", .serial = "AA11"}); },
         .target = "/dev/sda",
         .may_write = "sda"},
        {.name = "a solid-state disk with UAS",
         .machine =
             [](Machine& m) {
                 m.nvme_system().usb(
                     {.name = "sda", .serial = "S5XY", .driver = "uas", .model = "PSSD T7", .removable_media = false});
             },
         .target = "/dev/sda",
         .confirmation = "S5XY",
         .may_write = "sda"},
        {.name = "an SD card in the machine's own slot",
         .machine = [card](Machine& m) { m.nvme_system().sd_card("mmcblk0", card); },
         .target = "/dev/mmcblk0",
         .confirmation = card_serial,
         .may_write = "mmcblk0"},
        {.name = "an SD card next to the eMMC that the system runs from",
         .machine =
             [card](Machine& m) {
                 m.emmc("mmcblk0").partition("mmcblk0p1").mount("mmcblk0p1", "/").sd_card("mmcblk1", card);
             },
         .target = "/dev/mmcblk1",
         .confirmation = card_serial,
         .may_write = "mmcblk1"},
        {.name = "an NVMe disk at a Thunderbolt port",
         .machine = [](Machine& m) { m.nvme_system().nvme("nvme1n1", "TB-777", "removable"); },
         .target = "/dev/nvme1n1",
         .confirmation = "TB-777",
         .may_write = "nvme1n1"},
        {.name = "a SATA disk at a Thunderbolt port",
         .machine = [](Machine& m) { m.nvme_system().sata("sda", "WD-9", "removable"); },
         .target = "/dev/sda",
         .confirmation = "WD-9",
         .may_write = "sda"},
        {.name = "a card in a reader that is built into the case",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sda", .serial = "RTS1", .wiring = "fixed"}); },
         .target = "/dev/sda",
         .confirmation = "RTS1",
         .may_write = "sda"},
        {.name = "an unused compressed RAM disk",
         .machine = [](Machine& m) { m.nvme_system().virtual_disk("zram0", "251"); },
         .target = "/dev/zram0",
         .confirmation = "/dev/zram0",
         .may_write = "zram0"},
        {.name = "the compressed RAM disk is the machine's swap",
         .machine = [](Machine& m) { m.nvme_system().virtual_disk("zram0", "251").swap("/dev/zram0"); },
         .target = "/dev/zram0",
         .confirmation = "/dev/zram0",
         .says = "zram0 is in use as swap"},
        {.name = "an unused internal SATA data disk",
         .machine = [](Machine& m) { m.nvme_system().sata("sda", "WD-9"); },
         .target = "/dev/sda",
         .confirmation = "WD-9",
         .says = "sda is an internal sata disk according to the kernel"},
        {.name = "an unused internal NVMe data disk",
         .machine = [](Machine& m) { m.nvme_system().nvme("nvme1n1", "DATA"); },
         .target = "/dev/nvme1n1",
         .confirmation = "DATA",
         .says = "nvme1n1 is an internal nvme disk according to the kernel"},
        {.name = "a PCI port for which the kernel does not know whether it is external",
         .machine = [](Machine& m) { m.nvme_system().sata("sda", "WD-9", "unknown"); },
         .target = "/dev/sda",
         .confirmation = "WD-9",
         .says = "sda is an internal sata disk"},
        {.name = "a second disk of a virtual machine",
         .machine = [](Machine& m) { m.virtio("vda").mount("vda", "/").virtio("vdb"); },
         .target = "/dev/vdb",
         .confirmation = "vm-disk-1",
         .says = "vdb is neither on USB, nor an SD card, nor at a Thunderbolt port"},
        {.name = "an eMMC that the system does not use",
         .machine = [](Machine& m) { m.nvme_system().emmc("mmcblk0"); },
         .target = "/dev/mmcblk0",
         .confirmation = "0x6f7a1b22",
         .says = "mmcblk0 is eMMC, soldered to the board"},
        {.name = "a USB disk wired inside the machine",
         .machine =
             [](Machine& m) {
                 m.nvme_system().usb({.name = "sda", .serial = "EUSB", .wiring = "fixed", .removable_media = false});
             },
         .target = "/dev/sda",
         .confirmation = "EUSB",
         .says = "sda is a USB disk wired inside this machine"},
        {.name = "a disk of a storage server, over iSCSI",
         .machine = [](Machine& m) { m.nvme_system().iscsi("sda"); },
         .target = "/dev/sda",
         .confirmation = "/dev/sda",
         .says = "sda is an internal scsi disk"},
        {.name = "a network block device",
         .machine = [](Machine& m) { m.nvme_system().virtual_disk("nbd0", "43"); },
         .target = "/dev/nbd0",
         .confirmation = "/dev/nbd0",
         .says = "is neither on USB"},
        {.name = "a logical volume is the target instead of a disk",
         .machine = [](Machine& m) { m.nvme_system().dm("dm-0", "vg-data", {}); },
         .target = "/dev/dm-0",
         .confirmation = "/dev/dm-0",
         .says = "is neither on USB"},
        {.name = "an optical disc",
         .machine = [](Machine& m) { m.nvme_system().optical("sr0").attribute("sr0", "ro", "1"); },
         .target = "/dev/sr0",
         .confirmation = "/dev/sr0",
         .says = "sr0 is write-protected; "},
        {.name = "a stick with its write-protect switch on",
         .machine =
             [](Machine& m) { m.nvme_system().usb({.name = "sda", .serial = "AA11"}).attribute("sda", "ro", "1"); },
         .target = "/dev/sda",
         .says = "sda is write-protected"},
        {.name = "an empty slot of a reader",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sda", .serial = "RDR1", .size = {}}); },
         .target = "/dev/sda",
         .confirmation = "RDR1",
         .says = "sda holds no medium: its slot is empty"},
        {.name = "a medium of a few sectors",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sda", .serial = "AA11", .size = 512_KiB}); },
         .target = "/dev/sda",
         .says = "sda has 524 kB, less than 1 MiB"},
        {.name = "a loop device on an image file",
         .machine =
             [](Machine& m) { m.nvme_system().loop("loop0", m.file("card.img", 64_MiB)).link("/mnt/image", "loop0"); },
         .target = "/dev/loop0",
         .confirmation = "(its image)",
         .may_write = "loop0"},
        {.name = "a loop device on the system disk",
         .machine = [](Machine& m) { m.nvme_system().loop("loop0", "/dev/nvme0n1"); },
         .target = "/dev/loop0",
         .confirmation = "/dev/nvme0n1",
         .says = "loop0 is backed by /dev/nvme0n1, which is not a file: name that device instead"},
        {.name = "a loop device on a file that was deleted",
         .machine = [](Machine& m) { m.nvme_system().loop("loop0", "/srv/gone.img (deleted)"); },
         .target = "/dev/loop0",
         .confirmation = "/srv/gone.img (deleted)",
         .says = "the backing file /srv/gone.img (deleted) cannot be seen from here"},
        {.name = "a loop device without an attached file",
         .machine = [](Machine& m) { m.nvme_system().loop("loop0", ""); },
         .target = "/dev/loop0",
         .confirmation = "/dev/loop0",
         .says = "loop0 has no image attached"},
        {.name = "a loop device with a mounted package",
         .machine =
             [](Machine& m) {
                 m.nvme_system().loop("loop0", m.file("core.snap", 64_MiB)).attribute("loop0", "ro", "1");
                 m.mount("loop0", "/snap/core/1", "squashfs");
             },
         .target = "/dev/loop0",
         .confirmation = "(its image)",
         .says = "loop0 is write-protected; loop0 is mounted on /snap/core/1"},
        {.name = "a loop device whose bytes are mounted through another loop device",
         .machine =
             [](Machine& m) {
                 const std::string file = m.file("card.img", 64_MiB);
                 m.nvme_system().loop("loop0", file).loop("loop1", file).mount("loop1", "/mnt");
             },
         .target = "/dev/loop0",
         .confirmation = "(its image)",
         .says = "loop1, over the same bytes as loop0, is mounted on /mnt"},
        {.name = "a loop device whose first bytes another loop device also shows",
         .machine =
             [](Machine& m) {
                 const std::string file = m.file("card.img", 64_MiB);
                 m.nvme_system().loop("loop0", file).loop("loop1", file);
                 m.attribute("loop0", "loop/offset", "1048576").attribute("loop0", "loop/sizelimit", "1048576");
                 m.attribute("loop1", "loop/offset", "0").attribute("loop1", "loop/sizelimit", "1049088");
             },
         .target = "/dev/loop0",
         .confirmation = "(its image)",
         .says = "loop1 shows the same bytes of "},
        {.name = "two loop devices that show different ranges of one file",
         .machine =
             [](Machine& m) {
                 const std::string file = m.file("card.img", 64_MiB);
                 m.nvme_system().loop("loop0", file).loop("loop1", file).mount("loop1", "/mnt");
                 m.attribute("loop0", "loop/offset", "1048576").attribute("loop0", "loop/sizelimit", "1048576");
                 m.attribute("loop1", "loop/offset", "2097152").attribute("loop1", "loop/sizelimit", "0");
             },
         .target = "/dev/loop0",
         .confirmation = "(its image)",
         .may_write = "loop0"},
        {.name = "a loop device on a swap file",
         .machine =
             [](Machine& m) {
                 const std::string file = m.file("swapfile", 64_MiB);
                 m.nvme_system().loop("loop0", file).swap(file, "file");
             },
         .target = "/dev/loop0",
         .confirmation = "(its image)",
         .says = "the backing file of loop0 is in use as swap"},
    };
}

} // namespace mediarig::media::scenarios
