// SPDX-License-Identifier: GPL-3.0-or-later
/// Describes a slot of a rig without a carriage as in the rig file: its supply and the place of its medium. Values
/// only.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "host/rig/port/place.hpp"
#include "host/rig/power/hub/usb_tree.hpp"
#include "host/rig/power/plug/plug_address.hpp"

namespace mediarig::rig {

/// A switched port of the rig's board.
struct BoardPower {
    PortIndex port;
    bool operator==(const BoardPower&) const = default;
};
/// A port of a USB hub, through uhubctl.
struct HubPower {
    UsbPort port;
    bool operator==(const HubPower&) const = default;
};
/// A mains plug for the slot's medium alone.
struct PlugPower {
    PlugAddress plug;
    bool operator==(const PlugPower&) const = default;
};
/// A Thunderbolt or USB4 enclosure with one disk.
struct EnclosurePower {
    std::string unique_id;
    std::optional<PlugAddress> plug; ///< plug of the enclosure; unset: the operator pulls its cable
    bool operator==(const EnclosurePower&) const = default;
};
/// No switch: the operator inserts and removes the medium.
struct ManualPower {
    bool operator==(const ManualPower&) const = default;
};
using SlotPower = std::variant<BoardPower, HubPower, PlugPower, EnclosurePower, ManualPower>;

struct BankSlot {
    SlotPower power;
    std::string usb;    ///< required USB path of the medium; empty: any
    std::string serial; ///< required serial of the medium; empty: any
    bool operator==(const BankSlot&) const = default;
};

/// Description for records: "port 3 of the board", "hub 1-1.4, port 2".
[[nodiscard]] std::string text_of(const SlotPower& power);
/// True if the two slots can only be switched together.
[[nodiscard]] bool same_switch(const SlotPower& one, const SlotPower& other);

} // namespace mediarig::rig
