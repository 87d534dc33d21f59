# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the figures of suites with those of the programs that they are named after, on one ext4 medium. Both make
equal requests, sizes and flushes, which tests/workload/originals_test.cpp compares call by call.

Each race repeats the original as often as ours, in random order. The gate is the spread of the original: half of the
distance between the 10 % and the 90 % quantile of its figures, as a fraction of their median, and at least 2 %. Ours
agrees if the ratio of the medians is within the gate.
"""
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import time

from racing import MB, Ran, Ratio, Skip, drop_page_cache, ext4_on, in_random_order, loop_over_tmpfs, need, paced

SPAN = 64 * MB
BONNIE = 256 * MB
F3 = 1024 * MB
# Rates of a fast card: each race waits for the medium, whatever other load this machine has.
READ, WRITE, OPERATIONS = 160_000_000, 80_000_000, 4000
LEAST_SCATTER = 0.02
# The kernel grants bytes in slices of a tenth of a second: a run on a rested medium gets one more slice than a run
# right after a layout, a tenth of the duration of the shortest race. So both start on a rested medium.
REST = 0.3
# Rates of the card on which the three suites of the read anchor were published. At READ the shortest of them takes 0.8
# s, of which the first burst of a rested medium (REST) is too large a part.
ANCHOR_READ = 67_000_000


def sweep(access, block, volume, span=SPAN, **more):
    cell = {"id": "c", "table": "t", "access": access, "block": block, "volume": volume}
    return {"suite": "race", "cache": "direct", "sync": "at_end", "payload": {"kind": "zeros"},
            "sweep": {"span": span, "cells": [cell], **more}}


def rate(report):
    cell = report["cells"][0]
    return cell["moved"] / (cell["elapsed_ns"] / 1e9)


def operations(report, elapsed="elapsed_ns"):
    cell = report["cells"][0]
    return cell["operations"] / (cell[elapsed] / 1e9)


def number(pattern, text, what):
    found = re.search(pattern, text)
    if not found:
        raise Skip(f"{what} printed no figure")
    return float(found.group(1))


def lay_out(path, size=SPAN):
    """Makes a file with the same layout as our files, by direct transfers of 1 MiB."""
    made = subprocess.run(["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={size // MB}", "oflag=direct",
                           "conv=fsync"], stderr=subprocess.DEVNULL)
    if made.returncode != 0:
        raise Skip("no file can be laid out")
    return path


# --- each original: prepare(directory) makes its files once; figure(directory) runs it and returns its figure
# --------------

def dd(writing):
    def figure(directory):
        file = os.path.join(directory, "file")
        command = (["dd", "if=/dev/zero", f"of={file}", "oflag=direct", "conv=notrunc,fdatasync"] if writing else
                   ["dd", f"if={file}", "of=/dev/null", "iflag=direct"])
        done = subprocess.run(command + ["bs=2M", f"count={SPAN // (2 * MB)}"], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C"})
        moved = number(r"(\d+) bytes", done.stderr, "dd")
        return moved / number(r", ([0-9.e+-]+) s, ", done.stderr, "dd")
    return figure


def ioping(directory):
    # ioping prints one line: number of requests, their time in ns, requests per second, …
    line = Ran(["ioping", "-q", "-B", "-D", "-i", "0", "-c", "3000", "-S", str(MB), directory]).text.split()
    if len(line) < 3:
        raise Skip("ioping printed no figure")
    return float(line[0]) / (float(line[1]) / 1e9)


def fileio(mode, *more):
    return ["sysbench", "fileio", "--file-num=8", f"--file-total-size={SPAN}", "--file-extra-flags=direct",
            "--file-block-size=16384", f"--file-test-mode={mode}", *more]


def sysbench(mode, pattern):
    return lambda directory: number(pattern, Ran(fileio(mode, "--time=2", "run"), cwd=directory).text, "sysbench")


def prepare_sysbench(directory):
    Ran(fileio("seqwr", "prepare"), cwd=directory)


def mix(access, reads, writes):
    cell = {"id": "c", "table": "t", "access": access, "block": 16384, "volume": 1 << 34, "time_limit_ns": 2_000_000_000}
    return {"suite": "race", "cache": "direct", "sync": "at_end", "payload": {"kind": "zeros"},
            "mix": {"files": 8, "file_size": SPAN // 8, "sync_every": 100, "syncs_attributes": True,
                    "cells": [{"cell": cell, "reads": reads, "writes": writes}]}}


def forget_what_is_flushed(pid):
    """Empties the cache after Bonnie++ has written and flushed the whole file. Otherwise Bonnie++ would read the file
    from this machine's memory."""
    with contextlib.suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            path = os.readlink(f"/proc/{pid}/fd/{number}")
            with open(f"/proc/{pid}/fdinfo/{number}") as about:
                at_end = about.readline().split() == ["pos:", str(BONNIE)]
            if at_end and os.path.basename(path).startswith("Bonnie."):
                file = os.open(path, os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)
    time.sleep(0.002)


def bonnie(column):
    """Bonnie++ prints one line: field 11 is the rate of block writes in KiB/s, field 17 that of block reads."""
    def figure(directory):
        ran = Ran(["bonnie++", "-q", "-f", "-u", "root", "-d", directory, "-s", f"{BONNIE // MB}M:8k",
                   "-r", str(BONNIE // MB // 2), "-n", "0"], beside=forget_what_is_flushed)
        value = ran.text.strip().split("\n")[-1].split(",")[column]
        if not value or value.startswith("+"):
            raise Skip("bonnie++ was too fast for a figure")
        return float(value) * 1024
    return figure


def files(work, access, *before):
    def step(step_work, step_access):
        return {"cell": {"id": step_work, "table": "t", "access": step_access, "block": 8192, "volume": BONNIE},
                "work": step_work}
    return {"suite": "race", "cache": "dropped", "sync": "at_end", "payload": {"kind": "zeros"},
            "files": {"sets": [{"files": 1, "sizes": [BONNIE]}],
                      "steps": [step(*each) for each in before] + [step(work, access)]}}


def last_rate(report):
    cell = report["cells"][-1]
    return cell["moved"] / (cell["elapsed_ns"] / 1e9)


def fio(mode, side):
    def figure(directory):
        file = os.path.join(directory, "file")
        ran = Ran(["fio", "--name=t", f"--filename={file}", f"--rw={mode}", "--bs=256k", f"--size={SPAN}", "--direct=1",
                   "--ioengine=psync", "--thread", "--zero_buffers", "--allow_file_create=0", "--end_fsync=1",
                   "--output-format=json", "--eta=never"])
        result = ran.json()["jobs"][0][side]
        return result["io_bytes"] / (result["runtime"] / 1e3)
    return figure


def f3(directory):
    """The rate of writing and reading back together: bytes over the time of both programs, whose printed speeds
    exclude the last flush."""
    written = Ran(["f3write", "--end-at=1", directory]).wall
    drop_page_cache(directory)
    read = Ran(["f3read", "--end-at=1", directory]).wall
    os.unlink(os.path.join(directory, "1.h2w"))
    return 1024 * MB / (written + read)


def in_both(report):
    return 1024 * MB / sum(cell["elapsed_ns"] / 1e9 for cell in report["cells"])


def with_file(directory):
    lay_out(os.path.join(directory, "file"))


def nothing(_):
    pass


RACES = {
    "dd write": ("dd", "MB/s", with_file, dd(True), sweep("seq_write", 2 * MB, SPAN), rate),
    "dd read": ("dd", "MB/s", with_file, dd(False), sweep("seq_read", 2 * MB, SPAN), rate),
    "ioping": ("ioping", "requests/s", nothing, ioping,
               sweep("random_read", 4096, 3000 * 4096, MB, pace={"interval_ns": 0, "warm_up": 1}),
               lambda report: report["cells"][0]["operations"] * 1e9 / report["cells"][0]["latency"]["sum_ns"]),
    "sysbench rndrd": ("sysbench", "reads/s", prepare_sysbench, sysbench("rndrd", r"reads/s:\s+([0-9.]+)"),
                       mix("random_read", 1, 0), operations),
    "sysbench rndwr": ("sysbench", "writes/s", prepare_sysbench, sysbench("rndwr", r"writes/s:\s+([0-9.]+)"),
                       mix("random_write", 0, 1), operations),
    "bonnie++ block write": ("bonnie++", "MB/s", nothing, bonnie(11), files("write", "seq_write"), last_rate),
    "bonnie++ block read": ("bonnie++", "MB/s", nothing, bonnie(17),
                            files("read", "seq_read", ("write", "seq_write")), last_rate),
    "fio read": ("fio", "MB/s", with_file, fio("read", "read"), sweep("seq_read", 262144, SPAN), rate),
    "fio write": ("fio", "MB/s", with_file, fio("write", "write"), sweep("seq_write", 262144, SPAN), rate),
    "f3": ("f3write", "MB/s", nothing, f3, {"suite": "verify", "verify": {"span": 1024 * MB}}, in_both),
}


def scatter_of(figures):
    """Returns half of the distance between the 10 % and the 90 % quantile, as a fraction of the median."""
    tenths = statistics.quantiles(figures, n=10, method="inclusive")
    return max(LEAST_SCATTER, (tenths[8] - tenths[0]) / 2 / statistics.median(figures))


class Medium:
    """One medium for all races, made at the first use; `stack` releases it."""

    def __init__(self, stack):
        self.stack, self.directory = stack, None

    def folder(self, name):
        """A new empty folder on the medium."""
        if self.directory is None:
            self.directory = self.stack.enter_context(
                ext4_on(paced(loop_over_tmpfs(1280 * MB), READ, WRITE, OPERATIONS)))
        place = os.path.join(self.directory, name)
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        return place


def rested(run, place):
    time.sleep(REST)
    return run(place)


def race(bench, rng, pairs, name, medium):
    program, unit, prepare, theirs, job, figure = RACES[name]
    need(program, "mkfs.ext4")
    place, own = medium.folder("theirs"), medium.folder("ours")
    prepare(place)
    mine, others = [], []
    for _ in range(pairs):
        report, other = in_random_order(rng, lambda: bench.job(job, own, REST)[2], lambda: rested(theirs, place))
        mine.append(figure(report))
        others.append(other)
    ratio = Ratio(f"ext4 on a paced loop device, {unit}: {name}, ours / original", scatter_of(others), "within")
    ratio.values = [each / statistics.median(others) for each in mine]
    shutil.rmtree(place)
    return [ratio]


# (span, volume) of each suite for reads of equal blocks in order.
ANCHORS = {"quickbench": (256 * MB, 128 * MB), "disktester": (512 * MB, 512 * MB), "xbench": (128 * MB, 64 * MB)}


def read_anchor(bench, rng, pairs):
    """Three programs with published reads of 256 KiB in order agree within 0.4 % on one card; their suites must
    agree as well."""
    need("mkfs.ext4")
    ratio = Ratio("ext4 on a paced loop device: reads of 256 KiB in order, fastest / slowest of three suites", 0.02, "within")
    jobs = [sweep("seq_read", 256 * 1024, volume, span) for span, volume in ANCHORS.values()]
    with ext4_on(paced(loop_over_tmpfs(640 * MB), ANCHOR_READ, WRITE, OPERATIONS)) as own:
        for _ in range(pairs):
            rates = in_random_order(rng, *(lambda job=job: rate(bench.job(job, own, REST)[2]) for job in jobs))
            ratio.add(max(rates) / min(rates))
    return [ratio]
