#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# program.sh WINDOW: starts the program with and without a display.
set -u
window=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

# Checks the status of the program, and that one line of standard error contains a pattern.
ends() {
    title=$1 status=$2 pattern=$3
    shift 3
    "$@" >"$folder/out" 2>"$folder/err"
    ended=$?
    [ $ended -eq "$status" ] || fail "$title: exit status $ended, not $status: $(cat "$folder/err")"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$title: not one line: $(cat "$folder/err")"
    grep -q -e "$pattern" "$folder/err" || fail "$title: $(cat "$folder/err")"
    if grep -qi reinstall "$folder/err"; then fail "$title: advice that does not help: $(cat "$folder/err")"; fi
}
bare="env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM"

# shellcheck disable=SC2086
{
    ends "without a display" 3 "no window can be shown here: neither DISPLAY nor WAYLAND_DISPLAY names a display; use" \
        $bare "$window"
    ends "with a display that does not answer" 3 "no window can be shown here: could not connect to display :987;" \
        $bare DISPLAY=:987 QT_QPA_PLATFORM=xcb "$window"
    ends "without Qt's plugin" 3 'no window can be shown here: Could not find the Qt platform plugin "none"' \
        env QT_QPA_PLATFORM=none "$window"
    # Hides the folder of Qt's plugins, as if no plugins were installed, in a mount namespace that ends with the
    # program.
    mkdir "$folder/empty"
    plugins=$(qtpaths6 --plugin-dir 2>/dev/null)
    if [ -n "$plugins" ] && unshare -m --propagation private mount --bind "$folder/empty" "$plugins" 2>/dev/null; then
        ends "without any of Qt's plugins" 3 'no window can be shown here: Could not find the Qt platform plugin "xcb"' \
            $bare DISPLAY=:987 QT_QPA_PLATFORM=xcb unshare -m --propagation private \
            sh -c 'mount --bind "$1" "$2" && exec "$3"' sh "$folder/empty" "$plugins" "$window"
    fi

    # A wrong command line, help and version need no display.
    ends "a language that it does not have" 2 "has no language xx" $bare "$window" --language xx
    ends "a mistyped option" 2 "no option --stoer; did you mean '--store'?" $bare "$window" --stoer
    ends "a mistyped option with a value" 2 "no option --langauge; did you mean '--language'?" $bare "$window" --langauge de
    ends "an option that nothing is like" 2 "no option --frobnicate;" $bare "$window" --frobnicate
    ends "an argument" 2 "takes no argument card" $bare "$window" card
    ends "an option without its value" 2 "--store" $bare "$window" --store
    for option in --help -h; do
        $bare "$window" $option >"$folder/out" 2>"$folder/err" || fail "$option without a display: $(cat "$folder/err")"
        grep -q -- "--store <FILE>" "$folder/out" || fail "$option: $(cat "$folder/out")"
        if grep -q -- "--platform" "$folder/out"; then fail "$option lists Qt's options"; fi
    done
    for option in --version -v; do
        $bare "$window" $option >"$folder/out" 2>"$folder/err" || fail "$option without a display: $(cat "$folder/err")"
        grep -q "^mediarig-window [0-9]" "$folder/out" || fail "$option: $(cat "$folder/out")"
    done
    [ ! -s "$folder/err" ] || fail "$option: $(cat "$folder/err")"
}

# A named store that does not exist is also reported on the terminal; the window still opens.
QT_QPA_PLATFORM=offscreen timeout 5 "$window" --store "$folder/none.db" 2>"$folder/err"
[ $? -eq 124 ] || fail "with a new store: $(cat "$folder/err")"
grep -q "none.db does not exist yet: the first campaign makes it" "$folder/err" || fail "with a new store: $(cat "$folder/err")"

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
