#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the fits, writes the STL files, draws the pictures, and prints the table of parts."""
import argparse
import shutil
import sys
from pathlib import Path

import environment

environment.enter()
import catalogue  # noqa: E402 - after entering the environment

LINE = 1.2          # mm: three lines of wall, floor and ceiling
INFILL = 0.2
RATE = 6.0          # mm3/s, travel included: a common printer with a 0.4 mm nozzle
DENSITY = 1.27e-3   # g/mm3, PETG


def estimate(triangles):
    """Estimates the grams and hours of one piece, from a shell of walls and some infill. Not a slicer's figures."""
    import mesh
    _, area = mesh.normals(triangles)
    volume = mesh.solid(triangles).volume()
    shell = min(volume, area.sum() * LINE)
    material = shell + INFILL * (volume - shell)
    return material * DENSITY, material / RATE / 3600


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=Path, default=environment.ROOT / "build" / "mechanics", help="where stl/ goes")
    arguments.add_argument("--pictures", type=Path, help="draws the pictures into this folder")
    wanted = arguments.parse_args()
    if not shutil.which("openscad"):
        return "openscad is not installed: apt install openscad"
    if environment.missing():
        return f"these Python packages are missing: {', '.join(environment.missing())}: run ./run setup"
    import mesh
    try:
        parts = catalogue.Catalogue(cache=environment.CACHE).listed()
    except catalogue.Refused as refused:
        return str(refused)
    print(f"{len(parts.fits)} fits hold")
    stl = wanted.out / "stl"
    stl.mkdir(parents=True, exist_ok=True)
    print("| no | part | pieces | on the bed, mm | g each | h each |\n|---|---|---|---|---|---|")
    grams = hours = 0.0
    for number, part in enumerate(parts.printed(), 1):
        file = parts.stl(part.name)
        shutil.copy(file, stl / file.name)
        triangles = mesh.read_stl(file)
        each = estimate(triangles)
        x, y, z = mesh.size(triangles)
        print(f"| {number} | {part.name} | {part.count} | {x:.0f} x {y:.0f} x {z:.0f} | {each[0]:.0f} | {each[1]:.1f} |")
        grams, hours = grams + each[0] * part.count, hours + each[1] * part.count
    print(f"the rig: {grams:.0f} g, {hours:.0f} h (estimates)\n{stl}: {len(parts.printed())} files")
    if wanted.pictures:
        import pictures
        pictures.Gallery(parts).make(wanted.pictures)
        print(f"{wanted.pictures}: pictures")
    return None


if __name__ == "__main__":
    sys.exit(main())
