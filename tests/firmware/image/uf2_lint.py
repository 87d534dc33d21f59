#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a UF2 file as a boot ROM would, and checks every field: uf2_lint.py UF2 [BINARY-OUT]. Status 1 and a line per defect.

Written from the description of the format only, independently of the program that writes our files.
"""
import struct
import sys

START, SIZE, PAGE, SECTOR = 0x10000000, 2 * 1024 * 1024, 256, 4096
FAMILY = 0xE48BFF56
STACK = range(0x20040000, 0x20042004)


def check_of_stage(data):
    """CRC-32/MPEG-2, bit by bit."""
    register = 0xFFFFFFFF
    for byte in data:
        for bit in range(7, -1, -1):
            feedback = (register >> 31) ^ (byte >> bit & 1)
            register = (register << 1 & 0xFFFFFFFF) ^ (0x04C11DB7 if feedback else 0)
    return register


def read(file, complain):
    if not file or len(file) % 512:
        complain(f"the file has {len(file)} bytes, which is not a number of blocks")
        return b""
    total, image = len(file) // 512, bytearray()
    for n in range(total):
        block = file[512 * n : 512 * (n + 1)]
        magic0, magic1, flags, address, size, number, count, family = struct.unpack("<8I", block[:32])
        for what, seen, wanted in (
            ("first magic", magic0, 0x0A324655),
            ("second magic", magic1, 0x9E5D5157),
            ("flags", flags, 0x2000),
            ("address", address, START + PAGE * n),
            ("size of data", size, PAGE),
            ("number", number, n),
            ("count", count, total),
            ("family", family, FAMILY),
            ("last magic", struct.unpack("<I", block[508:])[0], 0x0AB16F30),
        ):
            if seen != wanted:
                complain(f"block {n}: {what} is 0x{seen:x}, not 0x{wanted:x}")
        if any(block[32 + PAGE : 508]):
            complain(f"block {n}: there are bytes after the data")
        image += block[32 : 32 + PAGE]
    return bytes(image)


def judge(image, complain):
    if len(image) % SECTOR:
        complain("the image ends within a sector")
    if len(image) > SIZE:
        complain("the image is larger than flash")
    if len(image) < 512:
        complain("there is nothing after the second boot stage")
        return
    stored = struct.unpack("<I", image[252:256])[0]
    if stored != check_of_stage(image[:252]):
        complain(f"the second boot stage has check 0x{check_of_stage(image[:252]):08x}, but 0x{stored:08x} is stored")
    stack, entry = struct.unpack("<2I", image[256:264])
    if stack not in STACK or stack % 8:
        complain(f"the vector table begins with stack 0x{stack:08x}")
    if not (entry & 1 and START + 256 <= entry < START + len(image)):
        complain(f"the vector table starts 0x{entry:08x}")


def main(path, out=None):
    wrong = []
    with open(path, "rb") as file:
        image = read(file.read(), wrong.append)
    if not wrong:
        judge(image, wrong.append)
    if out:
        with open(out, "wb") as file:
            file.write(image)
    print("\n".join(wrong) if wrong else f"{len(image)} bytes, fit for a Pico")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
