// SPDX-License-Identifier: GPL-3.0-or-later
/// Parent devices of a block device, its transport, and whether it can be unplugged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct Ancestor {
    std::string path;      ///< below /sys/devices
    std::string subsystem; ///< "usb", "scsi", "pci", "mmc", "nvme", "virtio", …; empty for plain directories
};

/// Parents from the block device up to the bus, nearest first.
[[nodiscard]] std::vector<Ancestor> ancestors_of(const std::string& sysfs_path);

[[nodiscard]] Transport transport_of(const BlockNode& disk, const std::vector<Ancestor>& ancestors);

/// The USB device (not the interface) that the block device is attached to; empty for other devices.
[[nodiscard]] std::string usb_device_of(const std::vector<Ancestor>& ancestors);
/// The USB interface below that device; empty for other devices.
[[nodiscard]] std::string usb_interface_of(const std::vector<Ancestor>& ancestors);
/// The nearest PCI function; empty without one.
[[nodiscard]] std::string pci_function_of(const std::vector<Ancestor>& ancestors);

/// Reason to treat the device as a fixed part of this machine. Empty for USB, SD cards, image files on loop devices,
/// zram, and devices that the kernel reports as removable because they are on an external (Thunderbolt, USB4) PCI port.
/// `removable_media`: the block device's own `removable` attribute.
[[nodiscard]] std::optional<Refusal> built_in(const BlockNode& disk, Transport transport,
                                              const std::vector<Ancestor>& ancestors, bool removable_media);

} // namespace mediarig::media
