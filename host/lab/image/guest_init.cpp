// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_init.hpp"

#include <string>

namespace mediarig::lab {

std::string_view init_start() {
    return R"sh(#!/bin/busybox sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The first process of mediarig's lab guest.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root TERM=dumb

/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox --install -s
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=755 run /run
mount -t tmpfs -o mode=1777 tmp /tmp
ln -sfn /proc/self/fd /dev/fd
ln -sfn /proc/mounts /etc/mtab
hostname mediarig-lab

say() { echo "lab: $*" >/dev/console; }
)sh";
}

std::string_view guest_init_script() {
    static const std::string script = std::string(init_start()) + R"sh(
ip link set lo up

while read -r module parameters; do
    insmod "/lib/modules/$module" $parameters 2>/tmp/why || say "module $module: $(cat /tmp/why)"
done </lib/modules/order

set_to() { echo "$2" >"$1" || say "cannot set $1"; }
# The kernel polls the readers for cards, because there is no udev.
set_to /sys/module/block/parameters/events_dfl_poll_msecs 500

# Tests an apfs module of an untested version: writes to a new file system and reads it back.
# A step that fails prints its name.
check_apfs() {
    mkdir -p /tmp/apfs &&
    truncate -s 128M /tmp/apfs.img && disk=$(losetup -f) && losetup "$disk" /tmp/apfs.img ||
        { echo "no loop device"; return 1; }
    {
        mkapfs "$disk" >/dev/null || { echo mkapfs; false; }
    } && {
        mount -t apfs -o readwrite "$disk" /tmp/apfs || { echo mount; false; }
    } && {
        dd if=/dev/urandom of=/tmp/apfs/data bs=64k count=400 2>/dev/null &&
        n=0 && while [ $n -lt 1000 ]; do echo $n >/tmp/apfs/f$n || break; n=$((n + 1)); done && [ $n = 1000 ] &&
        sum=$(md5sum </tmp/apfs/data) && umount /tmp/apfs || { echo writing; umount /tmp/apfs; false; }
    } && {
        apfsck "$disk" >/dev/null || { echo apfsck; false; }
    } && {
        mount -t apfs "$disk" /tmp/apfs && [ "$(md5sum </tmp/apfs/data)" = "$sum" ] &&
        [ "$(cat /tmp/apfs/f999)" = 999 ] && umount /tmp/apfs || { echo "reading back"; umount /tmp/apfs; false; }
    }
    checked=$?
    losetup -d "$disk"
    rm -f /tmp/apfs.img
    return $checked
}
if [ -e /etc/lab-check-apfs ]; then
    if check_apfs >/tmp/why 2>/tmp/noise; then
        say "apfs self-check passed"
    else
        say "apfs self-check failed: $(cat /tmp/why)"
        rmmod apfs || say "the apfs module stays loaded"
    fi
fi

# The character device of a virtio port with this name.
port() {
    for name in /sys/class/virtio-ports/*/name; do
        [ "$(cat "$name")" = "$1" ] || continue
        name=${name%/name}
        echo "/dev/${name##*/}"
    done 2>/dev/null
}

keep_agent() {
    while :; do
        mediarig-agent --device "$1" </dev/null >/dev/console 2>&1
        say "agent ended with $?"
        sleep 1
    done
}

# read ends at once while no program is connected at the other end.
keep_shell() {
    while :; do
        exec 3<>"$1"
        while read -r id script <&3; do
            sh -c "$(echo "$script" | base64 -d)" </dev/null >/tmp/frame 2>&1 3>&-
            echo "$id $? $(base64 -w0 </tmp/frame)" >&3
        done
        exec 3>&-
        sleep 1
    done
}

# For users: prints nothing until Enter is pressed.
keep_console() {
    while read -r line; do
        say "a shell; exit leaves it"
        setsid cttyhack sh
    done </dev/console >/dev/console 2>&1
}

agent_port=$(port lab.ctl)
shell_port=$(port lab.ctl2)
if [ -n "$agent_port" ]; then keep_agent "$agent_port" & else say "no virtio port lab.ctl"; fi
if [ -n "$shell_port" ]; then keep_shell "$shell_port" & fi
keep_console &
say READY
# Reaps the child processes of killed programs.
while :; do wait; sleep 1; done
)sh";
    return script;
}

} // namespace mediarig::lab
