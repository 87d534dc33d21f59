#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the golden frames without our code: zlib's CRC-32 and a COBS decoder written from its paper.

Usage: check_frames.py FRAMES.TXT. Prints the number of correct frames; exit 1 with one line at the first wrong one.
"""
import struct
import sys
import zlib


def cobs_decoded(code):
    plain = bytearray()
    while code:
        length, block, code = code[0], code[1 : code[0]], code[code[0] :]
        if length == 0 or len(block) != length - 1:
            raise ValueError("a block ends early")
        plain += block
        if code and length < 0xFF:
            plain.append(0)
    return bytes(plain)


def judged(wire, plain):
    if wire[-1] != 0 or 0 in wire[:-1]:
        raise ValueError("the delimiter is not where it belongs")
    if len(wire) > 130:
        raise ValueError("longer than a frame may be")
    decoded = cobs_decoded(wire[:-1])
    body, check = decoded[:-4], struct.unpack("<I", decoded[-4:])[0]
    if check != zlib.crc32(body):
        raise ValueError(f"the check is {check:08x}, zlib says {zlib.crc32(body):08x}")
    if body != plain:
        raise ValueError(f"holds {body.hex()}")
    if body[0] >> 4 != 1 or body[0] & 15 > 5:
        raise ValueError("version or kind")


def main():
    count = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            name, wire, plain, _ = line.split(maxsplit=3)
            try:
                judged(bytes.fromhex(wire), bytes.fromhex(plain))
            except ValueError as error:
                sys.exit(f"{name}: {error}")
            count += 1
    if count == 0:
        sys.exit("no frames")
    print(f"{count} frames are right")


main()
