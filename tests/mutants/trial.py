# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a copy of the tree with one change, and runs the test programs one after another until one detects it."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEMORY = 6 << 30  # bytes of address space of a test: a changed size must not use up the machine's memory
# Hides each disk that may be mounted: a changed refusal must not reach it.
HIDE_DISKS = """for disk in /sys/block/*; do
    case ${disk##*/} in loop*|ram*|zram*|dm-*) continue ;; esac
    for node in /dev/"${disk##*/}" /dev/"${disk##*/}"[0-9]* /dev/"${disk##*/}"p[0-9]*; do
        [ ! -b "$node" ] || mount --bind /dev/null "$node" || exit 125
    done
done
exec "$@" """


def limit(processor_seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds + 5))


class TestsFail(Exception):
    pass


class Trial:
    def __init__(self, root, work):
        self.root, self.tree = root, work
        # Root mounts the copy at the place of the tree: then the compiler's cache recognises its objects.
        self.moved = os.geteuid() == 0
        self.build_folder = (root if self.moved else self.tree) / "build" / "dev"
        self.scratch = Path(tempfile.mkdtemp(prefix="mediarig-mutants-"))
        self.commands = {}  # of each test program in a run without a change: its command, and its duration in s
        self._copy_tree()
        self._configure()

    def outcome_of(self, change, tests):
        """"survived", "does not compile", or the program that detected it. Fails if the tests fail without any
        change."""
        path = self.tree / change.path
        kept = path.read_text()
        try:
            for name in tests:
                if f"test_{name}" not in self.known_targets:
                    continue
                if name not in self.commands:
                    path.write_text(kept)
                    self._learn(name)
                if path.read_text() == kept:
                    path.write_text(change.applied_to(kept))
                if not self._build(name):
                    return "does not compile"
                status = self._run(*self.commands[name])
                if status is None:
                    return f"{name} hangs"
                if status != 0:
                    return name
            return "survived"
        finally:
            path.write_text(kept)

    def _learn(self, name):
        """Returns the command of the program, and its duration in a run without any change."""
        if not self._build(name):
            raise TestsFail(f"{name} does not build:\n{self.said[-3000:]}")
        called = self._called(name)
        began = time.monotonic()
        if self._run(called, 400) != 0:
            # Some cases need a separate process, as under ctest.
            called = (["ctest", "-R", f"^{name}: ?", "-j", "2", "--stop-on-failure", "--no-tests=error"], self.build_folder, {})
            for left in (2, 1, 0):  # other processes on this machine may disturb a test
                began = time.monotonic()
                if self._run(called, 600) == 0:
                    break
                if left == 0:
                    raise TestsFail(f"{name} fails without any change:\n{self.said[-3000:]}")
        took = time.monotonic() - began
        print(f"unchanged: {name} passes in {took:.1f} s{' by ctest' if called[0][0] == 'ctest' else ''}", flush=True)
        self.commands[name] = (called, took)

    def _copy_tree(self):
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=self.root,
                                check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
        keep = {Path(name) for name in listed if name}
        if self.tree.exists():
            for path in sorted(self.tree.rglob("*"), reverse=True):
                if path.is_file() and path.relative_to(self.tree) not in keep:
                    path.unlink()
        for name in keep:
            source, target = self.root / name, self.tree / name
            # Only the differences, so that the build of an earlier run stays valid.
            if source.is_file() and (not target.exists() or target.read_bytes() != source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
                target.touch()

    def _at_work(self, command, folder, more=()):
        """The command in this folder, behind the mounts that hide the tree and its disks."""
        if not self.moved:
            return command
        script = f'mount --bind "{self.tree}" "{self.root}" && cd "{folder}" || exit 125\n' + HIDE_DISKS
        return ["unshare", "--mount", *more, "sh", "-c", script, "sh", *command]

    def _said(self, command, folder):
        (self.tree / "build" / "dev").mkdir(parents=True, exist_ok=True)
        done = subprocess.run(self._at_work(command, folder), cwd=None if self.moved else folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        self.said = done.stdout
        return done.returncode

    def _configure(self):
        # The flags of the preset, as used in the compiler's cache.
        if self._said(["cmake", "--preset", "dev"], self.build_folder.parents[1]) != 0:
            sys.exit(f"mutants: cmake failed:\n{self.said[-2000:]}")
        self._said(["ninja", "-t", "targets", "all"], self.build_folder)
        self.known_targets = {line.split(":")[0] for line in self.said.split("\n")}

    def _build(self, name):
        return self._said(["ninja", "-j", "2", f"test_{name}"], self.build_folder) == 0

    def _called(self, name):
        """The program as called by ctest, for all its cases at once: (command, working folder, environment)."""
        self._said(["ctest", "--show-only=json-v1", "-R", f"^{name}: ?"], self.build_folder)
        listed = json.loads(self.said)["tests"][0]
        properties = {each["name"]: each["value"] for each in listed["properties"]}
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        return [listed["command"][0], "--abort"], properties["WORKING_DIRECTORY"], environment

    def _run(self, called, usual):
        """Returns the exit status, or None if the program takes much more processor time than usual (s), which other
        load does not affect, or far more time in all. Leaves no process, loop device or file of the program behind."""
        command, folder, environment = called
        command = self._at_work(command, folder, ["--pid", "--fork", "--kill-child", "--mount-proc"])
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.scratch.chmod(0o1777)  # with the mode of a folder for temporary files: some tests drop their rights
        running = subprocess.Popen(command, cwd=None if self.moved else folder, env={**os.environ, **environment, "TMPDIR": str(self.scratch)},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True,
                                   preexec_fn=lambda: limit(int(10 + 4 * usual)))
        try:
            self.said = running.communicate(timeout=60 + 8 * usual)[0].decode(errors="replace")
            return None if running.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU) else running.returncode
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(running.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            running.communicate()
            self._detach_loops()
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _detach_loops(self):
        for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
            try:
                if backing.read_text().startswith(str(self.scratch)):
                    subprocess.run(["losetup", "--detach", f"/dev/{backing.parts[3]}"], stderr=subprocess.DEVNULL, check=False)
            except OSError:
                continue
