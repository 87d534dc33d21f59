// SPDX-License-Identifier: GPL-3.0-or-later
/// Which port of the virtual machine each declared slot is, on QEMU's side and on the guest's. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/machine/slot.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::lab {

inline constexpr std::string_view uplink_group = "uplink";

/// One slot with its place. The names that QEMU knows it by are made from its number.
struct PlacedSlot {
    Slot slot;
    std::string usb_port; ///< "3", "15.2"; empty for an SD or NVMe slot
    std::uint32_t lun{};  ///< of a reader's slot
    std::uint32_t pci{};  ///< device number of an SD slot's controller, of an NVMe slot's root port

    [[nodiscard]] std::string name(std::string_view what) const; ///< "slot3.card"
    [[nodiscard]] std::string throttle_group() const {
        return slot.shares_uplink ? std::string(uplink_group) : name("limits");
    }
    [[nodiscard]] std::string card_node() const { return name("card"); }
    [[nodiscard]] std::string throttle_node() const { return name("throttle"); }
    [[nodiscard]] std::string error_node(std::uint64_t generation) const;
    [[nodiscard]] std::string drive() const { return name("drive"); }    ///< the empty backend of a reader or SD slot
    [[nodiscard]] std::string device() const { return name("device"); }  ///< the USB drive, the LUN, the SD card
    [[nodiscard]] std::string disk() const { return name("disk"); }      ///< inside a UAS enclosure
    [[nodiscard]] std::string root_port() const { return name("port"); } ///< of an NVMe slot
};

inline constexpr std::string_view reader_id = "reader";
inline constexpr std::string_view hub_id = "hub";

struct SlotLayout {
    std::vector<PlacedSlot> slots; ///< in the order of the declaration
    std::string reader_port;       ///< empty where no slot is a reader's
    std::string hub_port;          ///< empty where no slot hangs on the hub

    [[nodiscard]] const PlacedSlot* find(SlotId id) const;
};

/// Fails with bad_request: the same number twice, number 0, more slots than the models have room for (14 root ports for
/// USB, UAS and the reader together, 8 on the hub, 8 in the reader, 8 SD slots, 4 NVMe
/// slots).
[[nodiscard]] Result<SlotLayout> lay_out(const std::vector<Slot>& slots);

/// Whether a block device that the guest's agent lists is at the place of this slot, with a medium or without.
/// The port path and the LUN tell USB slots apart, the PCI address of the controller the SD slots,
/// that of the root port the NVMe slots.
[[nodiscard]] bool is_at(const PlacedSlot& slot, const media::Medium& device);

} // namespace mediarig::lab
