#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the seeds of the fuzz targets.

usage: corpus.py add TARGET FILE…     adds inputs to corpus/TARGET.tar.xz, named by their SHA-1; equal inputs are kept once
       corpus.py unpack FOLDER        writes all seeds to FOLDER/TARGET/NAME: archives, files of corpus/TARGET/, generated volumes

A seed that people write and review is a file in corpus/TARGET/; a volume is made by make_seeds.py; an input that a fuzzer
found goes into the archive. An archive depends on its contents only, not on their order, time or owner.
"""
import hashlib
import io
import pathlib
import shutil
import sys
import tarfile

import make_seeds

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"


def read_archive(path):
    """{name: bytes}; empty if there is no archive yet."""
    if not path.exists():
        return {}
    with tarfile.open(path, "r:xz") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive.getmembers()}


def write_archive(path, seeds):
    with tarfile.open(path, "w:xz", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(seeds.items()):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def add(corpus, target, files):
    """Adds the contents of the files; returns how many of them are new."""
    path = corpus / f"{target}.tar.xz"
    old = read_archive(path)
    contents = [pathlib.Path(file).read_bytes() for file in files]
    seeds = old | {hashlib.sha1(data).hexdigest(): data for data in contents}
    if seeds != old:
        write_archive(path, seeds)
    return len(seeds) - len(old)


def unpack(corpus, folder):
    """Writes the archives and the plain files of the corpus to the folder, which it replaces."""
    shutil.rmtree(folder, ignore_errors=True)
    for target in sorted(path for path in corpus.iterdir() if path.is_dir()):
        shutil.copytree(target, folder / target.name)
    for path in sorted(corpus.glob("*.tar.xz")):
        into = folder / path.name.removesuffix(".tar.xz")
        into.mkdir(parents=True, exist_ok=True)
        for name, data in read_archive(path).items():
            (into / name).write_bytes(data)


def main():
    words = sys.argv[1:]
    if len(words) >= 3 and words[0] == "add":
        target, files = words[1], words[2:]
        if not (HERE / f"{target}_fuzz.cpp").exists():
            print(f"corpus.py: no fuzz target '{target}': there is no {target}_fuzz.cpp", file=sys.stderr)
            return 2
        if missing := [file for file in files if not pathlib.Path(file).is_file()]:
            print(f"corpus.py: '{missing[0]}' is not a file; nothing was added", file=sys.stderr)
            return 2
        print(f"{add(CORPUS, target, files)} of {len(files)} seeds added")
        return 0
    if len(words) == 2 and words[0] == "unpack":
        unpack(CORPUS, pathlib.Path(words[1]))
        make_seeds.make(pathlib.Path(words[1]))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
