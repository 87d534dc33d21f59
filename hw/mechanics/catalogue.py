# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the rig as listed by rig.scad, and their meshes. Needs openscad; meshes need numpy."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
VALUE = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|\[.*?\](?=, \w+ = |$)|[^,\[]+)')


class Refused(Exception):
    """An assertion of the model failed, so OpenSCAD did not build it."""


@dataclass(frozen=True)
class Part:
    name: str
    moved_by: str
    turn: tuple  # position on the bed: OpenSCAD's rotation
    at: tuple    # position in the rig
    count: int
    bought: bool


class Catalogue:
    """The sources in `folder`. Meshes are cached in `cache` under the sources' checksum."""

    def __init__(self, folder=HERE, cache=None):
        self.folder = Path(folder)
        sources = b"".join(path.read_bytes() for path in sorted(self.folder.glob("*.scad")))
        self.cache = Path(cache or tempfile.gettempdir()) / hashlib.sha256(sources).hexdigest()[:16]
        self.cache.mkdir(parents=True, exist_ok=True)
        self.fits, self.sheets, self.limits, self.places = [], [], {}, {}
        self.parts = {}

    def drawn_by(self):
        """Checksum of the sources without their comments: a changed comment does not make pictures outdated."""
        text = "".join(path.read_text() for path in sorted(self.folder.glob("*.scad")) if path.name != "fits.scad")
        return hashlib.sha256(re.sub(r"//.*", "", text).replace(" ", "").encode()).hexdigest()[:16]

    def openscad(self, output, *definitions):
        if not shutil.which("openscad"):
            raise FileNotFoundError("openscad is not installed: apt install openscad")
        words = ["openscad", "-o", str(output)]
        for definition in definitions:
            words += ["-D", definition]
        return subprocess.run(words + [str(self.folder / "rig.scad")], capture_output=True, text=True,
                              env={**os.environ, "OPENSCADPATH": ""}, check=False)

    def listed(self):
        """Checks the fits and reads the list. Raises Refused with the failed assertion."""
        file = self.cache / "list.echo"
        told = self.openscad(file, 'part="list"')
        text = file.read_text() if file.exists() else ""
        for line in text.splitlines() + told.stderr.splitlines():
            if "Assertion" in line:
                raise Refused(re.sub(r".*failed: \"(.*)\" in file.*", r"\1", line))
            if line.startswith(("ERROR", "WARNING")):
                raise Refused(line)
        for line in text.splitlines():
            values = {key: json.loads(value) for key, value in VALUE.findall(line.removeprefix("ECHO: "))}
            self._take(values)
        if not self.parts or not self.fits or not self.places:
            raise Refused("rig.scad lists nothing: " + told.stderr)
        return self

    def _take(self, values):
        if "fit" in values:
            self.fits.append(values)
        elif "sheet" in values:
            self.sheets.append(values)
        elif "limits" in values:
            self.limits = dict(values["limits"])
        elif "stations" in values:
            self.places = values
        else:
            name = values.get("printed") or values["bought"]
            at = tuple(map(tuple, values["at"]))
            self.parts[name] = Part(name, values["moved_by"], tuple(values.get("turn", (0, 0, 0))), at,
                                    values.get("count", len(at)), "bought" in values)

    def printed(self):
        return [part for part in self.parts.values() if not part.bought]

    def stl(self, name, as_printed=True):
        """Returns the file of a part's mesh; makes it if it is missing."""
        file = self.cache / (name + ("" if as_printed else ".standing") + ".stl")
        if not file.exists():
            # A renamed file is complete, even if two processes make it at once.
            with tempfile.TemporaryDirectory(dir=self.cache) as folder:
                made = Path(folder) / file.name
                told = self.openscad(made, f'part="{name}"', f"printed={'true' if as_printed else 'false'}")
                trouble = [line for line in told.stderr.splitlines() if line.startswith(("ERROR", "WARNING"))]
                if told.returncode != 0 or trouble or not made.exists():
                    raise Refused(f"{name}: " + "; ".join(trouble or told.stderr.splitlines()[-3:]))
                made.rename(file)
        return file


def changed_copy(folder, changes, source=HERE):
    """A copy of the sources in `folder` with other values of parameters: {"name": "value"}."""
    folder = Path(folder)
    for path in source.glob("*.scad"):
        shutil.copy(path, folder)
    for name, value in changes.items():
        hits = 0
        for path in folder.glob("*.scad"):
            text, count = re.subn(rf"(?m)^{name} = [^;]*;", f"{name} = {value};", path.read_text())
            path.write_text(text)
            hits += count
        if hits != 1:
            raise ValueError(f"{name} is assigned {hits} times")
    return folder
