#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# try_packages.sh: for a disposable system, as root: installs the packages next to this file, uses them as an
# unprivileged user, removes and purges them, and searches for remains.
set -euo pipefail
cd "$(dirname "$0")"
fail() { echo "try_packages.sh: $*" >&2; exit 1; }
apt() { apt-get -y -qq -o Dpkg::Use-Pty=0 "$@" >/tmp/apt.log 2>&1 || { tail -n 20 /tmp/apt.log >&2; fail "apt-get $* failed"; }; }
# As a user who owns only one folder.
used() { setpriv --reuid=12345 --regid=12345 --clear-groups env HOME=/home/tester XDG_RUNTIME_DIR=/home/tester/run PATH=/usr/bin:/bin "$@"; }
ours() { find / -xdev \( -path /packages -o -path /proc -o -path /sys \) -prune -o -name '*mediarig*' -print; }

[ -z "$(ours)" ] || fail "there is something of mediarig already: $(ours)"
apt update
# Dependencies of the packages stay installed and are not counted.
apt install --no-install-recommends ./mediarig-agent_*.deb ./mediarig_*.deb exfatprogs
[ ! -e /usr/libexec/mediarig ] || fail "parts of the lab came without its package"
mkdir -p /home/tester/run && chown -R 12345:12345 /home/tester

used mediarig --version | grep -qx 'mediarig [0-9.]*' || fail "no version"
used mediarig devices >/dev/null || fail "no devices"
truncate -s 64M /home/tester/card.img
mkfs.exfat /home/tester/card.img >/dev/null
chown 12345:12345 /home/tester/card.img
used mediarig inspect /home/tester/card.img | grep "^volume 1: exfat" >/dev/null || fail "mediarig inspect does not know an image of mkfs.exfat"
mediarig inspect /home/tester/card.img --json | grep -i '"exfat"' >/dev/null || fail "mediarig inspect --json does not name the format"
said=$(used mediarig rig sim 2>&1) && fail "a rig was simulated without its package"
case $said in *'install the package mediarig-lab'*) ;; *) fail "without mediarig-lab it says: $said" ;; esac

apt install --no-install-recommends ./mediarig-lab_*.deb
used mediarig lab cards >/dev/null || fail "no cards of the lab"
used nbdkit /usr/libexec/mediarig/mediarig-card.so --dump-plugin | grep "^name=" >/dev/null || fail "nbdkit does not load the card model"
/usr/libexec/mediarig/mediarig-agent-static --version | grep -q '^mediarig-agent ' || fail "the guest's agent does not run"
# A background process is ended by the time limit with status 124.
status=0; used timeout 3 mediarig rig sim >/tmp/sim.log 2>&1 || status=$?
[ "$status" -eq 124 ] || { cat /tmp/sim.log >&2; fail "the simulated rig ends with $status"; }
for file in /usr/share/man/man1/mediarig.1.gz /usr/share/man/man1/mediarig-agent.1.gz /usr/share/bash-completion/completions/mediarig \
    /usr/lib/udev/rules.d/70-mediarig-rig.rules /usr/share/polkit-1/actions/org.mediarig.agent.policy \
    /usr/share/doc/mediarig/README.md /usr/share/doc/mediarig-agent/examples/sudoers.mediarig; do
    [ -s "$file" ] || fail "$file is missing"
done
for page in $(mediarig --help-all | grep -o 'docs/[a-z/-]*\.md' | sort -u); do
    [ -s "/usr/share/doc/mediarig/${page#docs/}" ] || fail "the manual names $page, and it is not installed"
done
for page in $(grep -o '](\([a-z/-]*\.md\|examples\)[)#]' /usr/share/doc/mediarig/README.md | tr -d ']()#' | sort -u); do
    [ -e "/usr/share/doc/mediarig/$page" ] || fail "the README leads to $page, and it is not installed"
done
! grep '](\(docs\|hw\|packaging\)' /usr/share/doc/mediarig/README.md || fail "the README leads out of its folder"
gzip -dc /usr/share/man/man1/mediarig.1.gz | grep '^.SS "mediarig inspect' >/dev/null || fail "the man page does not know mediarig inspect"

apt install --no-install-recommends ./mediarig-window_*.deb
used env QT_QPA_PLATFORM=offscreen mediarig-window --version | grep -qx 'mediarig-window [0-9.]*' || fail "no window"
for file in /usr/share/man/man1/mediarig-window.1.gz /usr/share/applications/org.mediarig.window.desktop \
    /usr/share/icons/hicolor/scalable/apps/org.mediarig.window.svg; do
    [ -s "$file" ] || fail "$file is missing"
done

rm -rf /home/tester
apt remove mediarig-window mediarig-lab mediarig mediarig-agent
dpkg --purge mediarig-window mediarig-lab mediarig mediarig-agent >/tmp/purge.log 2>&1 || { cat /tmp/purge.log >&2; fail "dpkg --purge failed"; }
[ -z "$(ours)" ] || fail "left behind: $(ours)"
[ ! -e /run/mediarig ] || fail "left behind: /run/mediarig"
! dpkg-query -W -f '${Package} ${Status}\n' 'mediarig*' 2>/dev/null | grep -v 'not-installed' || fail "dpkg still knows them"
echo "installed, used, removed: nothing is left"
