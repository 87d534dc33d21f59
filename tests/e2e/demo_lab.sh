#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The demonstration: four emulated media go through a whole campaign in the virtual lab. Needs neither root nor a card.
# usage: demo_lab.sh BUILD-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
out=$build/demo

"$build/bin/mediarig" lab build --qemu
# A store written by an older version of the sources may lack columns that this version needs.
rm -rf "$out"
mkdir -p "$out"
echo "== testing four emulated media: a good card, a slow one, a fake that claims 1 TB, an SSD"
status=0
"$build/bin/mediarig" run "$here/demo_lab.plan.json" --store "$out/mediarig.db" || status=$?
[ "$status" -le 1 ] || exit "$status"
echo
"$build/bin/mediarig" results --store "$out/mediarig.db"
echo
"$build/bin/mediarig" report --store "$out/mediarig.db" -o "$out/report.html" --force
