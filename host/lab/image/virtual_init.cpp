// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/virtual_image.hpp"

namespace mediarig::lab {

std::string_view virtual_init_script() {
    return R"sh(#!/bin/busybox sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The first process of mediarig's lab guest in virtual time.
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

# The folder of this computer with the contents of the cards.
mkdir -p /media /run/lab
mount -t hostfs none /media || say "cannot mount the folder of the media"

keep_agent() {
    while :; do
        mediarig-agent --device "$1" --lab-media /run/lab </dev/null >/dev/console 2>&1
        say "agent ended with $?"
        sleep 1
    done
}

keep_shell() {
    stty -F "$1" raw -echo
    while :; do
        exec 3<>"$1"
        while read -r id script <&3; do
            [ -n "$id" ] || continue
            sh -c "$(echo "$script" | base64 -d)" </dev/null >/tmp/frame 2>&1 3>&-
            echo "$id $? $(base64 -w0 </tmp/frame)" >&3
        done
        exec 3>&-
        sleep 1
    done
}

keep_agent /dev/ttyS0 &
mediarig-lab-cards /dev/ttyS1 /media /run/lab </dev/null >/dev/console 2>&1 &
keep_shell /dev/ttyS2 &
say READY
while :; do wait; sleep 1; done
)sh";
}

} // namespace mediarig::lab
