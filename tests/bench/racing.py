# SPDX-License-Identifier: GPL-3.0-or-later
"""Common parts of all races: processes and their cost, media that are released, and ratios with intervals."""
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

MB = 1 << 20


class Skip(Exception):
    pass


class Ran:
    """One finished process: its output, duration and cost.

    Until the process ends, `beside` is called repeatedly with its process id."""

    def __init__(self, command, cwd=None, beside=None):
        with tempfile.TemporaryFile() as out:
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=cwd)
            while beside and not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                beside(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            self.text = out.read().decode(errors="replace")
        if process.returncode != 0:
            raise Skip(f"{os.path.basename(command[0])} ended with status {process.returncode}")
        self.started = start
        self.cpu = usage.ru_utime + usage.ru_stime

    def json(self):
        return json.loads(self.text[self.text.index("{"):])


# --- media: released in any case
# ----------------------------------------------------------------------------------------

@contextlib.contextmanager
def folder(parent="/var/tmp"):
    path = tempfile.mkdtemp(prefix="mediarig-bench-", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def zram(size):
    need_root()
    try:
        with open("/sys/class/zram-control/hot_add") as file:
            number = file.read().strip()
    except OSError as error:
        raise Skip(f"no zram: {error.strerror}") from None
    node = f"/dev/zram{number}"
    try:
        with open(f"/sys/block/zram{number}/disksize", "w") as file:
            file.write(str(size))
        yield node
    finally:
        for _ in range(200):
            try:
                with open("/sys/class/zram-control/hot_remove", "w") as file:
                    file.write(number)
                break
            except OSError:
                time.sleep(0.05)  # a watcher of new disks may hold it open


@contextlib.contextmanager
def tmpfs(size):
    need_root()
    with folder() as path:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "mediarig-bench", path]).returncode != 0:
            raise Skip("no tmpfs can be mounted")
        try:
            yield path
        finally:
            # A loop device releases its file a moment after it was detached.
            for _ in range(100):
                if subprocess.run(["umount", path], stderr=subprocess.DEVNULL).returncode == 0:
                    break
                time.sleep(0.05)
            else:
                subprocess.run(["umount", "--lazy", path])


@contextlib.contextmanager
def loop_over_tmpfs(size):
    with tmpfs(size + 64 * MB) as path:
        image = os.path.join(path, "image")
        with open(image, "wb") as file:
            for _ in range(size // MB):
                file.write(os.urandom(MB))
        with loop_over(image) as node:
            yield node


@contextlib.contextmanager
def loop_over_disk(size):
    """A loop device over a file on this machine's disk. All blocks are written, so that reads reach the disk."""
    with folder() as path:
        image = os.path.join(path, "image")
        filled = subprocess.run(["dd", "if=/dev/zero", f"of={image}", "bs=1M", f"count={size // MB}", "oflag=direct",
                                 "conv=fsync"], stderr=subprocess.DEVNULL)
        if filled.returncode != 0:
            raise Skip("no image can be laid out in /var/tmp")
        with loop_over(image) as node:
            yield node


@contextlib.contextmanager
def paced(device, read, write, operations):
    """A device that the kernel limits for this process and its children to the rates of a card: bytes and requests
    per second."""
    with open("/proc/self/cgroup") as file:
        own = [line.strip().split(":", 2)[2] for line in file if ":blkio:" in line]
    with device as node:
        number = os.stat(node).st_rdev
        limits = {"read_bps": read, "write_bps": write, "read_iops": operations, "write_iops": operations}
        folder_of_group = "/sys/fs/cgroup/blkio" + own[0] if own else ""

        def limit(values):
            for name, value in values.items():
                with open(f"{folder_of_group}/blkio.throttle.{name}_device", "w") as file:
                    file.write(f"{os.major(number)}:{os.minor(number)} {value}")
        try:
            limit(limits)
        except OSError:
            raise Skip("no blkio controller of cgroup v1: a medium of one speed cannot be made") from None
        try:
            yield node
        finally:
            limit(dict.fromkeys(limits, 0))


@contextlib.contextmanager
def loop_over(image):
    made = subprocess.run(["losetup", "--find", "--show", "--direct-io=on", image], capture_output=True, text=True)
    if made.returncode != 0:
        raise Skip("no loop device is available")
    node = made.stdout.strip()
    try:
        yield node
    finally:
        subprocess.run(["losetup", "--detach", node])


@contextlib.contextmanager
def ext4_on(device, *options):
    """An ext4 file system without lazy initialisation on a device, mounted."""
    with device as node, folder() as path:
        if subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", *options, node]).returncode != 0:
            raise Skip("mkfs.ext4 fails")
        if subprocess.run(["mount", "-t", "ext4", node, path]).returncode != 0:
            raise Skip("no ext4 can be mounted")
        try:
            yield path
        finally:
            for _ in range(100):
                if subprocess.run(["umount", path], stderr=subprocess.DEVNULL).returncode == 0:
                    break
                time.sleep(0.05)


@contextlib.contextmanager
def file_in(directory, size):
    """The layout of our files: direct transfers of 1 MiB, so that both sides have equal extents."""
    with directory as path:
        name = os.path.join(path, "file")
        filled = subprocess.run(["dd", "if=/dev/urandom", f"of={name}", "bs=1M", f"count={size // MB}", "iflag=fullblock",
                                 "oflag=direct", "conv=fsync"], stderr=subprocess.DEVNULL)
        if filled.returncode != 0:
            raise Skip(f"no file can be laid out in {path}")
        yield name


def file_on_disk(size):
    return file_in(folder(), size)


def file_on_ext4(size):
    return file_in(ext4_on(loop_over_tmpfs(2 * size)), size)


def drop_page_cache(directory):
    """Makes f3read read from the medium, as our verify does. f3read itself does not always ensure this."""
    for entry in os.scandir(directory):
        if entry.is_file():
            file = os.open(entry.path, os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is missing")


# --- ratios -----------------------------------------------------------------------------------------------------------

class Ratio:
    """`better`: "less" or "more" than the gate, or "within" the gate of 1."""

    def __init__(self, name, gate, better):
        self.name, self.gate, self.better, self.values = name, gate, better, []

    def add(self, value):
        self.values.append(value)

    known = None  # median and interval, if the racer computed them
    said = ""     # the racer's comment on its values

    def interval(self, rng):
        if self.known:
            return self.known
        middle = statistics.median(self.values)
        medians = sorted(statistics.median(rng.choices(self.values, k=len(self.values))) for _ in range(2000))
        return middle, medians[50], medians[1949]

    def verdict(self, rng):
        middle, low, high = self.interval(rng)
        if self.gate is None:
            return ""
        meets = {"less": lambda x: x <= self.gate, "more": lambda x: x >= self.gate,
                 "within": lambda x: abs(x - 1) <= self.gate}[self.better]
        if not meets(middle):
            return "MISSED"
        return "met, sure" if meets(low) and meets(high) else "met"


    def gate_text(self):
        if self.gate is None:
            return ""
        return {"less": "\u2264 ", "more": "\u2265 ", "within": "1 \u00b1 "}[self.better] + f"{self.gate:.3g}"


def in_random_order(rng, *runs):
    """Runs all races in random order; returns the results in the given order."""
    results = [None] * len(runs)
    for index in rng.sample(range(len(runs)), len(runs)):
        results[index] = runs[index]()
    return results
