// SPDX-License-Identifier: GPL-3.0-or-later
/// Kinds of slots in the virtual lab. docs/guide/lab.md lists QEMU's models and their limits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig {

enum class SlotKind : std::uint8_t {
    sd,     ///< an SD slot with its own controller; only power-of-two sizes, no I/O errors
    usb,    ///< a USB drive on a root port, Bulk-Only Transport, SuperSpeed
    hub,    ///< the same on a full-speed hub
    reader, ///< a slot of the one USB card reader that all slots of this kind share
    uas,    ///< a USB enclosure with UAS on a root port
    nvme,   ///< an NVMe disk on its own external PCIe port, as in a Thunderbolt enclosure
};
inline constexpr std::array slot_kinds{
    Name<SlotKind>{SlotKind::sd, "sd"},   Name<SlotKind>{SlotKind::usb, "usb"},
    Name<SlotKind>{SlotKind::hub, "hub"}, Name<SlotKind>{SlotKind::reader, "reader"},
    Name<SlotKind>{SlotKind::uas, "uas"}, Name<SlotKind>{SlotKind::nvme, "nvme"},
};
[[nodiscard]] constexpr std::string_view name_of(SlotKind kind) {
    return name_in(slot_kinds, kind);
}
/// A reader has one serial for all its slots, and all of QEMU's SD cards are identical.
[[nodiscard]] constexpr bool says_a_serial(SlotKind kind) {
    return kind != SlotKind::reader && kind != SlotKind::sd;
}
/// Fails with bad_request.
[[nodiscard]] inline Result<SlotKind> slot_kind_from(std::string_view name) {
    auto known = value_in(slot_kinds, name);
    if (!known) return fail(Errc::bad_request, "the kind of a slot: " + known.error().detail);
    return known;
}

} // namespace mediarig
