# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the CPU time (user and kernel) of creation and traversal of a tree with other programs. Creation is compared
with a plain C loop that opens by path. Traversal is compared with find, which prints either the attributes that ours
reads (all of fstatat) or only size and time. The caches are warm."""
import os
import shutil

from racing import MB, Ran, Ratio, Skip, ext4_on, in_random_order, loop_over_tmpfs, need

FOLDERS, FILES = (10, 50, 10), 10  # 5,510 folders and 50,000 files, a twentieth of the published tree

# ALL: the fields of fstatat and the name. FEW: the fields of a listing.
ALL, FEW = "%y %m %n %U %G %s %b %i %D %A@ %T@ %C@ %f\n", "%y %s %T@\n"


def job():
    leaves = FOLDERS[0] * FOLDERS[1] * FOLDERS[2]

    def step(work, access, name=None):
        return {"cell": {"id": name or work, "table": "t", "access": access, "block": 4096, "volume": 0}, "work": work}
    return {"suite": "race", "cache": "cached", "sync": "none",
            "files": {"sets": [{"files": leaves * FILES, "folders": list(FOLDERS)}],
                      # The second traversal is measured, for find as well.
                      "steps": [step("create", "seq_write"), step("walk", "seq_read", "first_walk"),
                                step("walk", "seq_read")]}}


def cpu_of_phase(report, name):
    phases = report["phases"]
    at = next(i for i, phase in enumerate(phases) if phase["name"] == name)
    return (phases[at + 1]["cpu_ns"] - phases[at]["cpu_ns"]) / 1e9


def race(bench, rng, pairs):
    need("find", "mkfs.ext4")
    if not os.path.exists(bench.plain_tree):
        raise Skip("plain_tree was not built")
    walk = Ratio("ext4: walking a tree, warm, CPU, ours / find printing the same attributes", 0.5, "less")
    # The kernel takes 0.85 of find's time and both sides make equal calls, so no traversal with a call per entry can
    # take half of find's time.
    few = Ratio("ext4: walking a tree, warm, CPU, ours / find printing type, size and time", None, "less")
    create = Ratio("ext4: making a tree, CPU, ours / a C loop by path", 1.0, "less")
    with ext4_on(loop_over_tmpfs(512 * MB), "-i", "2048") as directory:
        place = os.path.join(directory, "plain")

        def plain():
            shutil.rmtree(place, ignore_errors=True)
            os.mkdir(place)
            made = int(Ran([bench.plain_tree, place, *map(str, FOLDERS), str(FILES)]).text) / 1e9
            Ran(["find", place, "-printf", FEW])  # for a warm cache
            return made, Ran(["find", place, "-printf", ALL]).cpu, Ran(["find", place, "-printf", FEW]).cpu

        for _ in range(pairs):
            report, (made, found, found_few) = in_random_order(rng, lambda: bench.job(job(), directory)[2], plain)
            create.add(cpu_of_phase(report, "create") / made)  # folders and files, on both sides
            walk.add(cpu_of_phase(report, "walk") / found)
            few.add(cpu_of_phase(report, "walk") / found_few)
    return [walk, few, create]
