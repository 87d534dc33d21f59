// SPDX-License-Identifier: GPL-3.0-or-later
/// Kinds of slots of the virtual lab. docs/guide/lab.md lists QEMU's models and their limits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig {

enum class SlotKind : std::uint8_t {
    sd,     ///< an SD slot with a controller of its own, power-of-two sizes only, never an I/O error
    usb,    ///< a USB drive of its own on a root port, Bulk-Only Transport, SuperSpeed
    hub,    ///< the same behind a full-speed hub
    reader, ///< a slot of one USB card reader, which all slots of this kind share
    uas,    ///< a USB enclosure with UAS on a root port
    nvme,   ///< an NVMe disk behind an external PCIe port of its own, as in a Thunderbolt enclosure
};
inline constexpr std::array slot_kinds{
    Name<SlotKind>{SlotKind::sd, "sd"},   Name<SlotKind>{SlotKind::usb, "usb"},
    Name<SlotKind>{SlotKind::hub, "hub"}, Name<SlotKind>{SlotKind::reader, "reader"},
    Name<SlotKind>{SlotKind::uas, "uas"}, Name<SlotKind>{SlotKind::nvme, "nvme"},
};
[[nodiscard]] constexpr std::string_view name_of(SlotKind kind) {
    return name_in(slot_kinds, kind);
}
/// A reader has one serial for all its slots, and QEMU's SD cards are all alike.
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
