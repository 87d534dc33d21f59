#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reduces an image to an input of the fuzzers: the nonzero parts, as chunks (encoding: chunked_medium.hpp).

usage: cut_medium.py IMAGE INPUT [--switches N] [--keep FROM:LENGTH]…   (without --keep: all of the image)
"""
import argparse
import os
import struct

ROW = 16


def extents(file, size):
    """The ranges of the file with data, in whole rows."""
    at = 0
    while at < size:
        try:
            begin = os.lseek(file.fileno(), at, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
        yield begin // ROW * ROW, min(end, size)
        at = end


def runs(file, ranges):
    """(place, bytes) of the nonzero data; a row of zeros between two others takes less space if kept."""
    place, bytes_ = None, b""
    for begin, end in ranges:
        file.seek(begin)
        data = file.read(end - begin)
        for row in range(0, len(data), ROW):
            piece = data[row : row + ROW]
            if piece.strip(b"\0") == b"":
                continue
            at = begin + row
            if place is not None and at - (place + len(bytes_)) <= ROW:
                bytes_ += b"\0" * (at - place - len(bytes_)) + piece
                continue
            if place is not None:
                yield place, bytes_
            place, bytes_ = at, piece
    if place is not None:
        yield place, bytes_


def chunks(place, data):
    """Separates data repeated every four bytes from the rest, and splits long data into pieces."""
    while data:
        same = 4
        while same < len(data) and data[same : same + 4] == data[:4]:
            same += 4
        same = min(same, len(data), 0x7FF0)
        if same >= 64:
            same -= same % ROW
            yield struct.pack("<IH", place // ROW, 0x8000 | same) + data[:4]
            length = same
        else:
            length = ROW
            while length < min(len(data), 0x7FF0):
                if data[length : length + 4] * 16 == data[length : length + 64]:
                    break
                length += ROW
            piece = data[:length].rstrip(b"\0")
            yield struct.pack("<IH", place // ROW, len(piece)) + piece
        place, data = place + length, data[length:]


def cut(image, switches, keep):
    size = os.path.getsize(image)
    ranges = [(begin, begin + length) for begin, length in keep]
    with open(image, "rb") as file:
        if not ranges:
            ranges = list(extents(file, size))
        encoded = b"".join(chunk for place, data in runs(file, ranges) for chunk in chunks(place, data))
    return struct.pack("<BI", switches, size // 512) + encoded


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("image")
    parser.add_argument("input")
    parser.add_argument("--switches", type=lambda text: int(text, 0), default=2)
    parser.add_argument("--keep", action="append", default=[], help="FROM:LENGTH in bytes")
    options = parser.parse_args()
    keep = [tuple(int(part, 0) for part in span.split(":")) for span in options.keep]
    with open(options.input, "wb") as out:
        out.write(cut(options.image, options.switches, keep))


if __name__ == "__main__":
    main()
