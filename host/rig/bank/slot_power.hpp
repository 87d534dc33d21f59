// SPDX-License-Identifier: GPL-3.0-or-later
/// Who powers a slot of a rig without a carriage, and where the slot's medium shows up. As values, from the rig file.
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
    Port port;
    bool operator==(const BoardPower&) const = default;
};
/// A port of a USB hub, through uhubctl.
struct HubPower {
    UsbPort port;
    bool operator==(const HubPower&) const = default;
};
/// A mains plug that nothing but the slot's medium hangs on.
struct PlugPower {
    PlugAddress plug;
    bool operator==(const PlugPower&) const = default;
};
/// A Thunderbolt or USB4 enclosure with one disk.
struct EnclosurePower {
    std::string unique_id;
    std::optional<PlugAddress> plug; ///< that it hangs on; unset: a person pulls its cable
    bool operator==(const EnclosurePower&) const = default;
};
/// Nothing that can be switched: a person puts the medium in and takes it out.
struct NoPower {
    bool operator==(const NoPower&) const = default;
};
using SlotPower = std::variant<BoardPower, HubPower, PlugPower, EnclosurePower, NoPower>;

struct BankSlot {
    SlotPower power;
    std::string usb;    ///< the USB path that its medium must have; empty: not declared
    std::string serial; ///< that its medium must say; empty: not declared
    bool operator==(const BankSlot&) const = default;
};

/// For records: "port 3 of the board", "hub 1-1.4, port 2".
[[nodiscard]] std::string text_of(const SlotPower& power);
/// Whether two slots would be switched together.
[[nodiscard]] bool same_switch(const SlotPower& one, const SlotPower& other);

} // namespace mediarig::rig
