#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# man_page.sh FILE…: man prints no warning for these pages, and renders each to its last section.
set -eu
if ! command -v man >/dev/null || ! command -v groff >/dev/null; then
    echo "SKIPPED: man and groff are not both on this machine"
    exit 0
fi
for page in "$@"; do
    warned=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$warned" ] || { printf '%s: %s\n' "$page" "$warned"; exit 1; }
    LC_ALL=C.UTF-8 MANPAGER=cat MANWIDTH=80 man -l "$page" | grep -q 'SEE ALSO' || { echo "$page: is not shown whole"; exit 1; }
done
