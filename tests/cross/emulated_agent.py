# SPDX-License-Identifier: GPL-3.0-or-later
"""emulated_agent.py EMULATOR AGENT: runs an agent for another processor under an emulator, without a device. The agent
answers hello, identifies and inspects an image file, and writes, reads and verifies test files in a folder.
Exit 0: no fault; 1: a fault, described on standard error."""
import json
import os
import subprocess
import sys
import tempfile


class Agent:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        self.notes = []

    def need(self, method, params=None):
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        self.notes = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the agent ended during {method}")
            message = json.loads(line)
            if "method" in message:
                self.notes.append(message)
            elif "error" in message:
                raise SystemExit(f"{method} failed: {message['error']['message']}")
            else:
                return message["result"]


def must(holds, what):
    if not holds:
        raise SystemExit(what)


def cell(name, access):
    return {"id": name, "table": "t", "access": access, "block": 4096, "volume": 1 << 20, "time_limit_ns": 60 * 10**9}


def main():
    emulator, program = sys.argv[1:]
    # The folder is on a disk, because a folder in memory does not permit direct access.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        image = os.path.join(folder, "card.img")
        with open(image, "wb") as file:
            file.truncate(8 << 20)
        work = os.path.join(folder, "work")
        os.mkdir(work, 0o700)

        agent = Agent([emulator, program, "--stdio"])
        hello = agent.need("hello", {"protocol": 1, "controller": "emulated_agent.py"})
        must(hello["host"]["kernel"].startswith("Linux "), f"the kernel is {hello['host']['kernel']}")
        medium = agent.need("identify", {"target": image})["medium"]
        must(medium["size"] == 8 << 20, f"the image has {medium['size']} bytes")
        agent.need("inspect", {"target": image})

        cells = [cell("write", "seq_write"), cell("read", "seq_read"), cell("random", "random_read")]
        sweep = {"suite": "tiny", "engine": "psync", "sweep": {"span": 1 << 20, "cells": cells}}
        swept = agent.need("run", {"directory": work, "job": sweep})
        told = [note["params"]["result"] for note in agent.notes if note["method"] == "cell"]
        must(swept["cells"] == 3 and len(told) == 3, f"of three cells {swept['cells']} were finished")
        for result in told:
            must(result["operations"] == 256, f"a cell moved {result['operations']} blocks, not 256")
        errors = [note for note in agent.notes if note["method"] == "finding"
                  and note["params"]["severity"] == "fault"]
        must(not errors, f"faults on a sound disk: {errors}")

        verify = {"suite": "verify", "verify": {"span": 8 << 20, "chunk": 1 << 20, "generation": 1}}
        verified = agent.need("run", {"directory": work, "job": verify})["verify"]
        must(verified["verdict"] == "good", f"the verdict about the written files is {verified['verdict']}")
        must(os.listdir(work) == [], f"left in the folder: {os.listdir(work)}")

        agent.process.stdin.close()
        must(agent.process.wait(60) == 0, "the agent did not end with status 0")


main()
