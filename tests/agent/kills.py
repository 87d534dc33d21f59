# SPDX-License-Identifier: GPL-3.0-or-later
"""kills.py AGENT: kills a real agent, its guards and its FUSE drivers with SIGKILL at random moments of its work on
image files. Checks after each kill that no process, mount, loop device or run folder is left and that sync(1) returns.
If a guard is killed with its agent, an empty run folder may remain until the next mount.
MEDIARIG_KILLS: number of kills (default 40; 1000 with MEDIARIG_THOROUGH=1). MEDIARIG_SEED: seed of the random numbers.
Exit 0: nothing was left; 1: something was left, listed on standard error; 77: not possible on this machine, with the
reason on standard output. Runs as root in a separate mount namespace (unshare --mount)."""
import collections
import ctypes
import glob
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
MNT_DETACH = 2
libc = ctypes.CDLL(None, use_errno=True)
# Seconds. Far more than the two seconds that the documentation promises, because this machine may be busy.
PATIENCE = 60
DRIVER = "mount.exfat-fuse"[:15]
# Weights of the phases. Mounts and unmounts have the most steps.
PHASES = {"claim": 2, "format": 3, "mount": 10, "run": 3, "unmount": 8, "check": 2, "raw run": 1, "release": 3,
          "release mounted": 4, "directory run": 1}
VICTIMS = {"agent": 6, "agent+guards": 4, "driver": 2, "agent+driver": 3, "agent+guards+driver": 4}


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def processes():
    """(number, parent, name, state) of each process that has not ended."""
    for folder in glob.glob("/proc/[0-9]*"):
        text = read(folder + "/stat")
        if ")" not in text:
            continue
        state, parent = text.rpartition(")")[2].split()[:2]
        if state not in "ZX":
            yield int(folder[6:]), int(parent), text[text.index("(") + 1:text.rindex(")")], state


class Refused(Exception):
    """A request was refused by the safety rules, e.g. because a loop device of another user cannot be examined."""


def is_refusal(answer):
    error = (answer or {}).get("error", {})
    return error.get("data", {}).get("errc") == "refused" or "may not be erased" in error.get("message", "")


class Agent:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "--log-level", "off"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, bufsize=0)
        self.last_id = 0
        self.rest = b""
        self.need("hello", {"protocol": 1, "controller": "kills.py"})

    def send(self, method, params):
        self.last_id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")

    def answer(self):
        """The answer to the last request; None if the agent has ended."""
        while True:
            while b"\n" not in self.rest:
                if not select.select([self.process.stdout], [], [], 120)[0]:
                    raise SystemExit("the agent does not answer")
                more = os.read(self.process.stdout.fileno(), 1 << 16)
                if not more:
                    return None
                self.rest += more
            line, _, self.rest = self.rest.partition(b"\n")
            message = json.loads(line)
            if message.get("id") == self.last_id:
                return message

    def ask(self, method, params):
        self.send(method, params)
        return self.answer()

    def need(self, method, params):
        answer = self.ask(method, params)
        if is_refusal(answer):
            raise Refused(answer["error"]["message"])
        if answer is None or "error" in answer:
            raise SystemExit(f"{method} failed: {answer}")
        return answer["result"]

    def claim(self, image):
        return self.need("claim", {"target": image, "confirm": image})["claim"]

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status

    def family(self):
        """Process numbers of the agent's guards, drivers and tools."""
        found = collections.defaultdict(list)
        for number, parent, name, _ in processes():
            if parent == self.process.pid:
                found["driver" if name == DRIVER else "guards" if name == "mediarig-agent" else "tools"].append(number)
        return found


def cells(count):
    return {"suite": "tiny", "sweep": {"span": 1 << 20, "cells": [
        {"id": f"w{i}", "table": "t", "access": "seq_write", "block": 4096, "volume": 262144,
         "time_limit_ns": 60 * 10**9} for i in range(count)]}, "payload": {"kind": "given", "given": "00ff"}}


class Work:
    """An image on which the agent works, and a second one that may be mounted at the same time."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.images = [os.path.join(folder, name) for name in ("first.img", "second.img")]
        self.directory = os.path.join(folder, "directory")
        os.mkdir(self.directory)
        for image in self.images:
            with open(image, "wb") as file:
                file.truncate(48 << 20)

    def requests(self, phase, claim):
        own = {"claim": claim}
        form = ("format", {**own, "format": {"fs": "exfat", "cluster_size": 32768, "label": "CARD"}})
        mount = ("mount", {**own, "fs": "exfat"})
        run = ("run", {**own, "job": cells(8)})
        release = ("release", own)
        return {"format": [form], "mount": [form, mount], "run": [form, mount, run],
                "unmount": [form, mount, ("run", {**own, "job": cells(1)}), ("unmount", own)],
                "check": [form, ("check", {**own, "fs": "exfat"})],
                "raw run": [("run", {**own, "raw": True, "job": cells(8)})], "release": [release],
                "release mounted": [form, mount, release],
                "directory run": [("run", {"directory": self.directory, "job": cells(8)})]}[phase]

    def start(self, phase, with_second):
        """Returns an agent that has started the phase and has not answered yet."""
        begun = time.monotonic()
        while True:
            agent = Agent(self.program)
            try:
                self.begin(agent, phase, with_second)
                return agent
            except Refused as why:
                agent.end()
                if time.monotonic() - begun > PATIENCE:
                    raise SystemExit(f"{phase} was refused for {PATIENCE} s: {why}") from why
                time.sleep(0.2)

    def begin(self, agent, phase, with_second):
        if with_second:
            second = agent.claim(self.images[1])
            if "error" in agent.ask("mount", {"claim": second, "fs": "exfat"}):
                agent.need("format", {"claim": second, "format": {"fs": "exfat", "cluster_size": 32768, "label": "B"}})
                agent.need("mount", {"claim": second, "fs": "exfat"})
        if phase == "claim":
            agent.send("claim", {"target": self.images[0], "confirm": self.images[0]})
            return
        requests = self.requests(phase, agent.claim(self.images[0]))
        for request in requests[:-1]:
            agent.need(*request)
        agent.send(*requests[-1])

    def remains(self, agent, may_keep_folder):
        lines = []
        for number, parent, name, state in processes():
            if parent == os.getpid() and number != agent.process.pid and name != "sync":
                lines.append(f"process {number} {name} {state}: {read(f'/proc/{number}/stack').split(chr(10))[:4]}")
        for mounts in [read("/proc/self/mountinfo")] + [read(f"/proc/{n}/mountinfo") for n, p, _, _ in processes()
                                                         if p == os.getpid()]:
            lines += [f"mount {line}" for line in mounts.splitlines()
                      if f"/mediarig-{agent.process.pid}-" in line]
        for loop in glob.glob("/sys/block/loop*/loop/backing_file"):
            if read(loop).startswith(self.folder):
                lines.append(f"loop device {loop.split('/')[3]}")
        for run_folder in glob.glob(f"/run/mediarig-{agent.process.pid}-*"):
            if not may_keep_folder:
                lines.append(f"folder {run_folder}")
        return lines


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def sync_time(process, begun):
    """Seconds since `begun` if the process has ended, else None."""
    return time.monotonic() - begun if process.poll() is not None else None


def abort_connections(folder, work):
    """Aborts the connections of the test's drivers, which ends all waiting calls. Only after a failure, so that other
    programs on this machine do not remain blocked."""
    connections = os.path.join(folder, "fusectl")
    os.makedirs(connections, exist_ok=True)
    libc.mount(b"fusectl", connections.encode(), b"fusectl", 0, None)
    for loop in glob.glob("/sys/block/loop*/loop/backing_file"):
        if read(loop).startswith(work.folder):
            major, minor = read(os.path.join("/sys/block", loop.split("/")[3], "dev")).split(":")
            name = os.path.join(connections, str(int(major) << 20 | int(minor)), "abort")
            if os.path.exists(name):
                with open(name, "w", encoding="ascii") as file:
                    file.write("1")
    libc.umount2(connections.encode(), MNT_DETACH)


def kill(agent, victims, random_numbers):
    """Kills the victims that exist now; returns their number."""
    family = agent.family()
    found = [agent.process.pid] if "agent" in victims else []
    for kind in ("guards", "driver"):
        if kind in victims:
            found += family[kind]
    random_numbers.shuffle(found)
    for number in found:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return len(found)


def choose(random_numbers, weights):
    return random_numbers.choices(list(weights), list(weights.values()))[0]


def main():
    if os.geteuid() != 0 or not os.path.exists("/dev/loop-control") or not os.path.exists("/dev/fuse"):
        print("needs root, loop devices and FUSE")
        return 77
    if not shutil.which("mount.exfat-fuse") or not shutil.which("mkfs.exfat"):
        print("needs exfat-fuse and exfatprogs")
        return 77
    if "exfat" in read("/proc/filesystems").split():
        print("this kernel mounts exFAT without FUSE")
        return 77
    thorough = os.environ.get("MEDIARIG_THOROUGH", "0") not in ("", "0")
    wanted = int(os.environ.get("MEDIARIG_KILLS") or (1000 if thorough else 40))
    seed = int(os.environ.get("MEDIARIG_SEED") or 20261126)
    random_numbers = random.Random(seed)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # orphans of an agent become children of this process
    folder = os.path.realpath(tempfile.mkdtemp(prefix="mediarig-kills-", dir="/var/tmp"))
    try:
        return kill_many(Work(sys.argv[1], folder), wanted, seed, random_numbers)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kill_many(work, wanted, seed, random_numbers):
    baseline = []
    for _ in range(5):
        begun = time.monotonic()
        subprocess.run(["sync"], check=True)
        baseline.append(time.monotonic() - begun)

    lengths = {}
    for phase in PHASES:
        times = []
        for _ in range(3):
            agent = work.start(phase, True)
            begun = time.monotonic()
            answer = agent.answer()
            times.append(time.monotonic() - begun)
            if answer is None or ("error" in answer and not is_refusal(answer)):
                raise SystemExit(f"{phase} failed undisturbed: {answer}")
            if agent.end() != 0:
                raise SystemExit(f"the agent did not end with status 0 after {phase}")
        lengths[phase] = sorted(times)[1]

    counts = collections.Counter()
    longest_remains = collections.Counter()
    longest_sync = collections.Counter()
    kept_folders, failures, done = [], [], 0
    interrupted = []
    signal.signal(signal.SIGTERM, lambda *_: interrupted.append(True))
    while done < wanted and not failures and not interrupted:
        phase, victims = choose(random_numbers, PHASES), choose(random_numbers, VICTIMS)
        try:
            agent = work.start(phase, random_numbers.random() < 0.5)
        except SystemExit as why:
            failures.append(f"after kill {done}: {why}")
            break
        time.sleep(random_numbers.random() * 1.2 * lengths[phase])
        killed = kill(agent, victims.split("+"), random_numbers)
        begun = time.monotonic()
        sync = subprocess.Popen(["sync"])
        agent.process.stdin.close()  # ends an agent that was not killed
        done += 1 if killed else 0
        counts[phase, victims if killed else "none"] += 1

        may_keep_folder = "guards" in victims
        remains, synced, gone = None, None, None
        while time.monotonic() - begun < PATIENCE and (gone is None or synced is None):
            if synced is None:
                synced = sync_time(sync, begun)
            if gone is None and agent.process.poll() is not None:
                reap()
                remains = work.remains(agent, may_keep_folder)
                if not remains:
                    gone = time.monotonic() - begun
            time.sleep(0.005)
        agent.process.stdout.close()
        longest_remains[phase] = max(longest_remains[phase], gone or PATIENCE)
        longest_sync[phase] = max(longest_sync[phase], synced or PATIENCE)
        where = f"kill {done} ({phase}, {victims}, MEDIARIG_SEED={seed})"
        if gone is None:
            failures.append(f"{where}: left after {PATIENCE} s: {remains or 'the agent'}")
        if synced is None:
            failures.append(f"{where}: sync has not returned after {PATIENCE} s")
        if failures:
            abort_connections(work.folder, work)
        for run_folder in glob.glob(f"/run/mediarig-{agent.process.pid}-*"):
            kept_folders.append(run_folder)
            if os.path.ismount(run_folder + "/volume") or os.listdir(run_folder) not in ([], ["volume"]):
                failures.append(f"{where}: {run_folder} is not empty")
    if not failures:
        failures += check_next_run(work, kept_folders)

    print(f"{done} kills, start value {seed}; sync before: {max(baseline):.3f} s at most")
    print(f"{'moment':16} {'length':>7} " + " ".join(f"{v:>19}" for v in [*VICTIMS, "none"])
          + f" {'gone after':>10} {'sync':>6}")
    for phase in PHASES:
        print(f"{phase:16} {lengths[phase] * 1000:4.0f} ms "
              + " ".join(f"{counts[phase, v]:19}" for v in [*VICTIMS, "none"])
              + f" {longest_remains[phase]:8.2f} s {longest_sync[phase]:4.2f} s")
    print(f"left: {len(failures)}; run folders kept until the next mount: {len(kept_folders)}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def check_next_run(work, kept_folders):
    """Checks that the next mount removes run folders, and that the next job in a directory removes the work folder of a
    killed one."""
    agent = work.start("mount", False)
    failures = [] if "result" in (agent.answer() or {}) else ["the mount after the last kill failed"]
    agent.end()
    agent = work.start("directory run", False)
    if "result" not in (agent.answer() or {}):
        failures.append("the run in a directory after the last kill failed")
    agent.end()
    kept = [folder for folder in kept_folders if os.path.exists(folder)]
    if kept:
        failures.append(f"run folders left by the next mount: {kept}")
    if os.listdir(work.directory):
        failures.append(f"left in the directory by the next run: {os.listdir(work.directory)}")
    return failures


sys.exit(main())
