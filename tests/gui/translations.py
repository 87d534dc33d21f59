#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""translations.py LUPDATE SOURCE-FOLDER: compares the catalogues of host/gui/i18n with the texts of host/gui.

Each text in tr() is in each catalogue and translated; the catalogue contains no other text; and a translation keeps the
arguments (%1), the keys (&), the lines and the spaces at the ends of its text. Exit 0: no fault; 1: each fault is on
standard output."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree


def shape(text):
    return {
        "arguments": sorted(re.findall(r"%\d+", text)),
        "keys": len(re.findall(r"&(?!&)", text.replace("&&", ""))),
        "lines": text.count("\n"),
        "spaces at the ends": (text[:1].isspace(), text[-1:].isspace()),
    }


def faults_of(catalogue):
    """Yields (text, fault of its translation) for each faulty entry of a catalogue."""
    for message in xml.etree.ElementTree.parse(catalogue).iter("message"):
        source = message.findtext("source")
        translation = message.find("translation")
        if translation.get("type") or not translation.text:
            yield source, f"is {translation.get('type') or 'empty'}"
            continue
        asked, kept = shape(source), shape(translation.text)
        for what, value in asked.items():
            if kept[what] != value:
                yield source, f"has other {what}: '{translation.text}'"


lupdate, folder = sys.argv[1], pathlib.Path(sys.argv[2])
faults = 0
catalogues = sorted(folder.glob("host/gui/i18n/*.ts"))
for catalogue in catalogues:
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary) / catalogue.name
        shutil.copy(catalogue, copy)
        update = [lupdate, str(folder / "host/gui"), "-extensions", "cpp,hpp", "-locations", "none", "-no-obsolete", "-ts"]
        subprocess.run([*update, str(copy)], check=True, capture_output=True)
        known = {m.findtext("source") for m in xml.etree.ElementTree.parse(catalogue).iter("message")}
        used = {m.findtext("source") for m in xml.etree.ElementTree.parse(copy).iter("message")}
        found = [(text, "is missing") for text in used - known] + [(text, "is not used") for text in known - used]
        found += list(faults_of(catalogue))
        for text, fault in sorted(found):
            print(f"{catalogue.name}: '{text}' {fault}")
        if used != known:
            print(f"update it: {' '.join(update)} {catalogue}")
        faults += len(found)
print(f"{len(catalogues)} catalogues, {faults} faults")
sys.exit(1 if faults or not catalogues else 0)
