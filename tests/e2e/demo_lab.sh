#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The demonstration: emulated media go through whole campaigns in the lab. Needs neither root nor a card. In virtual time:
# four media, then a comparison of three formats on one of them. With --qemu: four media with USB and SD transport.
# usage: demo_lab.sh BUILD-FOLDER [--qemu]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/demo
plans="demo_lab demo_comparison"
if [ "${2:-}" = --qemu ]; then plans=demo_qemu; fi

"$build/bin/mediarig" lab build ${2:+"$2"}
# A store written by an older version of the sources may lack columns that this version needs.
rm -rf "$out"
mkdir -p "$out"
echo "== testing four emulated media: a good card, a slow one, a fake that claims 1 TB, an SSD"
for plan in $plans; do
    [ "$plan" != demo_comparison ] || echo "== comparing three formats on the good card"
    status=0
    "$build/bin/mediarig" run "$here/$plan.plan.json" --store "$out/mediarig.db" || status=$?
    [ "$status" -le 1 ] || exit "$status"
    echo
    "$build/bin/mediarig" results --store "$out/mediarig.db"
    echo
    "$build/bin/mediarig" report --store "$out/mediarig.db" -o "$out/$plan.html" --force
done
