# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python packages of requirements.txt are in a separate environment, which ./run setup makes."""
import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "build" / "mechanics" / "venv"
CACHE = ROOT / "build" / "mechanics" / "meshes"


def enter():
    """Restarts the program in the separate environment if only that environment has the packages."""
    python = VENV / "bin" / "python"
    if missing() and python.exists() and not os.environ.get("MEDIARIG_MECHANICS_ENTERED"):
        os.environ["MEDIARIG_MECHANICS_ENTERED"] = "1"
        os.execv(python, [str(python), *sys.argv])


def missing():
    return [name for name in ("numpy", "manifold3d", "PIL") if importlib.util.find_spec(name) is None]
