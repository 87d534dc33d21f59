# SPDX-License-Identifier: GPL-3.0-or-later
"""unprivileged_caller.py AGENT SUDOERS_EXAMPLE START_VALUE REQUESTS

A user without rights, who may only start the agent by the example rule for sudo, sends requests to it: the fixed ones of
`by_hand` and REQUESTS random ones, while the user's processes exchange names in the user's folders. For any answer: no file
of other users may change, appear or vanish, no loop device may use one, and no answer may reveal invisible data. Runs as
root in a private mount namespace with users, groups and rules of this test.
Exit 0: no fault; 1: a fault, described on standard error; 77: not possible on this machine (reason: standard output)."""
import ctypes
import fcntl
import json
import os
import random
import re
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

from world import CALLER, CALLER_GROUP, RULE_GROUP, World, cannot, set_up_users

LOOP_GET_STATUS64 = 0x4C05
RENAME_EXCHANGE = 2
libc = ctypes.CDLL(None, use_errno=True)


def as_caller(command, **more):
    return subprocess.Popen(command, user=CALLER, group=CALLER_GROUP, extra_groups=[RULE_GROUP],
                            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PKEXEC_UID": "0", "SUDO_UID": "0"}, **more)


class Talk:
    def __init__(self, program, folder):
        self.agent = as_caller(["sudo", "-n", "--", program, "--stdio"], cwd=folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, bufsize=0)
        self.last_id = 0
        self.rest = b""

    def line(self):
        while b"\n" not in self.rest:
            if not select.select([self.agent.stdout], [], [], 120)[0]:
                raise SystemExit("the agent does not answer")
            more = os.read(self.agent.stdout.fileno(), 1 << 16)
            if not more:
                raise SystemExit(f"the agent ended: {self.agent.wait()}")
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode()

    def ask(self, method, params):
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.agent.stdin.write(json.dumps(request).encode() + b"\n")
        said = ""
        while True:
            line = self.line()
            message = json.loads(line)
            if message.get("id") == self.last_id:
                return message, said + line
            if message.get("method") != "plugged":  # concurrent changes on the machine
                said += line


def exchange_forever(folder, neighbour_folder):
    """Exchanges names in the caller's folders, with the rights of the caller."""
    os.setgroups([])
    os.setgid(CALLER_GROUP)
    os.setuid(CALLER)

    def swap(one, other):
        libc.renameat2(-100, f"{folder}/{one}".encode(), -100, f"{folder}/{other}".encode(), RENAME_EXCHANGE)

    aside = 0
    while True:
        swap("swap.img", "swap.link")
        swap("swap.fifo", "swap.secret")
        swap("spin", "spin.link")
        for where in ("work", "spin", "plant"):
            try:
                names = os.listdir(f"{folder}/{where}")
            except OSError:
                continue
            for name in names:
                path = f"{folder}/{where}/{name}"
                if os.path.islink(path) or not os.path.isdir(path):
                    continue
                aside += 1
                try:
                    os.rename(path, f"{folder}/aside-{aside}")
                    os.symlink(neighbour_folder, path)
                except OSError:
                    pass
        time.sleep(0.0002)


class Attack:
    def __init__(self, talk, world, chance):
        self.talk, self.world, self.chance = talk, world, chance
        self.faults, self.claims = [], []
        self.granted = self.refused = 0
        self.protected = world.protected_inodes()

    def fault(self, what):
        self.faults.append(what)

    def request(self, method, params):
        answer, said = self.talk.ask(method, params)
        asked = json.dumps(params)
        for secret in self.world.secrets:
            if re.search(rf"(?<!\d){secret}(?!\d)", said) and secret not in asked:
                self.fault(f"{method} {asked[:200]} tells {secret}: {said[:300]}")
        if "result" in answer:
            self.granted += 1
            if method == "claim":
                self.claims.append(answer["result"]["claim"])
                self.judge_claim(asked, answer["result"]["medium"]["node"])
        else:
            self.refused += 1
        if method == "release" and "result" in answer:
            self.claims.remove(params["claim"])
        return answer

    def judge_claim(self, asked, node):
        """Checks that no loop device of the agent uses a protected file, by any name of the file."""
        with open(node, "rb") as loop:
            device, inode = struct.unpack_from("<QQ", fcntl.ioctl(loop, LOOP_GET_STATUS64, bytes(232)))
        if any(inode == protected for _, protected in self.protected):
            self.fault(f"claim {asked} was granted on a file of another user: inode {inode} of {device:#x}")

    def params(self, method, target):
        if method == "claim":
            return {"target": target, "confirm": self.confirmation(target)}
        if method == "run":
            return {"job": JOB, "directory": target}
        return {"target": target}

    def confirmation(self, target):
        # The disks of this machine must survive a faulty agent.
        try:
            block = stat.S_ISBLK(os.stat(os.path.join(self.world.mine, target)).st_mode)
            real = os.path.realpath(target)
        except (OSError, ValueError):
            return "wrong"
        return "wrong" if block else self.chance.choice([target, target, real, "wrong"])

    def at_random(self):
        method = self.chance.choice(["identify"] * 4 + ["inspect"] * 4 + ["claim"] * 6 + ["run"] * 4 +
                                    ["smart", "card_health", "format", "format", "discard", "check", "mount", "unmount", "release", "raw",
                                     "junk"])
        target = self.chance.choice(self.world.all_targets)
        claim = self.chance.choice(self.claims + [0, 1, 2**63])
        if method in ("identify", "inspect", "smart", "card_health", "claim", "run"):
            self.request(method, self.params(method, target))
        elif method == "raw":
            self.request("run", {"job": JOB, "claim": claim, "raw": self.chance.choice([True, False])})
        elif method == "format":
            self.request("format", {"claim": claim, "format": {"fs": "exfat", "cluster_size": 32768, "label": "CARD"}})
        elif method in ("mount", "check"):
            self.request(method, {"claim": claim, "fs": "exfat"})
        elif method in ("discard", "unmount", "release"):
            self.request(method, {"claim": claim})
        else:
            junk = self.chance.choice([target, None, [target], {"target": [target]}, {"target": 7}, {"directory": target}])
            self.request(self.chance.choice(["identify", "claim", "run", "inspect", "fly"]), junk)
        if len(self.claims) > 2:
            self.release()

    def release(self):
        for claim in list(self.claims):
            self.request("unmount", {"claim": claim})
            self.request("release", {"claim": claim})

    def by_hand(self):
        world = self.world
        for method in ("identify", "inspect", "smart", "card_health", "claim", "run"):
            for present, absent in world.hidden:
                self.twins(method, present, absent)
        for present, absent in world.hidden:
            self.confirmation_twins(present, absent)
        # A path that is neither a file nor a device is examined under the resolved name only.
        for _ in range(200):
            for method in ("identify", "inspect", "smart", "card_health", "claim"):
                self.request(method, self.params(method, world.mine + "/swap.fifo"))
        for target in world.all_targets:
            for method in ("identify", "inspect", "claim", "run"):
                self.request(method, self.params(method, target))
                self.release()
        mine, others = world.mine, world.open[0]
        for method, target, allowed in (
                ("identify", mine + "/card.img", True), ("inspect", mine + "/card.img", True),
                ("claim", mine + "/card.img", True), ("run", mine + "/calm", True), ("identify", mine + "/work", True),
                ("run", world.sticky, True), ("inspect", others + "/readable.img", True),
                ("inspect", others + "/card.img", False), ("claim", others + "/card.img", False),
                ("claim", world.top + "/shared.img", True), ("claim", others + "/strange-group.img", False),
                ("claim", others + "/readable.img", False), ("claim", mine + "/read-only.img", False),
                ("run", others, False), ("run", mine + "/locked", False), ("run", "/etc", False), ("run", "/root", False),
                ("claim", "/etc/passwd", False), ("claim", mine + "/fifo", False), ("identify", "/etc/shadow/", False)):
            params = {"target": target, "confirm": target} if method == "claim" else self.params(method, target)
            answer = self.request(method, params)
            if ("result" in answer) != allowed:
                self.fault(f"{method} {target}: {'refused' if allowed else 'allowed'}: {json.dumps(answer)[:300]}")
            self.release()

    def confirmation_twins(self, present, absent):
        """The confirmation of the caller's image is resolved with the caller's rights: a name invisible to the
        caller leads nowhere."""
        answers = []
        for name in (present, absent):
            confirm = name + "/" + "../" * name.count("/") + self.world.mine.lstrip("/") + "/card.img"
            answer = self.request("claim", {"target": self.world.mine + "/card.img", "confirm": confirm})
            self.release()
            del answer["id"]
            answers.append(json.dumps(answer).replace(json.dumps(name)[1:-1], "NAME"))
        if answers[0] != answers[1] or "error" not in answers[0]:
            self.fault(f"a confirmation distinguishes {present} from {absent}: {answers[0][:250]} | {answers[1][:250]}")

    def twins(self, method, present, absent):
        """One of two names that are invisible to the caller exists. The answers are equal except for the name."""
        answers = []
        for target in (present, absent):
            params = {"target": target, "confirm": target} if method == "claim" else self.params(method, target)
            answer = self.request(method, params)
            self.release()
            del answer["id"]
            answers.append(json.dumps(answer).replace(json.dumps(target)[1:-1], "NAME"))
        if answers[0] != answers[1] or "error" not in answers[0]:
            self.fault(f"{method} tells {present} from {absent}: {answers[0][:250]} | {answers[1][:250]}")


JOB = {"suite": "tiny", "sweep": {"span": 1 << 18, "cells": [
    {"id": "w", "table": "t", "access": "seq_write", "block": 4096, "volume": 32768, "time_limit_ns": 60 * 10**9}]},
    "payload": {"kind": "given", "given": "00ff"}}


def attack(world, program, chance, count):
    rule = as_caller(["sudo", "-n", "-l"], cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = rule.communicate()[0].decode()
    if program not in said:
        cannot("sudo does not work here: " + " ".join(said.split()))
    faults = []
    # The rule permits the agent with one argument only.
    for command in ([program], [program, "--device", "/dev/null"], [program, "--stdio", "--log-level", "debug"],
                    ["PKEXEC_UID=0", program, "--stdio"], ["SUDO_UID=0", program, "--stdio"], ["id"], ["-s"], ["-l", "id"],
                    ["-g", "neighbour", program, "--stdio"], ["-D", "/root", program, "--stdio"]):
        if as_caller(["sudo", "-n"] + command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL).wait() == 0:
            faults.append(f"sudo allows {command}")

    world.all_targets = world.targets()
    before = world.state()
    swapper = os.fork()
    if swapper == 0:
        exchange_forever(world.mine, world.open[0])
    began = time.monotonic()
    try:
        talk = Talk(program, world.mine)
        hello, _ = talk.ask("hello", {"protocol": 1, "controller": "unprivileged_caller.py"})
        if not hello["result"]["privileged"]:
            cannot("the agent has no right to claim and mount here")
        tried = Attack(talk, world, chance)
        tried.by_hand()
        for _ in range(count):
            tried.at_random()
        talk.agent.stdin.close()
        if (status := talk.agent.wait(60)) != 0:
            faults.append(f"the agent ended with {status}")
    finally:
        os.kill(swapper, signal.SIGKILL)
        os.waitpid(swapper, 0)
    after = world.state()
    faults += tried.faults
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            faults.append(f"{path}: was {before.get(path)}, is {after.get(path)}")
    faults += [f"{path} in the caller's folder was left by root" for path in world.foreign_files_among_his()]
    print(f"{talk.last_id} requests, {tried.granted} granted, {tried.refused} refused, {len(faults)} rights exceeded, "
          f"{time.monotonic() - began:.1f} s")
    return faults


def main():
    agent, example, start_value, count = sys.argv[1:]
    if os.geteuid() != 0:
        cannot("needs root to become another user")
    if not shutil.which("sudo"):
        cannot("sudo is not installed")
    print("start value", start_value)
    top = tempfile.mkdtemp(prefix="mediarig-privilege-", dir="/var/tmp")
    try:
        program = set_up_users(top, agent, example)
        faults = attack(World(top), program, random.Random(int(start_value)), int(count))
    finally:
        for name in ("passwd", "group", "shadow", "sudoers"):
            subprocess.run(["umount", "-q", "/etc/" + name], check=False)
        shutil.rmtree(top)
    for fault in faults[:40]:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
