// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/scenarios.hpp"

namespace mediarig::media::scenarios {

std::vector<Scenario> system_disk_scenarios() {
    return {
        {.name = "the system disk is an NVMe disk",
         .machine = [](Machine& m) { m.nvme_system(); },
         .target = "/dev/nvme0n1",
         .confirmation = "S64DNF0R1",
         .says = "partition nvme0n1p1 carries /boot/efi"},
        {.name = "the system disk is a SATA disk",
         .machine = [](Machine& m) { m.sata("sda", "WD-1").partition("sda1").mount("sda1", "/"); },
         .target = "/dev/sda",
         .confirmation = "WD-1",
         .says = "partition sda1 carries /"},
        {.name = "a Raspberry Pi runs from the SD card that is the target",
         .machine =
             [](Machine& m) {
                 m.sd_card("mmcblk0", "02544d53413034471027b7748500bc00");
                 m.partition("mmcblk0p1").mount("mmcblk0p1", "/boot/firmware", "vfat");
                 m.partition("mmcblk0p2").mount("mmcblk0p2", "/");
             },
         .target = "/dev/mmcblk0",
         .confirmation = "0x27b77485",
         .says = "partition mmcblk0p1 carries /boot/firmware; "},
        {.name = "the system is on eMMC",
         .machine = [](Machine& m) { m.emmc("mmcblk0").partition("mmcblk0p1").mount("mmcblk0p1", "/"); },
         .target = "/dev/mmcblk0",
         .confirmation = "0x6f7a1b22",
         .says = "mmcblk0 is eMMC, soldered to the board; "},
        {.name = "the boot area of an eMMC is the target",
         .machine = [](Machine& m) { m.emmc("mmcblk0"); },
         .target = "/dev/mmcblk0boot0",
         .confirmation = "0x6f7a1b22",
         .says = "mmcblk0boot0 is eMMC, soldered to the board"},
        {.name = "the system disk of a virtual machine",
         .machine = [](Machine& m) { m.virtio("vda").mount("vda", "/"); },
         .target = "/dev/vda",
         .confirmation = "vm-disk-1",
         .says = "vda carries /"},
        {.name = "the root is a logical volume on a USB disk",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11", .driver = "uas"}).partition("sdb1");
                 m.signature("sdb1", "LVM2_member", "raid").dm("dm-0", "vg-root", {"sdb1"}).mount("dm-0", "/");
             },
         .says = "dm-0 ('vg-root') carries /"},
        {.name = "the root is encrypted on a USB disk",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb2");
                 m.dm("dm-0", "cryptroot", {"sdb2"}).mount("dm-0", "/");
             },
         .says = "dm-0 ('cryptroot') carries /"},
        {.name = "the root is a logical volume inside an encrypted partition on a USB disk",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb3");
                 m.dm("dm-0", "crypt", {"sdb3"}).dm("dm-1", "vg-root", {"dm-0"}).mount("dm-1", "/");
             },
         .says = "dm-1 ('vg-root') carries /"},
        {.name = "the root is a mirror of two USB disks and the second disk is the target",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).usb({.name = "sdc", .serial = "BB22", .port = "1-2"});
                 m.stacked("md0", "9", {"sdb", "sdc"}).mount("md0", "/");
             },
         .target = "/dev/sdc",
         .confirmation = "BB22",
         .says = "md0 carries /"},
        {.name = "the root is btrfs, whose device number is anonymous",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb1").btrfs_volume({"sdb1"});
                 m.mount_anonymous("/dev/sdb1", "/", "btrfs", "rw,subvol=/@");
             },
         .says = "partition sdb1 carries /"},
        {.name = "the root is btrfs on two disks and the target is the disk that mountinfo does not show",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).usb({.name = "sdc", .serial = "BB22", .port = "1-2"});
                 m.btrfs_volume({"sdb", "sdc"}).mount_anonymous("/dev/sdb", "/", "btrfs");
             },
         .target = "/dev/sdc",
         .confirmation = "BB22",
         .says = "sdc carries /"},
        {.name = "the root is btrfs and its source names no device",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb2").btrfs_volume({"sdb2"});
                 m.mount_anonymous("/dev/root", "/", "btrfs");
             },
         .says = "partition sdb2 carries /"},
        {.name = "the root is a ZFS pool on a USB disk",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb1");
                 m.signature("sdb1", "zfs_member", "filesystem", "rpool");
                 m.mount_anonymous("rpool/ROOT/debian", "/", "zfs");
             },
         .says = "carries the signature zfs_member 'rpool'"},
        {.name = "a live system runs from the stick that is the target",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb1");
                 m.mount("sdb1", "/run/live/medium", "iso9660");
                 m.loop("loop0", "/run/live/medium/live/filesystem.squashfs");
                 m.mount("loop0", "/run/live/rootfs/filesystem.squashfs", "squashfs");
                 m.mount_anonymous("overlay", "/", "overlay",
                                   "rw,lowerdir=/run/live/rootfs/filesystem.squashfs/,upperdir=/run/live/overlay/rw");
             },
         .says = "partition sdb1 carries /"},
        {.name = "the system runs from a SATA disk in a USB enclosure",
         .machine =
             [](Machine& m) {
                 m.usb(
                     {.name = "sda", .serial = "ASMT0001", .driver = "uas", .model = "2115", .removable_media = false});
                 m.partition("sda1").partition("sda2").mount("sda1", "/boot/efi", "vfat").mount("sda2", "/");
             },
         .target = "/dev/sda",
         .confirmation = "ASMT0001",
         .says = "partition sda1 carries /boot/efi; "},
        {.name = "the system runs from an NVMe disk at a Thunderbolt port",
         .machine =
             [](Machine& m) { m.nvme("nvme0n1", "TB1", "removable").partition("nvme0n1p1").mount("nvme0n1p1", "/"); },
         .target = "/dev/nvme0n1",
         .confirmation = "TB1",
         .says = "partition nvme0n1p1 carries /"},
        {.name = "only /boot is on the stick, and the root is encrypted on another disk",
         .machine =
             [](Machine& m) {
                 m.nvme("nvme0n1", "S64").dm("dm-0", "cryptroot", {"nvme0n1"}).mount("dm-0", "/");
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb1").mount("sdb1", "/boot");
             },
         .says = "partition sdb1 carries /boot"},
        {.name = "/home is on a USB disk",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).mount("sdb", "/home"); },
         .says = "sdb carries /home"},
        {.name = "/var is on an SD card",
         .machine =
             [](Machine& m) {
                 m.nvme_system().sd_card("mmcblk0", "02544d53413034471027b7748500bc00").mount("mmcblk0", "/var");
             },
         .target = "/dev/mmcblk0",
         .confirmation = "0x27b77485",
         .says = "mmcblk0 carries /var"},
        {.name = "swap is on a partition of the stick",
         .machine =
             [](Machine& m) {
                 m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).partition("sdb1").swap("/dev/sdb1");
             },
         .says = "partition sdb1 is in use as swap"},
        {.name = "swap is on an encrypted volume of the stick",
         .machine =
             [](Machine& m) {
                 m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).dm("dm-0", "swap", {"sdb"}).swap("/dev/dm-0");
             },
         .says = "dm-0 ('swap') is in use as swap"},
        {.name = "a swap file is on the stick",
         .machine =
             [](Machine& m) {
                 m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).mount("sdb", "/media/stick");
                 m.swap("/media/stick/swapfile", "file");
             },
         .says = "sdb carries the swap file /media/stick/swapfile"},
        {.name = "mediarig runs in a container, and the stick is the root of the machine outside",
         .machine =
             [](Machine& m) {
                 m.usb({.name = "sdb", .serial = "AA11"}).partition("sdb1").mount_in_init("sdb1", "/");
                 m.mount_anonymous("overlay", "/", "overlay", "rw,lowerdir=/var/lib/containers/l/AAA,upperdir=/d");
             },
         .says = "partition sdb1 carries /"},
        {.name = "the stick next to the system disk is the target, and only that stick is written",
         .machine = [](Machine& m) { m.nvme_system().usb({.name = "sda", .serial = "AA11"}); },
         .target = "/dev/sda",
         .may_write = "sda"},
    };
}

} // namespace mediarig::media::scenarios
