#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# program.sh WINDOW: starts the program where there is a display, and where there is none.
set -u
window=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

env -u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=xcb "$window" --store "$folder/r.db" 2>"$folder/err"
[ $? -eq 3 ] || fail "without a display: not exit status 3"
[ "$(wc -l <"$folder/err")" -eq 1 ] || fail "without a display: not one line: $(cat "$folder/err")"
grep -q "^mediarig-window: no window can be shown here" "$folder/err" || fail "without a display: $(cat "$folder/err")"

env QT_QPA_PLATFORM=none "$window" --store "$folder/r.db" 2>"$folder/err"
[ $? -eq 3 ] || fail "without Qt's plugin: not exit status 3"
[ "$(wc -l <"$folder/err")" -eq 1 ] || fail "without Qt's plugin: not one line: $(cat "$folder/err")"

for words in "--language xx" "--stoer" "argument"; do
    # shellcheck disable=SC2086
    env QT_QPA_PLATFORM=offscreen "$window" $words 2>"$folder/err"
    [ $? -eq 2 ] || fail "$words: not exit status 2"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$words: not one line: $(cat "$folder/err")"
done

command -v xvfb-run >/dev/null && command -v xwininfo >/dev/null || { echo "SKIPPED: xvfb-run or xwininfo is missing"; exit 0; }
QT_QPA_PLATFORM=xcb xvfb-run -a sh -c '
    "$1" --store "$2/r.db" & window=$!
    shown=no
    for try in $(seq 300); do
        xwininfo -root -tree 2>/dev/null | grep -q "\"mediarig\"" && { shown=yes; break; }
        sleep 0.1
    done
    kill $window; wait $window 2>/dev/null
    [ $shown = yes ]' sh "$window" "$folder" || fail "no window appeared on the X server"
