// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/scenarios/stacks.hpp"

namespace mediarig::lab {
namespace {

constexpr Stack all[] = {
    // Encryption.
    {"LUKS, closed", "luks $T; unlock $T x; fill /dev/mapper/x; cryptsetup close x; : >/s/sums", "encrypted", "", false,
     true},
    {"LUKS, open and mounted", "luks $T; unlock $T x; volume /dev/mapper/x /s/m", "encrypted|held"},
    {"LUKS on a partition, closed", "cut $T 64; luks $(part $T 1)", "encrypted", "", false, true},
    {"LUKS with its header on another card",
     "luks $A; luks --header $A $T; unlock --header $A $T x; volume /dev/mapper/x /s/m", "held"},
    {"dm-crypt without a header", "plain x $T; volume /dev/mapper/x /s/m", "held"},
    {"dm-crypt over the second half", "plain x $T 131072; fill /dev/mapper/x", "held"},

    // Linear, snapshot, thin and multipath maps.
    {"dm-linear over the medium", "linear x $T; volume /dev/mapper/x /s/m", "held"},
    {"dm-linear over one MiB in the middle", "linear x $T 65536 2048; fill /dev/mapper/x", "held"},
    {"dm-linear over a partition", "cut $T 64; linear x $(part $T 1); fill /dev/mapper/x", "held"},
    {"dm-linear over dm-linear over a partition",
     "cut $T 64; linear x $(part $T 1); linear y /dev/mapper/x; volume /dev/mapper/y /s/m", "held"},
    {"origin of a dm-snapshot",
     "dd if=/dev/zero of=$A bs=64k count=1 conv=fsync 2>/dev/null; "
     "dmsetup create x --table \"0 $(sectors $T) snapshot-origin $T\"; "
     "dmsetup create y --table \"0 $(sectors $T) snapshot $T $A P 8\"; dmsetup mknodes; fill /dev/mapper/y",
     "held"},
    {"store of a dm-snapshot",
     "dmsetup create y --table \"0 $(sectors $A) snapshot $A $T P 8\"; dmsetup mknodes; fill /dev/mapper/y",
     "held|raid_member"},
    {"store of a dm-snapshot, put away",
     "dmsetup create y --table \"0 $(sectors $A) snapshot $A $T P 8\"; dmsetup mknodes; fill /dev/mapper/y; "
     "dmsetup remove y; : >/s/sums",
     "raid_member", "", false, true},
    {"data of a thin pool",
     "dd if=/dev/zero of=$A bs=4096 count=1 conv=fsync 2>/dev/null; dmsetup create pool --table \"0 $(sectors $T) "
     "thin-pool $A $T 128 0\"; dmsetup message pool 0 'create_thin 0'; "
     "dmsetup mknodes; dmsetup create x --table '0 65536 thin /dev/mapper/pool 0'; dmsetup mknodes; fill /dev/mapper/x",
     "held"},
    {"multipath with one path",
     "dmsetup create x --table \"0 $(sectors $T) multipath 0 0 1 1 round-robin 0 1 1 $T 100\"; dmsetup mknodes; "
     "volume /dev/mapper/x /s/m",
     "held"},

    // LVM.
    {"LVM volume without a group", "lvm pvcreate -qq -ff -y $T", "raid_member", "", false, true},
    {"LVM group, not active",
     "group $T; cut_volume -l 50%FREE; fill /dev/scenario/one; lvm vgchange -qq -an scenario; : >/s/sums",
     "raid_member", "", false, true},
    {"LVM volume, mounted", "group $T; cut_volume -L 64M; volume /dev/scenario/one /s/m", "held|raid_member"},
    {"LVM on a partition, not active",
     "cut $T 64; group $(part $T 2); cut_volume -L 16M; lvm vgchange -qq -an scenario", "raid_member", "", false, true},
    {"LVM on a partition, mounted", "cut $T 64; group $(part $T 2); cut_volume -L 32M; volume /dev/scenario/one /s/m",
     "held|raid_member"},
    {"LVM volume over two cards", "group $T $A; cut_volume -l 100%FREE; volume /dev/scenario/one /s/m",
     "held|raid_member"},
    {"LVM mirror", "group $T $A; cut_volume --type mirror -m1 --mirrorlog core --nosync -L 32M; fill /dev/scenario/one",
     "held|raid_member"},
    {"LUKS on an LVM volume on a partition",
     "cut $T 64; group $(part $T 1); cut_volume -L 32M; luks /dev/scenario/one; unlock /dev/scenario/one x; "
     "volume /dev/mapper/x /s/m",
     "held|raid_member"},
    {"LVM volume that is the root of a process",
     "group $T; cut_volume -L 64M; ext4 /dev/scenario/one; elsewhere 'mount -t ext4 /dev/scenario/one /s/m && cp "
     "/bin/busybox "
     "/s/m && touch /s/there && exec chroot /s/m /busybox sleep 1000'",
     "held|raid_member"},

    // MD.
    {"RAID 1 of MD, active", "array --level=1 -n2 $T $A; volume /dev/md9 /s/m", "held|raid_member"},
    {"RAID 1 of MD, stopped", "array --level=1 -n2 $T $A; fill /dev/md9; mdadm --quiet --stop /dev/md9; : >/s/sums",
     "raid_member", "", false, true},
    {"RAID 1 of MD, degraded", "array --level=1 -n2 $T missing; volume /dev/md9 /s/m", "held|raid_member"},
    {"RAID 1 of MD, member failed and removed",
     "array --level=1 -n2 $A $T; fill /dev/md9; mdadm --quiet /dev/md9 --fail $T; sleep 1; mdadm --quiet /dev/md9 "
     "--remove $T",
     "raid_member", "", false, true},
    {"RAID 1 of MD, record at the end, stopped",
     "array --metadata=1.0 --level=1 -n2 $T $A; volume /dev/md9 /s/m; umount /s/m; mdadm --quiet --stop /dev/md9; : "
     ">/s/sums",
     "raid_member", "", false, true},
    {"RAID 0 of MD without a record",
     "mdadm --quiet --build /dev/md9 --level=0 -n2 --chunk=64 $T $A; volume /dev/md9 /s/m", "held"},
    {"MD on partitions", "cut $T 64; cut $A 64; array --level=1 -n2 $(part $T 1) $(part $A 1); volume /dev/md9 /s/m",
     "held|raid_member"},
    {"LVM on MD", "array --level=1 -n2 $T $A; group /dev/md9; cut_volume -L 32M; volume /dev/scenario/one /s/m",
     "held|raid_member"},

    // btrfs and ext4 over more than one card.
    {"btrfs RAID 1, mounted by its other card",
     "mkfs.btrfs -q -f -M -d raid1 -m raid1 $T $A; btrfs device scan >/dev/null; mount -t btrfs $A /s/m; fill /s/m",
     "mounted"},
    {"btrfs RAID 1, not mounted", "mkfs.btrfs -q -f -M -d raid1 -m raid1 $T $A", "raid_member", "", false, true},
    {"btrfs of one card, mounted", "mkfs.btrfs -q -f -M $T; mount -t btrfs $T /s/m; fill /s/m", "mounted"},
    {"btrfs on a partition, mounted elsewhere",
     "cut $T 120; mkfs.btrfs -q -f -M $(part $T 1); elsewhere \"mount -t btrfs $(part $T 1) /s/m\"", "mounted|in_use"},
    {"journal of an ext4 on another card, mounted",
     "mkext -O journal_dev -b 4096 $T; ext4 -b 4096 -J device=$T $A; mount -t ext4 -o noatime,journal_path=$T "
     "$A /s/m; fill /s/m",
     "mounted|held|in_use|raid_member"},
    {"journal of an ext4 on another card, not mounted", "mkext -O journal_dev -b 4096 $T; ext4 -b 4096 -J device=$T $A",
     "raid_member", "", false, true},

    // Mounts, swap and loops.
    {"mounted partition", "cut $T 64; volume $(part $T 1) /s/m", "mounted"},
    {"mounted only through a bind",
     "volume $T /s/m; mkdir /s/m/sub; mount --bind /s/m/sub /s/n; mv /s/m/data /s/n/data; umount /s/m; "
     "sed 's,/s/m/,/s/n/,' /s/sums >/s/new; mv /s/new /s/sums",
     "mounted"},
    {"mounted in another namespace", "ext4 $T; elsewhere \"mount -t ext4 $T /s/m\"", "mounted|in_use"},
    {"partition mounted in another namespace",
     "cut $T 64; ext4 $(part $T 1); elsewhere \"mount -t ext4 $(part $T 1) /s/m\"", "mounted|in_use"},
    {"mounted, then detached with a file open",
     "volume $T /s/m; sleep 1000 </s/m/data >/dev/null 2>&1 & echo $! >>/s/started; sleep 0.3; umount -l /s/m; : "
     ">/s/sums",
     "mounted|in_use"},
    {"lower layer of an overlay",
     "volume $T /s/m; mkdir /s/m/up /s/m/work; "
     "mount -t overlay -o lowerdir=/s/lvm,upperdir=/s/m/up,workdir=/s/m/work none /s/n; umount -l /s/m; : >/s/sums; "
     "fill /s/n",
     "mounted|in_use"},
    {"swap", "mkswap $T >/dev/null; swapon $T", "swap"},
    {"swap on a partition", "cut $T 64; mkswap $(part $T 1) >/dev/null; swapon $(part $T 1)", "swap"},
    {"swap on a dm-linear", "linear x $T; mkswap /dev/mapper/x >/dev/null; swapon /dev/mapper/x", "held|swap"},
    {"loop device on a file of it, detached mount",
     "volume $T /s/m; dd if=/dev/zero of=/s/m/img bs=1M count=32 2>/dev/null; loop /s/m/img; "
     "volume $device /s/n; umount -l /s/m; sed -i '\\,/s/m/,d' /s/sums",
     "mounted|in_use|held"},
    {"loop device over it, mounted", "loop $T; volume $device /s/m", "held", "", true},
    {"loop device over its second half, mounted", "loop -o 67108864 $T; volume $device /s/m", "held", "", true},
    {"loop device over a partition, with dm-linear",
     "cut $T 64; loop $(part $T 1); linear x $device; fill /dev/mapper/x", "held", "", true},
    {"MD over loop devices",
     "loop $T; first=$device; loop $A; array --level=1 -n2 $first $device; volume /dev/md9 /s/m", "held|raid_member",
     "", true},

    // Another name is requested.
    {"the map of a dm-linear as target", "linear x $T; fill /dev/mapper/x", "not_removable", "/dev/mapper/x"},
    {"an array of MD as target", "array --level=1 -n2 $T $A; fill /dev/md9", "not_removable", "/dev/md9"},
    {"an LVM volume as target", "group $T; cut_volume -L 32M; fill /dev/scenario/one", "not_removable",
     "/dev/scenario/one"},
    {"a partition as target", "cut $T 64; fill $(part $T 1)", "partition", "$(part $T 1)"},
    {"a loop device over it as target", "loop $T; fill $device", "not_removable", "$device", true},
    {"an image on it that is mounted through a loop device",
     "volume $T /s/m; dd if=/dev/zero of=/s/m/img bs=1M count=32 2>/dev/null; loop /s/m/img; volume $device /s/n",
     "held|mounted|in_use", "/s/m/img"},
    {"a second loop device over a mounted image",
     "volume $T /s/m; dd if=/dev/zero of=/s/m/img bs=1M count=32 2>/dev/null; loop /s/m/img; volume $device /s/n; "
     "loop /s/m/img; echo $device >/s/target",
     "held|mounted|in_use", "$(cat /s/target)"},
    {"a second loop device over an image in use as swap",
     "volume $T /s/m; dd if=/dev/zero of=/s/m/img bs=1M count=32 2>/dev/null; loop /s/m/img; mkswap $device "
     ">/dev/null; "
     "swapon $device; loop /s/m/img; echo $device >/s/target",
     "held|swap|in_use", "$(cat /s/target)"},
    {"an image on it that LVM uses through a loop device",
     "volume $T /s/m; dd if=/dev/zero of=/s/m/img bs=1M count=32 2>/dev/null; loop /s/m/img; group $device; "
     "cut_volume -L 16M; fill /dev/scenario/one",
     "held|raid_member|in_use", "/s/m/img"},
};

} // namespace

std::span<const Stack> stacks() {
    return all;
}

} // namespace mediarig::lab
