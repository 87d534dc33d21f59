#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The demonstration on this machine: three rate-limited loop devices go through a whole campaign. Needs root.
# usage: demo_native.sh BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/demo
media=$(mktemp -d /tmp/mediarig-demo.XXXXXX)
pids=()

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

clean_up() {
    local pid name
    for pid in "${pids[@]}"; do as_root kill "$pid" 2>/dev/null || true; done
    for name in fast middling slow; do
        # The server of the medium unmounts the medium itself. While the file of the medium exists, it is still mounted.
        for _ in $(seq 100); do
            mountpoint -q "$media/$name.img" || break
            sleep 0.1
        done
    done
    rm -rf "$media"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# medium NAME BITS-PER-SECOND READ-DELAY WRITE-DELAY: a block store that behaves like a card, served as a file.
medium() {
    touch "$media/$1.img"
    # Started through exec, so that the recorded process is the server.
    (
        set -- nbdfuse "$media/$1.img" --command nbdkit -s --exit-with-parent --filter=rate --filter=delay \
            memory size=512M rate="$2" burstiness=0.1 rdelay="$3" wdelay="$4"
        if [ "$(id -u)" -eq 0 ]; then exec "$@" 2>/dev/null; else exec sudo "$@" 2>/dev/null; fi
    ) &
    pids+=($!)
}
medium fast 800M 0 0
medium middling 320M 0 1ms
medium slow 80M 1ms 3ms
for name in fast middling slow; do
    for _ in $(seq 300); do
        [ "$(stat -c %s "$media/$name.img")" -gt 0 ] && break
        sleep 0.1
    done
    [ "$(stat -c %s "$media/$name.img")" -gt 0 ] || { echo "demo: medium '$name' did not appear" >&2; exit 3; }
done

as_root rm -rf "$out" # for the reason see demo_lab.sh
mkdir -p "$out"
sed "s|@MEDIA@|$media|g" "$here/demo_native.plan.json" >"$out/plan.json"
status=0
"$build/bin/mediarig" run "$out/plan.json" --store "$out/mediarig.db" || status=$?
[ "$status" -le 1 ] || exit "$status"
echo
"$build/bin/mediarig" results --store "$out/mediarig.db"
echo
"$build/bin/mediarig" report --store "$out/mediarig.db" -o "$out/report.html" --force
