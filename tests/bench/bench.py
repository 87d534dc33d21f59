#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Races the workload engine against fio, f3 and the programs that suites are named after, on this machine, and prints
ratios with their intervals.

Absolute rates of one machine change from hour to hour, so nothing is compared with figures of other machines: each race
runs both programs in pairs, in random order within each pair, and evaluates the ratio of each pair. The interval is a
bootstrap of the median. A gate is met if the median meets it, and "sure" if the whole interval does. The cost of the
window is not a race: its figures are printed with their limits.

  bench.py --build DIR [--pairs N] [--only TEXT] [--seed N] [--json FILE]
"""
import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import sys

import originals
import trees
import window
from racing import (MB, Ran, Ratio, Skip, drop_page_cache, file_on_disk, file_on_ext4, folder, in_random_order,
                    loop_over_tmpfs, need, tmpfs, zram)

OPERATIONS = 200_000
WARM_UP = 2_000


# --- racers -----------------------------------------------------------------------------------------------------------

class Bench:
    def __init__(self, build):
        self.build = build
        self.engine = self.program(build, "tests/bench/bench_engine")
        self.driver = self.program(build, "tests/workload/workload_driver")
        self.plain_tree = os.path.join(build, "tests/bench/plain_tree")
        self.store = os.path.join(build, "tests/bench/bench_store")
        if not os.path.exists(self.store):
            self.store = os.path.join(build, "tests/store/bench_store")

    @staticmethod
    def program(build, name):
        path = os.path.join(build, name)
        if not os.path.exists(path):
            sys.exit(f"bench: {path} is missing; build it first (ninja -C {build} bench_engine workload_driver)")
        return path

    def ours(self, node, access, count, span, engine="psync", depth=1):
        ran = Ran([self.engine, "--path", node, "--engine", engine, "--access", access, "--block", "4096", "--operations",
                   str(count), "--span", str(span), "--depth", str(depth), "--payload", "zeros", "--raw-log", "on"])
        report = ran.json()
        if report["operations"] != count:
            raise Skip("our engine met I/O errors")
        # With psync the time is wall time, which includes our work while the clock of the measurement is stopped. With
        # io_uring it is measured time: the setup of a ring counts on neither side.
        return ran.cpu, count / (report["elapsed_ns" if engine == "uring" else "wall_ns"] / 1e9)

    @staticmethod
    def fio(node, access, count, span, engine="psync", depth=1, extra=()):
        rw = {"random_read": "randread", "random_write": "randwrite"}[access]
        command = ["fio", "--name=t", f"--filename={node}", f"--rw={rw}", "--bs=4096", "--direct=1", f"--ioengine={engine}",
                   f"--iodepth={depth}", "--thread", f"--size={span}", f"--number_ios={count}", "--io_size=4t",
                   "--zero_buffers", "--invalidate=0", "--allow_file_create=0", "--norandommap", "--output-format=json",
                   "--eta=never", *extra]
        if engine == "io_uring":
            command += ["--fixedbufs", "--registerfiles"]
        ran = Ran(command)
        side = ran.json()["jobs"][0]["read" if access == "random_read" else "write"]
        if not extra and not count * 0.999 <= side["total_ios"] <= count * 1.001 + depth:
            raise Skip(f"fio made {side['total_ios']} operations instead of {count}")
        return ran.cpu, count / (side["runtime"] / 1e3) if extra else side["iops"]

    def job(self, job, directory, rest=0):
        """`rest`: idle seconds of the medium before each phase but the first."""
        with folder() as place:
            name = os.path.join(place, "job.json")
            with open(name, "w") as file:
                json.dump(job, file)
            ran = Ran([self.driver, "--rest", str(round(rest * 1000)), name, "directory", directory])
            report = ran.json()
            # Our job includes the removal of the files; those of f3 and fio do not.
            end = next(phase for phase in report["phases"] if phase["name"] == "cleanup")
            return end["at_ns"] / 1e9 - ran.started, end["cpu_ns"] / 1e9, report


def verify_job(span):
    return {"suite": "verify", "verify": {"span": span}}


# --- races ------------------------------------------------------------------------------------------------------------

def race_iops(bench, rng, pairs, medium, title, access, gates, engine="psync", depth=1, extra=(), count=OPERATIONS):
    need("fio")
    cpu = Ratio(f"{title}: CPU per operation, ours / fio", gates[0], "less")
    rate = Ratio(f"{title}: operations a second, ours / fio", gates[1], "more")
    theirs = "io_uring" if engine == "uring" else engine
    with medium as node:
        span = 512 * MB

        def pair(operations):
            return in_random_order(rng, lambda: bench.ours(node, access, operations, span, engine, depth),
                                   lambda: bench.fio(node, access, operations, span, theirs, depth, extra))
        # Short runs of both sides measure the cost of starting, which is subtracted. They are spread between the pairs,
        # so that a moment of load does not affect all of them.
        starts, ran = [], []
        for number in range(pairs):
            if number % 3 == 0:
                starts.append(pair(WARM_UP))
            ran.append(pair(count))
        ours_start, fio_start = (statistics.median(side[0] for side in sides) for sides in zip(*starts))
        for ours, fio in ran:
            cpu.add((ours[0] - ours_start) / (fio[0] - fio_start))
            rate.add(ours[1] / fio[1])
    return [cpu, rate]


def race_f3(bench, rng, pairs, medium, title, wall_gate, cpu_gate):
    need("f3write", "f3read")
    wall = Ratio(f"{title}: write and verify 1 GiB, speed, ours / f3", wall_gate, "more")
    cpu = Ratio(f"{title}: write and verify 1 GiB, CPU, f3 / ours", cpu_gate, "more")
    with medium as directory:

        def f3():
            with folder(directory) as place:
                write = Ran(["f3write", "--end-at=1", place])
                drop_page_cache(place)
                read = Ran(["f3read", "--end-at=1", place])
                return write.wall + read.wall, write.cpu + read.cpu

        def ours():
            seconds, processor, report = bench.job(verify_job(1024 * MB), directory)
            if report["verify"]["good"] != 1024 * MB:
                raise Skip("our verify found damage")
            return seconds, processor

        for _ in range(pairs):
            mine, theirs = in_random_order(rng, ours, f3)
            wall.add(theirs[0] / mine[0])
            cpu.add(theirs[1] / mine[1])
    return [wall, cpu]


def race_verify(bench, rng, pairs):
    need("fio")
    read = Ratio("ext4: verify's reading of 1 GiB, speed, ours / plain fio 1 MB read", 0.97, "more")
    whole = Ratio("ext4: write and verify 1 GiB, speed, ours / fio --verify=crc32c", 1.05, "more")
    with file_on_disk(1024 * MB) as name, folder() as directory:
        common = ["fio", "--name=t", f"--filename={name}", "--bs=1m", "--size=1g", "--direct=1", "--thread",
                  "--ioengine=psync", "--output-format=json", "--eta=never", "--allow_file_create=0"]

        def ours():
            seconds, _, report = bench.job(verify_job(1024 * MB), directory)
            return report["cells"][1]["moved"] / (report["cells"][1]["elapsed_ns"] / 1e9), seconds

        def plain():
            side = Ran(common + ["--rw=read"]).json()["jobs"][0]["read"]
            return side["io_bytes"] / (side["runtime"] / 1e3)

        def crc():
            return Ran(common + ["--rw=write", "--verify=crc32c", "--do_verify=1", "--end_fsync=1"]).wall

        for _ in range(pairs):
            mine, theirs, checked = in_random_order(rng, ours, plain, crc)
            read.add(mine[0] / theirs)
            whole.add(checked / mine[1])
    return [read, whole]


def first_io(bench, pairs):
    ms = Ratio("start of a process to its first transfer, ms", 10, "less")
    with file_on_disk(2 * MB) as name:
        for _ in range(pairs):
            ran = Ran([bench.engine, "--path", name, "--access", "random_read", "--block", "4096", "--operations", "10",
                       "--span", str(2 * MB)])
            ms.add(ran.json()["begin_monotonic_ns"] / 1e6 - ran.started * 1e3)
    return [ms]


def generator(bench, pairs):
    """Cost of payload generation for a write: an incompressible write against a write of zeros."""
    share = Ratio("tmpfs: share of a sequential write's time spent on making payload", None, "less")
    with tmpfs(256 * MB) as directory:
        name = os.path.join(directory, "file")
        with open(name, "wb") as file:
            file.write(bytes(128 * MB))
        for _ in range(pairs):
            report = Ran([bench.engine, "--path", name, "--access", "seq_write", "--block", str(MB), "--operations", "2000",
                          "--span", str(128 * MB), "--payload", "incompressible", "--cache", "cached"]).json()
            share.add(report["prepare_ns"] / (report["prepare_ns"] + report["elapsed_ns"]))
    return [share]


def store(bench):
    """Runs bench_store, if it was built: the store against one row per sample. It prints intervals as JSON."""
    if not os.path.exists(bench.store):
        raise Skip("bench_store was not built")
    report = Ran([bench.store]).json()
    rate = Ratio("store: samples a second, ours / rows in batches", 20, "more")
    rate.values = [report["ratio_rate"]]
    rate.known = report["ratio_rate"], report["ratio_low"], report["ratio_high"]
    size = Ratio("store: bytes a sample", 3.5, "less")
    size.values = [report["bytes_per_sample"]]
    return [rate, size]


def races(bench, rng, pairs, stack):
    yield "zram random read", lambda: race_iops(bench, rng, pairs, zram(1024 * MB), "zram psync random read", "random_read",
                                                (0.70, 1.45))
    yield "zram random write", lambda: race_iops(bench, rng, pairs, zram(1024 * MB), "zram psync random write",
                                                 "random_write", (0.80, 1.30))
    yield "zram no latency", lambda: race_iops(bench, rng, pairs, zram(1024 * MB),
                                               "zram psync random read, fio recording no latency", "random_read",
                                               (0.80, 1.25), extra=("--gtod_reduce=1",))
    # This race has many short pairs, because under other load the ratio of one pair varies by a tenth, and a
    # disturbance lasts for seconds.
    yield "loop io_uring", lambda: race_iops(bench, rng, 6 * pairs, loop_over_tmpfs(1024 * MB), "loop io_uring QD32",
                                             "random_read", (0.65, 1.10), "uring", 32, count=40_000)
    # This race uses a file on a medium as fast as memory. A disk completes a whole queue at a time, so the disk would
    # set the rate of both sides.
    yield "ext4 io_uring", lambda: race_iops(bench, rng, 6 * pairs, file_on_ext4(512 * MB), "file on ext4, io_uring QD32",
                                             "random_read", (0.65, 1.0), "uring", 32, count=40_000)
    yield "disk io_uring", lambda: race_iops(bench, rng, 3 * pairs, file_on_disk(512 * MB), "file on this disk, io_uring QD32",
                                             "random_read", (None, None), "uring", 32, count=20_000)
    yield "f3 tmpfs", lambda: race_f3(bench, rng, pairs, tmpfs(3 << 30), "tmpfs", 1.6, None)
    yield "f3 ext4", lambda: race_f3(bench, rng, max(4, pairs // 2), folder(), "file system of /var/tmp", 1.5, 4.0)
    yield "verify", lambda: race_verify(bench, rng, max(4, pairs // 2))
    yield "start", lambda: first_io(bench, pairs)
    yield "generator", lambda: generator(bench, pairs)
    yield "store", lambda: store(bench)
    medium = originals.Medium(stack)
    for name in originals.RACES:
        yield f"original {name}", lambda name=name: originals.race(bench, rng, max(5, pairs // 2), name, medium)
    yield "read anchor", lambda: originals.read_anchor(bench, rng, max(3, pairs // 3))
    yield "tree", lambda: trees.race(bench, rng, pairs)
    yield "window start", lambda: window.race_start(window.Programs(bench.build), max(5, pairs // 2))
    yield "window cost", lambda: window.race_cost(window.Programs(bench.build), 5, max(3, pairs // 4))
    yield "window looking on", lambda: window.race_looking_on(window.Programs(bench.build), rng, 12)


def main():
    parser = argparse.ArgumentParser(description="race against fio and f3")
    parser.add_argument("--build", required=True, help="a build folder, best of the release preset")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--only", default="", help="only races whose name contains this")
    parser.add_argument("--seed", type=int, default=1, help="start value of the random numbers")
    parser.add_argument("--json", help="also write the ratios to this file")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # to release the media
    rng = random.Random(options.seed)
    bench = Bench(options.build)

    print(f"{'race':<86}{'median':>8}   {'95 % interval':<18}{'gate':>8}  ")
    missed, report = 0, []
    with contextlib.ExitStack() as stack:
        for name, run in races(bench, rng, options.pairs, stack):
            if options.only not in name:
                continue
            try:
                ratios = run()
            except Skip as why:
                print(f"{name:<86}{'skipped: ' + str(why)}")
                continue
            for ratio in ratios:
                middle, low, high = ratio.interval(rng)
                verdict = ratio.verdict(rng)
                missed += verdict == "MISSED"
                print(f"{ratio.name:<86}{middle:>8.3f}   [{low:.3f}, {high:.3f}]{'':<4}{ratio.gate_text():>8}  {verdict}",
                      flush=True)
                if ratio.said:
                    print(f"  {ratio.said}")
                report.append({"name": ratio.name, "median": middle, "low": low, "high": high, "gate": ratio.gate,
                               "better": ratio.better, "verdict": verdict, "values": ratio.values})
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
