// SPDX-License-Identifier: GPL-3.0-or-later
/// Assigns each declared slot to a port of the virtual machine, for QEMU and for the guest. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/machine/slot.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::lab {

inline constexpr std::string_view uplink_group = "uplink";

/// One slot with its place. Its names in QEMU are derived from its number.
struct PlacedSlot {
    LabSlot slot;
    std::string usb_port; ///< "3", "15.2"; empty for an SD or NVMe slot
    std::uint32_t lun{};  ///< logical unit of a slot in the reader
    std::uint32_t pci{};  ///< device number of an SD slot's controller or of an NVMe slot's root port

    [[nodiscard]] std::string name(std::string_view what) const; ///< "slot3.card"
    [[nodiscard]] std::string throttle_group() const {
        return slot.shares_uplink ? std::string(uplink_group) : name("limits");
    }
    [[nodiscard]] std::string card_node() const { return name("card"); }
    [[nodiscard]] std::string throttle_node() const { return name("throttle"); }
    [[nodiscard]] std::string error_node(std::uint64_t generation) const;
    [[nodiscard]] std::string drive() const { return name("drive"); }    ///< the empty backend of a reader or SD slot
    [[nodiscard]] std::string device() const { return name("device"); }  ///< the USB drive, LUN or SD card
    [[nodiscard]] std::string disk() const { return name("disk"); }      ///< disk in a UAS enclosure
    [[nodiscard]] std::string root_port() const { return name("port"); } ///< root port of an NVMe slot
};

inline constexpr std::string_view reader_id = "reader";
inline constexpr std::string_view hub_id = "hub";

struct SlotLayout {
    std::vector<PlacedSlot> slots; ///< slots in the order of declaration
    std::string reader_port;       ///< empty if the layout has no reader slot
    std::string hub_port;          ///< empty if no slot is connected to the hub

    [[nodiscard]] const PlacedSlot* find(SlotId id) const;
};

/// Fails with bad_request: duplicate number, number 0, more slots than the models support (14 root ports for USB, UAS
/// and the reader together, 8 on the hub, 8 in the reader, 8 SD slots, 4 NVMe slots).
[[nodiscard]] Result<SlotLayout> lay_out(const std::vector<LabSlot>& slots);

/// True if a block device in the agent's list is at the place of this slot, with or without a medium. USB slots are
/// identified by port path and LUN, SD slots by the PCI address of the controller, NVMe slots by that of the root port.
[[nodiscard]] bool is_at(const PlacedSlot& slot, const media::Medium& device);

} // namespace mediarig::lab
