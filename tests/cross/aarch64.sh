#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# aarch64.sh SOURCE JOBS: builds the static agent and a few pure modules with their tests for 64-bit Arm, with
# MEDIARIG_THOROUGH=1 everything that is built for it, and runs the tests under qemu-user.
set -eu
cd "$1"
skip() { printf 'SKIPPED: %s\n' "$1"; exit 0; }
command -v aarch64-linux-gnu-g++ >/dev/null || skip "no cross compiler for aarch64: install g++-aarch64-linux-gnu"
command -v qemu-aarch64-static >/dev/null || command -v qemu-aarch64 >/dev/null ||
    skip "no emulator of aarch64: install qemu-user-static"
[ -f build/aarch64-packages/complete ] ||
    skip "the libraries for aarch64 are not fetched: run cross/aarch64/packages.sh build/aarch64-packages"
cmake --preset aarch64 >/dev/null
# The probe's tests take half an hour of an emulated processor.
target=cross_sample
left_out=--exclude-regex=^workload_probe$
[ -z "${MEDIARIG_THOROUGH:-}" ] || { target=all; left_out=; }
cmake --build build/aarch64 --parallel "$2" --target "$target" -- --quiet
ctest --test-dir build/aarch64 --output-on-failure --no-tests=error $left_out
