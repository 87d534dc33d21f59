// SPDX-License-Identifier: GPL-3.0-or-later
/// Kinds of slots in the virtual lab. docs/guide/lab.md lists QEMU's models and their limits.
#pragma once

#include <cstdint>

#include "host/base/enum_names.hpp"

namespace mediarig {

BOOST_DEFINE_FIXED_ENUM_CLASS(SlotKind, std::uint8_t,
                              sd,     ///< an SD slot with its own controller; only power-of-two sizes, no I/O errors
                              usb,    ///< a USB drive on a root port, Bulk-Only Transport, SuperSpeed
                              hub,    ///< like `usb`, but on a full-speed hub
                              reader, ///< a slot of the one USB card reader that all slots of this kind share
                              uas,    ///< a USB enclosure with UAS on a root port
                              nvme    ///< an NVMe disk on its own external PCIe port, as in a Thunderbolt enclosure
)
/// True if a serial identifies one slot of this kind. A reader has one serial for all its slots, and all of QEMU's SD
/// cards are identical.
[[nodiscard]] constexpr bool says_a_serial(SlotKind kind) {
    return kind != SlotKind::reader && kind != SlotKind::sd;
}

} // namespace mediarig
