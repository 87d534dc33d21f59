// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/scenarios/guest_script.hpp"

namespace mediarig::lab {

std::string_view guest_helpers() {
    return R"sh(
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DM_DISABLE_UDEV=1 LVM_SYSTEM_DIR=/s/lvm LVM_SUPPRESS_FD_WARNINGS=1 MDADM_NO_UDEV=1

# The first time: what the tools need, and the modules of the tools' archive.
prepare() {
    mkdir -p /s/lvm /s/m /s/n /run/lvm /run/mdadm /run/cryptsetup /etc
    while read -r module; do insmod "/lib/modules/scenarios/$module" || echo "no module $module"; done \
        </lib/modules/scenarios/order
    cat >/s/lvm/lvm.conf <<'CONF'
activation { udev_sync=0 udev_rules=0 verify_udev_operations=0 monitoring=0 }
devices { use_devicesfile=0 obtain_device_list_from_udev=0 scan=["/dev"] }
backup { backup=0 archive=0 }
global { event_activation=0 use_lvmpolld=0 }
CONF
}

part() { case $1 in *[0-9]) echo "$1p$2";; *) echo "$1$2";; esac; }
# DEVICE, and the lengths of its partitions in MiB; the last one takes what is left.
cut() {
    device=$1; shift
    { echo 'label: dos'; for size; do echo "size=${size}M"; done; echo ','; } |
        sfdisk -q --no-reread --no-tell-kernel "$device"
    blockdev --rereadpt "$device"
    n=0; until [ -b "$(part "$device" 1)" ]; do n=$((n + 1)); [ $n -lt 100 ]; sleep 0.1; done
}
# Something to lose: in a folder, or on a device.
fill() {
    if [ -d "$1" ]; then file=$1/data; else file=$1; fi
    dd if=/dev/urandom of=$file bs=64k count=4 conv=notrunc,fsync 2>/dev/null
    echo "$file $(head -c 262144 "$file" | sha256sum)" >>/s/sums
}
# Whether all of it is there, as the media have it.
look() {
    [ -e /s/sums ] || return 0
    sync; echo 3 >/proc/sys/vm/drop_caches
    while read -r file sum; do [ "$(head -c 262144 "$file" | sha256sum)" = "$sum" ] || return 1; done </s/sums
}
# By its path: busybox has a lesser one, which its shell prefers.
mkext() { /sbin/mke2fs -q -F "$@"; }
ext4() { mkext -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 "$@"; }
volume() { ext4 "$1"; mount -t ext4 -o noatime "$1" "$2"; fill "$2"; }
sectors() { blockdev --getsz "$1"; }
linear() { dmsetup create "$1" --table "0 ${4:-$(sectors "$2")} linear $2 ${3:-0}"; dmsetup mknodes; }
KEY=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
plain() { dmsetup create "$1" --table "0 $(($(sectors "$2") - ${3:-0})) crypt aes-cbc-plain64 $KEY 0 $2 ${3:-0}"; dmsetup mknodes; }
luks() {
    printf key | cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
        --luks2-metadata-size 16k --luks2-keyslots-size 1m "$@" -
}
unlock() { printf key | cryptsetup open --key-file - "$@"; }
array() { mdadm --quiet --create /dev/md9 --run --force --assume-clean "$@"; echo 0.001 >/sys/block/md9/md/safe_mode_delay 2>/dev/null || :; }
# MD marks an array clean in its superblock a moment after the last write; one over loop devices does so in their cache.
settle() {
    sync
    for state in /sys/block/md*/md/array_state; do
        [ -e "$state" ] || continue
        n=0
        while grep -q -e active -e pending "$state" && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.05; done
    done
    sync
}
group() { lvm pvcreate -qq -ff -y "$@"; lvm vgcreate -qq scenario "$@"; }
cut_volume() { lvm lvcreate -qq -y -Zn -Wn -n one "$@" scenario; lvm vgmknodes; }
# Attaches the next free loop device, and leaves its name in $device: loop [-o OFFSET] FILE
loop() { device=$(losetup -f); if [ "$1" = -o ]; then losetup -o "$2" "$device" "$3"; else losetup "$device" "$1"; fi; }
# In a mount namespace of its own, until the scenario ends.
elsewhere() {
    unshare -m sh -c "$1; touch /s/there; exec sleep 1000" >/dev/null 2>&1 &
    echo $! >>/s/started
    n=0; until [ -e /s/there ]; do n=$((n + 1)); [ $n -lt 300 ]; sleep 0.1; done
}

# Puts everything away, whatever stands on what. Twice, because one layer frees the next.
clear_all() {
    for id in $(cat /s/started 2>/dev/null); do kill -9 "$id"; done
    for turn in 1 2 3; do
        swapoff -a
        for swap in $(sed 1d /proc/swaps | cut_first); do swapoff "$swap"; done
        for mount in $(sed -n 's/^[^ ]* \(\/s\/[^ ]*\) .*/\1/p' /proc/mounts | sort -r); do umount -f "$mount" || umount -l "$mount"; done
        [ -z "$(dmsetup ls | grep -v '^No')" ] || dmsetup remove_all --force
        for array in /dev/md*; do [ -b "$array" ] && mdadm --quiet --stop "$array"; done
        for loop in $(losetup -a | sed 's/:.*//'); do losetup -d "$loop"; done
    done >/dev/null 2>&1
    btrfs device scan --forget
    for node in /dev/mapper/*; do [ "$node" = /dev/mapper/control ] || rm -f "$node"; done
    rm -rf /s/sums /s/started /s/there /s/target /dev/scenario
    dmsetup ls | grep -v '^No' ; cat /proc/mdstat | grep '^md'; losetup -a; sed -n 's/^[^ ]* \(\/s\/[^ ]*\) .*/\1/p' /proc/mounts
    :
}
cut_first() { while read -r first rest; do echo "$first"; done; }
)sh";
}

} // namespace mediarig::lab
