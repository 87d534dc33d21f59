#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# packages.sh FOLDER: downloads the compiled libraries that the agent links, for 64-bit Arm, from the package sources of
# this machine, and unpacks them in FOLDER. It installs nothing and adds no architecture to this machine: FOLDER has
# separate package lists. Downloaded once for each version of this file.
set -eu
packages="libblkid-dev uuid-dev libutf8proc-dev liburing-dev libseccomp-dev libmd-dev zlib1g-dev"
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
[ -f "$folder/complete" ] && cmp -s "$0" "$folder/complete" && exit 0
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
folder=$(cd "$folder" && pwd)
: >"$folder/apt/status"
cat >"$folder/apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
CONF
cd "$folder/apt"
apt-get -c apt.conf -o APT::Update::Error-Mode=any -q update
apt-get -c apt.conf -q download $packages
for package in *.deb; do dpkg-deb -x "$package" "$folder"; done
cp "$here/packages.sh" "$folder/complete"
rm -rf "$folder/apt"
