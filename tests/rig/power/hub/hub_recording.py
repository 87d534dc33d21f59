#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""hub_recording.py FOLDER: writes hub.umockdev, a machine with the USB 2 hub 1-1 of four ports, and hub.pcap, the control
transfers of uhubctl with it, as recorded by usbmon (linktype 220). umockdev-run replays both to the real
uhubctl."""
import os
import struct
import sys

ROOT = bytes([18, 1, 0x00, 2, 9, 0, 1, 64, 0x6B, 0x1D, 2, 0, 0x10, 5, 0, 0, 0, 1])
HUB = bytes([18, 1, 0x10, 2, 9, 0, 1, 64, 0xE3, 0x05, 0x10, 0x06, 0x09, 0x60, 0, 0, 0, 1])
CONFIGURATION = bytes([9, 2, 25, 0, 1, 1, 0, 0xE0, 50, 9, 4, 0, 0, 1, 9, 0, 0, 0, 7, 5, 0x81, 3, 4, 0, 12])
HUB_DESCRIPTOR = bytes([9, 0x29, 4, 0x09, 0, 50, 100, 0, 0xFF])  # 0x0009: each port individually
NO_CAPABILITIES = bytes([5, 15, 5, 0, 0])
# wPortStatus: powered; a high-speed device; powered; off.
PORTS = {1: 0x0100, 2: 0x0503, 3: 0x0100, 4: 0x0000}


def device(path, number, descriptor, vendor, product):
    attributes = {"busnum": 1, "devnum": number, "idVendor": vendor, "idProduct": product, "bConfigurationValue": 1,
                  "bDeviceClass": "09", "speed": 480, "dev": f"189:{number - 1}"}
    lines = [f"P: {path}", f"N: bus/usb/001/{number:03d}", f"E: DEVNAME=/dev/bus/usb/001/{number:03d}",
             "E: DEVTYPE=usb_device", "E: SUBSYSTEM=usb", "E: BUSNUM=001", f"E: DEVNUM={number:03d}", "E: MAJOR=189",
             f"E: MINOR={number - 1}"]
    lines += [f"A: {name}={value}\\n" for name, value in attributes.items()]
    return "\n".join(lines + [f"H: descriptors={(descriptor + CONFIGURATION).hex().upper()}", "", ""])


class Recording:
    def __init__(self, file):
        self.file, self.transfers = file, 0
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 220))

    def packet(self, kind, setup, status, length, data, setup_flag, data_flag):
        packet = struct.pack("<QBBBBHBBqiiII8siiII", self.transfers, ord(kind), 2, 0x80, 2, 1, setup_flag, data_flag, 1, 0,
                             status, length, len(data), setup, 0, 0, 0, 0) + data
        self.file.write(struct.pack("<IIII", 1, 0, len(packet), len(packet)) + packet)

    def read(self, request_type, request, value, index, length, answer):
        self.transfers += 1
        setup = struct.pack("<BBHHH", request_type, request, value, index, length)
        self.packet("S", setup, -115, length, b"", 0, ord("<"))
        self.packet("C", bytes(8), 0, len(answer), answer, ord("-"), 0)

    def hub(self):
        self.read(0xA0, 6, 0x2900, 0, 12, HUB_DESCRIPTOR)
        self.read(0x80, 6, 0x0F00, 0, 5, NO_CAPABILITIES)
        self.read(0x80, 6, 0x0F00, 0, 5, NO_CAPABILITIES)


def main():
    folder = sys.argv[1]
    bus = "/devices/pci0000:00/0000:00:14.0/usb1"
    with open(os.path.join(folder, "hub.umockdev"), "w", encoding="ascii") as file:
        file.write(device(bus, 1, ROOT, "1d6b", "0002") + device(bus + "/1-1", 2, HUB, "05e3", "0610"))
    with open(os.path.join(folder, "hub.pcap"), "wb") as file:
        recording = Recording(file)
        recording.hub()
        recording.hub()
        for port, status in PORTS.items():
            recording.read(0xA3, 0, 0, port, 4, struct.pack("<HH", status, 0))


if __name__ == "__main__":
    main()
