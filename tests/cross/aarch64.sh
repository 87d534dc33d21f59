#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# aarch64.sh SOURCE JOBS: builds the static agent and a few pure modules with their tests for 64-bit Arm, with
# MEDIARIG_THOROUGH=1 all its targets, and runs the tests under qemu-user.
set -eu
cd "$1"
jobs=$2
skip() { printf 'SKIPPED: %s\n' "$1"; exit 0; }
command -v aarch64-linux-gnu-g++ >/dev/null || skip "no cross compiler for aarch64: install g++-aarch64-linux-gnu"
command -v qemu-aarch64-static >/dev/null || command -v qemu-aarch64 >/dev/null ||
    skip "no emulator of aarch64: install qemu-user-static"
# A run with a sample of the slow tests (tests/sample.hpp) includes this test for one commit in four.
if [ -n "${MEDIARIG_SAMPLE_START:-}" ]; then
    drawn=$(printf '%s' "$MEDIARIG_SAMPLE_START" | cksum | cut -d ' ' -f 1)
    [ $((drawn % 4)) -eq 0 ] || skip "not drawn for this commit's sample (--thorough makes all, or name the test)"
fi
[ -f build/aarch64-packages/complete ] ||
    skip "the libraries for aarch64 are not fetched: run cross/aarch64/packages.sh build/aarch64-packages"
cmake --preset aarch64 >/dev/null
# Targets of the sample; the tests of the probe take half an hour of an emulated processor.
target=cross_sample
set -- --tests-regex '^(agent under the emulator|common|workload|agent)$'
[ -z "${MEDIARIG_THOROUGH:-}" ] || { target=all; set --; }
cmake --build build/aarch64 --parallel "$jobs" --target "$target" -- --quiet
ctest --test-dir build/aarch64 --output-on-failure --no-tests=error "$@"
