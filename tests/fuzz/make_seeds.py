#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generates seeds for the readers of volumes: real volumes, reduced to the bytes that the inspector reads.

usage: make_seeds.py FOLDER     writes FOLDER/TARGET/NAME; needs mkfs.fat, mkfs.exfat and sgdisk
"""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

from cut_medium import cut

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "media"
CHECKSUMS, LIST, SECTORS_4096 = 1, 2, 4
TABLES = ("partition_table", "inspect")


def blank(path, size):
    with open(path, "wb") as file:
        file.truncate(size)
    return path


def from_golden(path, name, size):
    """Offset and bytes in hexadecimal, one row per line."""
    with open(blank(path, size), "r+b") as file:
        for line in (GOLDEN / name).read_text().splitlines():
            if line and not line.startswith("#"):
                at, row = line.split(":")
                file.seek(int(at, 16))
                file.write(bytes.fromhex(row.replace(" ", "")))
    return path


def made(path, size, *command):
    subprocess.run([*command, str(blank(path, size))], check=True, capture_output=True)
    return path


def patch(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def read(path, at, length):
    with open(path, "rb") as file:
        file.seek(at)
        return file.read(length)


def rotated_sum(data):
    value = 0
    for byte in data:
        value = ((value << 31 | value >> 1) + byte) & 0xFFFFFFFF
    return value


def shorten_upcase_table(path, root, table):
    """Shortens the up-case table to 64 bytes, which is enough for a reader and makes inputs fast."""
    patch(path, table + 64, b"\0" * (5836 - 64))
    entry = read(path, root, 512).index(b"\x82") // 32 * 32
    patch(path, root + entry + 4, struct.pack("<I", rotated_sum(read(path, table, 64))))
    patch(path, root + entry + 24, struct.pack("<Q", 64))


def fletcher(block):
    modulus, first, second = 0xFFFFFFFF, 0, 0
    for (word,) in struct.iter_unpack("<I", block[8:]):
        first = (first + word) % modulus
        second = (second + first) % modulus
    low = modulus - (first + second) % modulus
    return (modulus - (first + low) % modulus) << 32 | low


def change_block(path, address, at, data):
    patch(path, address * 4096 + at, data)
    patch(path, address * 4096, struct.pack("<Q", fletcher(read(path, address * 4096, 4096))))


def fewer_gpt_entries(path, size, count):
    for header, entries in ((512, 1024), (size - 512, size - 512 - 128 * 128)):
        patch(path, header + 0x50, struct.pack("<I", count))
        patch(path, header + 0x58, struct.pack("<I", zlib.crc32(read(path, entries, 128 * count))))
        patch(path, header + 0x10, struct.pack("<I", 0))
        patch(path, header + 0x10, struct.pack("<I", zlib.crc32(read(path, header, 92))))


def former_formats(path):
    """Signatures that are identified but not read, each at its position."""
    blank(path, 256 << 20)
    for at, signature in ((512, b"PM"), (512 + 0x30, b"Apple_partition_map"), (1024, b"BD"), (1024 + 0x12, b"\1\0\0\0\2\0"),
                          (4096, b"\xfc\x4e\x2b\xa9\1"), (5120, b"\x10\x20\xf5\xf2"), (16384, b"SKUL\xba\xbe\0\2"),
                          (32769, b"CD001"), (65600, b"_BHRfS_M"), ((64 << 20) + 64, b"_BHRfS_M"),
                          ((256 << 20) - 8192, b"\xfc\x4e\x2b\xa9\1"), ((256 << 20) - 65536, b"\xfc\x4e\x2b\xa9")):
        patch(path, at, signature)
    copy = bytearray(1024)
    copy[0], copy[4], copy[0x38], copy[0x39], copy[0x5A] = 1, 1, 0x53, 0xEF, 1
    patch(path, 128 << 20, copy)
    return path


def seeds(work, keep):
    image = work / "image"
    exfat = [(0, 24 * 512), (0x100000, 32), (0x200000, 16), (0x208000, 64), (0x210000, 128)]
    from_golden(image, "exfat_1gib.hex", 1 << 30)
    keep("exfat", "whole_table", image, LIST, [*exfat[:3], (0x208000, 5836), exfat[4]])
    shorten_upcase_table(image, 0x210000, 0x208000)
    keep("exfat", "gigabyte", image, LIST, exfat)
    keep("exfat", "gigabyte_checksums", image, LIST | CHECKSUMS, exfat)
    keep("inspect", "bare_exfat", image, 0, exfat)
    made(image, 3 << 20, "mkfs.exfat", "-L", "SMALL")
    keep("exfat", "small", image, LIST | CHECKSUMS, [(0, 24 * 512), (0x100000, 64)])

    for name, size, options in (("fat12", 2 << 20, ["-F", "12"]), ("fat16", 16 << 20, ["-F", "16"]),
                                ("fat32", 64 << 20, ["-F", "32", "-s", "1"]),
                                ("fat32_4096", 1 << 30, ["-F", "32", "-S", "4096"])):
        made(image, size, "mkfs.fat", "-n", "SEED", "-i", "12345678", *options)
        keep("fat", name, image)
        keep("fat", name + "_marked", image, CHECKSUMS)
        keep("inspect", "bare_" + name, image, 0)

    hfs = [(0x400, 512), (0x2000, 180), (0x83000, 512), (0x103000, 512), (0x683000, 512), (0x684000, 4096),
           ((64 << 20) - 1024, 512)]
    from_golden(image, "hfsplus_journaled_64mib.hex", 64 << 20)
    keep("hfsplus", "fresh_journal", image, LIST, hfs)
    keep("inspect", "bare_hfsplus", image, 0, hfs)
    patch(image, 0x2000, struct.pack(">I", 1))
    header = struct.pack("<IIQQQIIII", 0x4A4E4C78, 0x12345678, 512, 512, 0x80000, 4096, 0, 512, 1)
    patch(image, 0x3000, header)
    keep("hfsplus", "journal_header", image, LIST | CHECKSUMS, [*hfs, (0x3000, 64)])
    patch(image, 0x3000, struct.pack(">IIQQQIIII", 0x4A4E4C78, 0x12345678, 512, 1024, 0x80000, 4096, 0, 512, 1))
    keep("hfsplus", "journal_big_endian", image, CHECKSUMS, [*hfs, (0x3000, 64)])
    from_golden(image, "hfsplus_64mib.hex", 64 << 20)
    keep("hfsplus", "plain", image)

    apfs = [(block * 4096, 4096) for block in (0, 1, 2, 66, 20000, 20001, 20002, 20003)]
    from_golden(image, "apfs_1gib.hex", 1 << 30)
    for block in (0, 2):  # a short ring of checkpoints: fewer blocks to read for each input
        change_block(image, block, 0x68, struct.pack("<I", 4))
    keep("apfs", "gigabyte", image, LIST, apfs)
    keep("apfs", "gigabyte_checksums", image, LIST | CHECKSUMS, apfs)
    keep("inspect", "bare_apfs", image, 0, apfs)

    size = 64 << 20
    blank(image, size)
    subprocess.run(["sgdisk", "-n", "1:2048:+8M", "-t", "1:0700", "-n", "2:0:+8M", "-t", "2:af00", image],
                   check=True, capture_output=True)
    fewer_gpt_entries(image, size, 4)
    for target in TABLES:
        keep(target, "gpt", image, CHECKSUMS)
    patch(image, 446 + 16, bytes.fromhex("000a0902 07feffff 00080000 00400000".replace(" ", "")))
    for target in TABLES:
        keep(target, "hybrid", image, 0)
    blank(image, 1 << 36)
    patch(image, 446, bytes.fromhex("000a0902 07feffff 00800000 00d06e07 000a0902 0cfeffff 00000001 00400000".replace(" ", "")))
    patch(image, 510, b"\x55\xaa")
    for target in TABLES:
        keep(target, "mbr", image, 0)
        keep(target, "mbr_4096", image, SECTORS_4096)
    keep("inspect", "former_formats", former_formats(image), 0)


def make(folder):
    def keep(target, name, path, switches=LIST, spans=()):
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(cut(path, switches, spans))

    with tempfile.TemporaryDirectory() as work:
        seeds(pathlib.Path(work), keep)


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]))
