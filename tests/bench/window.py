# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of the window: the time to start and to list a large store, its share of a core during a campaign, and its
effect on the measurement, by `mediarig compare --from -`."""
import contextlib
import fcntl
import json
import math
import os
import random
import select
import socket
import subprocess
import threading
import time

from racing import MB, Ran, Ratio, Skip, ext4_on, folder, loop_over_disk, loop_over_tmpfs, need_root, paced
from x_display import CONTROL, Watcher, x_server

CAMPAIGNS = 10_000
# Rates of a fast card, as in the races against the originals.
READ, WRITE, OPERATIONS = 160_000_000, 80_000_000, 4000


def cpu_of(process):
    """CPU time of a process: the ticks of /proc/PID/stat are too coarse for small values."""
    spent = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat") as file:
            spent += int(file.read().split()[0])
    return spent / 1e9


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return file.read().split()


class Programs:
    def __init__(self, build):
        self.mediarig, self.window = (os.path.join(build, "bin", name) for name in ("mediarig", "mediarig-window"))
        self.many = os.path.join(os.path.dirname(__file__), "../gui/many_campaigns.py")
        for each in (self.mediarig, self.window):
            if not os.path.exists(each):
                raise Skip(f"{os.path.basename(each)} was not built")


@contextlib.contextmanager
def shown(programs, store, display, watcher):
    """The program with its window on the screen: the process, the window, and the seconds until it responded."""
    start = time.monotonic()
    process = subprocess.Popen([programs.window, "--store", store, "--language", "en"], stderr=subprocess.DEVNULL,
                               env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"})
    try:
        window = watcher.appears("mediarig")
        watcher.answers(window)
        yield process.pid, window, time.monotonic() - start
    finally:
        process.terminate()
        process.wait()


def one_campaign(programs, place, store):
    image = os.path.join(place, "card.img")
    with open(image, "wb") as file:
        file.truncate(32 * MB)
    Ran([programs.mediarig, "verify", image, "--probe", "--confirm", image, "--store", store, "--quiet"])


def race_start(programs, pairs):
    need_root()
    usable = Ratio("window: start to a window that answers, ms", 500, "less")
    listed = Ratio("window: start to the attached media being listed, ms", None, "less")
    store_listed = Ratio(f"window: {CAMPAIGNS:,} campaigns listed, from the key on, ms", 300, "less")
    with folder() as place, x_server() as (display, _), Watcher(display) as watcher:
        store = os.path.join(place, "r.db")
        one_campaign(programs, place, store)
        Ran(["python3", programs.many, store, str(CAMPAIGNS)])
        for again in range(pairs + 1):
            begun = time.monotonic()
            with shown(programs, store, display, watcher) as (process, window, seconds):
                while children_of(process):
                    time.sleep(0.002)
                watcher.answers(window)
                all_there = time.monotonic() - begun
                watcher.focus(window)
                before = watcher.picture(window)
                pressed = time.monotonic()
                watcher.press(window, "3", CONTROL)
                watcher.answers(window)
                took = time.monotonic() - pressed
                if watcher.picture(window) == before:
                    raise Skip("the window does not respond to keys")
            if again == 0:
                continue  # warms up the machine
            usable.add(seconds * 1e3)
            listed.add(all_there * 1e3)
            store_listed.add(took * 1e3)
    return [usable, listed, store_listed]


# --- a campaign of many media that this program imitates, by docs/reference/campaign-socket.md
# -----------------------------------

class Played:
    """A campaign of `lanes` media with four progress events per second each."""

    def __init__(self, store, lanes):
        self.name, self.lanes = "00000000-0000-7000-8000-000000000001", lanes
        self.begun, self.stopped = time.monotonic(), False
        folder = store + ".sockets"
        os.mkdir(folder, 0o700)
        hashed = 14695981039346656037
        for byte in self.name.encode():
            hashed = ((hashed ^ byte) * 1099511628211) & (1 << 64) - 1
        # In the form of a campaign's process.
        self.lock = open(store + ".lock", "w")
        fcntl.lockf(self.lock, fcntl.LOCK_EX, 1, hashed >> 2)
        self.path = os.path.join(folder, self.name)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.path)
        self.server.listen()
        self.thread = threading.Thread(target=self.play)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped = True
        self.thread.join()
        self.server.close()
        self.lock.close()

    def line(self, event, **members):
        at = int((time.monotonic() - self.begun) * 1e9)
        return json.dumps({"at_ns": at, event: members}) + "\n"

    def greeting(self):
        step = {"format": "raw", "key": "m0.r1.raw.verify.run", "kind": "run", "medium": 0, "pass": "m0.r1.raw.verify",
                "repeat": 1, "rest_s": 0}
        text = self.line("campaign_started", campaign=self.name, name="many", resumed=0, steps=self.lanes)
        for lane in range(self.lanes):
            text += self.line("step_started", expected_s=3600, index=lane, medium=f"slot-{lane + 1}", step=step)
        return json.dumps({"campaign": self.name, "history": self.lanes + 1, "mediarig_events": 1}) + "\n" + text

    def play(self):
        clients, rng, done = [], random.Random(1), [0] * self.lanes
        while not self.stopped:
            if select.select([self.server], [], [], 0.25)[0]:
                client = self.server.accept()[0]
                client.sendall(self.greeting().encode())
                clients.append(client)
            text = ""
            for lane in range(self.lanes):
                done[lane] += int(rng.uniform(4e6, 8e6))
                text += self.line("step_progress", index=lane, phase="write", cell=0, cells=1, done=done[lane],
                                  total=1 << 40)
            for client in clients[:]:
                try:
                    client.sendall(text.encode())
                except OSError:
                    clients.remove(client)
        for client in clients:
            client.close()


class Looking:
    """The shares of a core that a window and its X server take while it shows a running campaign."""

    def __init__(self, server, watcher, seconds):
        self.server, self.watcher, self.seconds = server, watcher, seconds

    def shares(self, process, window):
        time.sleep(3)  # the curve and the tables are shown
        before, picture = (cpu_of(process), cpu_of(self.server)), self.watcher.picture(window)
        begun = time.monotonic()
        time.sleep(self.seconds)
        took = time.monotonic() - begun
        after = cpu_of(process), cpu_of(self.server)
        if self.watcher.picture(window) == picture:
            raise Skip("the window does not show the campaign")
        return [100 * (late - early) / took for early, late in zip(before, after)]


def race_cost(programs, seconds, times):
    """Measures the window during the measurement of one card, and of 64 cards."""
    need_root()
    one, many = (Ratio(f"window: share of a core while {what}, %", 3, "less")
                 for what in ("a medium is measured", "64 lanes report four times a second"))
    one_drawn, many_drawn = (Ratio(f"window: the same with {what}, the X server's part, %", None, "less")
                             for what in ("a medium", "64 lanes"))
    with x_server() as (display, server), Watcher(display) as watcher, folder() as place:
        looking = Looking(server, watcher, seconds)
        with paced(loop_over_disk(512 * MB), READ, WRITE, OPERATIONS) as node:
            store = os.path.join(place, "r.db")
            plan = os.path.join(place, "plan.json")
            with open(plan, "w") as file:
                # Enough repetitions to run longer than the observation.
                json.dump({"mediarig_plan": 1, "name": "measured", "media": [{"path": node, "confirm": backing_of(node)}],
                           "repeats": 100, "suites": [{"suite": "quickbench", "where": "raw"}]}, file)
            campaign = subprocess.Popen([programs.mediarig, "run", plan, "--store", store, "--quiet"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_for(lambda: os.path.isdir(store + ".sockets"))
                for _ in range(times):
                    with shown(programs, store, display, watcher) as (process, window, _):
                        mine, drawn = looking.shares(process, window)
                    one.add(mine)
                    one_drawn.add(drawn)
                if campaign.poll() is not None:
                    raise Skip("the campaign ended too early")
            finally:
                campaign.terminate()
                campaign.wait()
        store = os.path.join(place, "many.db")
        one_campaign(programs, place, store)
        with Played(store, 64):
            for _ in range(times):
                with shown(programs, store, display, watcher) as (process, window, _):
                    mine, drawn = looking.shares(process, window)
                many.add(mine)
                many_drawn.add(drawn)
    return [one, one_drawn, many, many_drawn]


def backing_of(node):
    with open(f"/sys/block/{os.path.basename(node)}/loop/backing_file") as file:
        return file.read().strip()


def wait_for(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Skip("the campaign does not begin")
        time.sleep(0.02)


# --- the measurement with and without the window
# -------------------------------------------------------------------------

class Comparison:
    """`mediarig compare --from -`, line by line."""

    def __init__(self, program, start):
        self.process = subprocess.Popen([program, "compare", "--from", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.orders = self.ask(start)["orders"]

    def ask(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.communicate(json.dumps({"end": True}) + "\n")


def measured(programs, place, medium, store):
    """Bytes per second of the pass during which the window was active: the geometric mean of its cells."""
    plan = os.path.join(place, "plan.json")
    with open(plan, "w") as file:
        json.dump({"mediarig_plan": 1, "name": "looked at", "media": [{"directory": medium}], "repeats": 2,
                   "suites": [{"suite": "ioping-rate", "quick": True}]}, file)
    report = Ran([programs.mediarig, "run", plan, "--store", store, "--quiet", "--json"]).json()
    cells = report["devices"][0]["passes"][-1]["cells"]
    return math.exp(sum(math.log(each["moved"] / each["elapsed_ns"] * 1e9) for each in cells) / len(cells))


def race_looking_on(programs, rng, blocks):
    """Compares rates with and without the window, on a medium with the rates of a card, random and in order, for reads
    and writes."""
    need_root()
    ratio = Ratio("window: rates measured with it / without it, by mediarig compare", 0.05, "within")
    with (x_server() as (display, _), Watcher(display) as watcher, folder() as place,
          ext4_on(paced(loop_over_tmpfs(512 * MB), READ, WRITE, OPERATIONS)) as medium):
        store = os.path.join(place, "r.db")
        measured(programs, place, medium, store)
        comparison = Comparison(programs.mediarig, {"start": 1, "formats": ["with the window", "without"], "margin": 0.05,
                                                    "alpha": 0.05, "max_blocks": blocks, "seed": rng.randrange(1 << 30)})
        answer = {}
        for number, order in enumerate(comparison.orders, 1):
            rates = {}
            for name in order:
                with (contextlib.nullcontext() if name == "without" else shown(programs, store, display, watcher)):
                    rates[name] = measured(programs, place, medium, store)
            ratio.add(rates["with the window"] / rates["without"])
            answer = comparison.ask({"block": number, "passes": [{"format": name, "rate": rates[name]} for name in order]})
            if answer["decision"] != "continue":
                break
        comparison.end()
    ratio.said = answer.get("text", "")
    if answer.get("lo") is not None:
        ratio.known = 1 + answer["by"], 1 + answer["lo"], 1 + answer["hi"]
    return [ratio]
