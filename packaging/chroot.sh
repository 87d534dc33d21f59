#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# chroot.sh 12|13 [demo] [test]: on a new installation of that Debian: ./run build, ./run package, lintian, then the
# packages in a second chroot without the sources (try_packages.sh); with the words also ./run demo and ./run test.
# Needs root. The chroots stay in $CHROOTS (default: build) and shorten the next run; the mounts end with the process.
# CMAKE_BUILD_PARALLEL_LEVEL=1 leaves a processor for other work.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
    12) suite=bookworm ;;
    13) suite=trixie ;;
    *) sed -n '3,6s/^# //p' "$0" >&2; exit 2 ;;
esac
[ "$(id -u)" -eq 0 ] || { echo "chroot.sh: debootstrap and chroot take root" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "chroot.sh: install the package debootstrap" >&2; exit 2; }
chroots=$(realpath "${CHROOTS:-build}")
base=$chroots/chroot-$1-base maker=$chroots/chroot-$1 user=$chroots/chroot-$1-user
shift

# The mounts of a private namespace end with its last process.
inside() { # folder command…
    local folder=$1; shift
    unshare --mount --propagation private bash -c '
        folder=$1; shift
        mount -t proc proc "$folder/proc"
        mount --rbind /sys "$folder/sys"
        mount --rbind /dev "$folder/dev"
        cp /etc/resolv.conf "$folder/etc/resolv.conf"
        exec chroot "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb CCACHE_DIR=/var/cache/ccache \
            MEDIARIG_DEBIAN_MIRROR="${MEDIARIG_DEBIAN_MIRROR:-}" ${CMAKE_BUILD_PARALLEL_LEVEL:+"CMAKE_BUILD_PARALLEL_LEVEL=$CMAKE_BUILD_PARALLEL_LEVEL"} \
            DEBIAN_FRONTEND=noninteractive "$@"' bash "$folder" "$@"
}

mkdir -p "$chroots"
if [ ! -e "$base/complete" ]; then
    rm -rf --one-file-system "$base"
    # Without a mirror debootstrap uses its default and records it.
    debootstrap --variant=minbase "$suite" "$base" ${MEDIARIG_DEBIAN_MIRROR:+"$MEDIARIG_DEBIAN_MIRROR"} \
        >"$chroots/debootstrap.log" || { tail "$chroots/debootstrap.log" >&2; exit 3; }
    mirror=$(awk '$1 == "deb" { print $2; exit }' "$base/etc/apt/sources.list")
    printf 'deb %s %s-updates main\ndeb %s-security %s-security main\n' \
        "$mirror" "$suite" "${mirror%/}" "$suite" >>"$base/etc/apt/sources.list"
    # No service starts inside.
    printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d"
    chmod 755 "$base/usr/sbin/policy-rc.d"
    touch "$base/complete"
fi

[ -d "$maker" ] || cp -a "$base" "$maker"
mkdir -p "$maker/src"
# Files deleted from the tree are deleted from the copy, which keeps its build. Changed files get the present time
# instead of their own: otherwise an object made from the earlier contents could count as newer.
rm -rf "$maker/new"
mkdir "$maker/new"
git ls-files -z --cached --others --exclude-standard | tar c --null --ignore-failed-read -T - | tar x -C "$maker/new"
(cd "$maker/src" && find . -path ./build -prune -o ! -type d -print0) | while IFS= read -r -d '' file; do
    [ -e "$maker/new/$file" ] || rm -f "$maker/src/$file"
done
(cd "$maker/new" && find . ! -type d -print0) | while IFS= read -r -d '' file; do
    cmp -s "$maker/new/$file" "$maker/src/$file" && continue
    mkdir -p "$maker/src/$(dirname "$file")"
    cp -d --preserve=mode "$maker/new/$file" "$maker/src/$file"
done
rm -rf "$maker/new"
for command in build package; do
    echo "== Debian $suite: ./run $command"
    inside "$maker" nice /src/run "$command"
done

echo "== Debian $suite: lintian"
[ -x "$maker/usr/bin/lintian" ] || inside "$maker" apt-get -y -qq --no-install-recommends install lintian >/dev/null
inside "$maker" bash -c 'cd /src/build/packages && lintian --allow-root --fail-on error,warning -- *.deb && echo "no error, no warning"'

rm -rf --one-file-system "$user"
cp -a "$base" "$user"
mkdir -p "$user/packages"
cp "$maker"/src/build/packages/*.deb packaging/try_packages.sh "$user/packages/"
echo "== Debian $suite: the packages, installed, used and removed"
inside "$user" bash /packages/try_packages.sh
rm -rf --one-file-system "$user"

for command in "$@"; do
    echo "== Debian $suite: ./run $command"
    inside "$maker" nice /src/run "$command"
done
