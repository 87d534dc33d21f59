#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# man_page.sh FILE…: man shows these pages without a warning and with all sections. The first page is generated.
set -eu
if ! command -v man >/dev/null || ! command -v groff >/dev/null; then
    echo "SKIPPED: man and groff are not both on this machine"
    exit 0
fi
export LC_ALL=C.UTF-8 MANPAGER=cat MANWIDTH=80
sections="NAME SYNOPSIS DESCRIPTION OPTIONS COMMANDS EXIT_STATUS ENVIRONMENT FILES EXAMPLES SEE_ALSO"
for page in "$@"; do
    warned=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$warned" ] || { printf '%s: %s\n' "$page" "$warned"; exit 1; }
    man -l "$page" >shown.txt
    for section in $sections; do
        grep -q "^$(echo "$section" | tr _ ' ')$" shown.txt || { echo "$page: section $section is missing"; exit 1; }
    done
    sections="NAME SYNOPSIS SEE_ALSO"
done
# Commands, options with their values, and a table entry.
man -l "$1" >shown.txt
for text in '^   mediarig lab plug ' '^ *--json\[=FILE\]' '^ *--engine psync|uring' '^ *MEDIARIG_STORE$'; do
    grep -q -- "$text" shown.txt || { echo "$1: no line matches '$text'"; exit 1; }
done
