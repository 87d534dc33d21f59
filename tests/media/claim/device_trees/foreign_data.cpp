// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/scenarios.hpp"

namespace mediarig::media::scenarios {
namespace {

/// A laptop with a stick "sdb" that has one partition.
Machine& with_stick(Machine& m) {
    return m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).partition("sdb1");
}

Scenario stick(const std::string& name, const std::function<void(Machine&)>& also, const std::string& says) {
    return {.name = name, .machine = [also](Machine& m) { also(with_stick(m)); }, .says = says};
}

} // namespace

std::vector<Scenario> somebodys_data_scenarios() {
    return {
        stick(
            "the stick is mounted as a whole", [](Machine& m) { m.mount("sdb", "/mnt", "exfat"); },
            "sdb is mounted on /mnt"),
        stick(
            "a partition of the stick is mounted", [](Machine& m) { m.mount("sdb1", "/media/me/STICK", "vfat"); },
            "partition sdb1 is mounted on /media/me/STICK"),
        stick(
            "the stick is mounted in several places",
            [](Machine& m) { m.mount("sdb1", "/mnt/a").mount("sdb1", "/mnt/b").mount("sdb1", "/mnt/c"); },
            "partition sdb1 is mounted on /mnt/a and 2 more"),
        stick(
            "the stick is mounted only in the mount namespace of process 1",
            [](Machine& m) { m.mount_in_init("sdb1", "/srv/media"); },
            "partition sdb1 is mounted on /srv/media (in the mount namespace of process 1)"),
        stick(
            "the stick is mounted in an invisible namespace", [](Machine& m) { m.held_by("sdb", "a mount"); },
            "sdb is held exclusively by a mount"),
        stick(
            "the mount point of the stick has a space and a newline in its name",
            [](Machine& m) { m.mount("sdb1", "/media/my\\040stick\\012x", "vfat"); },
            "partition sdb1 is mounted on /media/my stick?x"),
        stick(
            "a FUSE driver has the stick mounted under an anonymous number",
            [](Machine& m) { m.mount_anonymous("/dev/sdb1", "/media/ntfs", "fuseblk"); },
            "partition sdb1 is mounted on /media/ntfs"),
        stick(
            "the stick belongs to a volume group that is not active",
            [](Machine& m) { m.signature("sdb1", "LVM2_member", "raid"); }, "signature LVM2_member"),
        stick(
            "a logical volume on it is active but not mounted", [](Machine& m) { m.dm("dm-0", "vg-data", {"sdb1"}); },
            "partition sdb1 is in use by dm-0 ('vg-data')"),
        stick(
            "the stick is one half of a mirror that is not assembled",
            [](Machine& m) { m.signature("sdb1", "linux_raid_member", "raid", "nas:0"); },
            "signature linux_raid_member 'nas:0'"),
        stick(
            "the stick is one half of a running mirror", [](Machine& m) { m.stacked("md127", "9", {"sdb1"}); },
            "partition sdb1 is in use by md127"),
        stick(
            "the stick belongs to a ZFS pool that is exported",
            [](Machine& m) { m.signature("sdb1", "zfs_member", "filesystem", "tank"); }, "signature zfs_member 'tank'"),
        stick(
            "ZFS has the stick open, which sysfs does not show", [](Machine& m) { m.held_by("sdb", "zfs"); },
            "sdb is held exclusively by zfs"),
        stick(
            "the stick is the backing device of a bcache that is not running",
            [](Machine& m) { m.signature("sdb", "bcache", "other"); }, "signature bcache"),
        stick(
            "the stick is the backing device of a running bcache",
            [](Machine& m) { m.stacked("bcache0", "250", {"sdb"}); }, "sdb is in use by bcache0"),
        stick(
            "the stick contains metadata of a hardware RAID",
            [](Machine& m) { m.signature("sdb", "ddf_raid_member", "raid"); }, "signature ddf_raid_member"),
        stick(
            "the stick contains a VMFS volume", [](Machine& m) { m.signature("sdb1", "VMFS_volume_member", "raid"); },
            "signature VMFS_volume_member"),
        stick(
            "the stick contains an unknown RAID format", [](Machine& m) { m.signature("sdb1", "newraid", "raid"); },
            "carries the signature newraid"),
        stick(
            "the stick is encrypted and locked", [](Machine& m) { m.signature("sdb1", "crypto_LUKS", "crypto"); },
            "holds crypto_LUKS data"),
        stick(
            "the stick is encrypted and unlocked, not mounted",
            [](Machine& m) { m.signature("sdb1", "crypto_LUKS", "crypto").dm("dm-0", "luks-stick", {"sdb1"}); },
            "partition sdb1 is in use by dm-0 ('luks-stick')"),
        stick(
            "the stick is encrypted, unlocked and mounted",
            [](Machine& m) { m.dm("dm-0", "luks-stick", {"sdb1"}).mount("dm-0", "/media/secret"); },
            "dm-0 ('luks-stick') is mounted on /media/secret"),
        stick(
            "the stick is a BitLocker To Go stick", [](Machine& m) { m.signature("sdb1", "BitLocker", "crypto"); },
            "holds BitLocker data"),
        stick(
            "the stick has a signature of a volume group that udev has not seen",
            [](Machine& m) {
                m.property("sdb", "USEC_INITIALIZED", "1")
                    .hidden_signature(
                        "sdb1", {.type = "LVM2_member", .usage = "raid", .label = {}, .offset = {}, .devices = 1});
            },
            "LVM2_member"),
        stick(
            "the btrfs file system of the stick spans two devices, and the other device is not attached",
            [](Machine& m) {
                m.hidden_signature(
                    "sdb1", {.type = "btrfs", .usage = "filesystem", .label = "pair", .offset = {}, .devices = 2});
            },
            "is one of 2 devices of the btrfs file system 'pair'"),
        {.name = "the other half of the btrfs file system is on another attached stick",
         .machine =
             [](Machine& m) {
                 with_stick(m).usb({.name = "sdc", .serial = "BB22", .port = "1-2"});
                 for (const char* half : {"sdb1", "sdc"}) {
                     m.property(half, "ID_FS_TYPE", "btrfs").property(half, "ID_FS_UUID", "6f2d0c4e");
                     m.hidden_signature(
                         half, {.type = "btrfs", .usage = "filesystem", .label = {}, .offset = {}, .devices = 2});
                 }
             },
         .says = "btrfs file system"},
        stick(
            "a program is writing an image to the stick", [](Machine& m) { m.held_by("sdb", "process 812 (dd)"); },
            "sdb is held exclusively by process 812 (dd)"),
        stick(
            "a loop device uses a partition of the stick", [](Machine& m) { m.loop("loop4", "/dev/sdb1"); },
            "partition sdb1 is in use by loop4"),
        stick(
            "the stick is one of two paths of a multipath device",
            [](Machine& m) { m.dm("dm-0", "mpatha", {"sdb"}).attribute("dm-0", "dm/uuid", "mpath-3600508b400105e21"); },
            "sdb is a path of the multipath device dm-0 ('mpatha')"),
        stick(
            "a loop device that does not answer may use the stick",
            [](Machine& m) { m.loop("loop4", "/mnt/gone.img"); },
            "the range of loop4 is unknown: loop4 does not answer, and its backing file /mnt/gone.img is not visible "
            "here"),
        stick(
            "only `holders` shows that a device uses the stick",
            [](Machine& m) { m.dm("dm-0", "half-set-up", {"sdb1"}).without_attribute("dm-0", "slaves"); },
            "partition sdb1 is in use by dm-0 ('half-set-up')"),
        stick(
            "only `slaves` shows that a device uses the stick",
            [](Machine& m) { m.dm("dm-0", "half-torn-down", {"sdb1"}).without_attribute("sdb1", "holders/dm-0"); },
            "partition sdb1 is in use by dm-0 ('half-torn-down')"),
        {.name = "a plain file system without users may be erased",
         .machine = [](Machine& m) { with_stick(m).signature("sdb1", "exfat", "filesystem", "CAMERA"); },
         .may_write = "sdb"},
    };
}

} // namespace mediarig::media::scenarios
