// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/slot_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mediarig::lab {
namespace {

/// QEMU's xHCI has 15 ports of each speed; the last one is for the hub.
constexpr std::uint32_t last_root_port = 14;
constexpr std::uint32_t hub_port = 15;
/// Limits of QEMU's hub, of its Bulk-Only device, and of the device numbers reserved here for SD controllers.
constexpr std::uint32_t most_on_hub = 8, most_in_reader = 8, most_sd = 8, most_nvme = 4;
/// Device numbers 0 and 31 of q35's bus 0 are used; QEMU assigns small numbers to devices without an explicit one.
constexpr std::uint32_t first_sd_pci = 0x10, first_nvme_pci = first_sd_pci + most_sd;

struct Places {
    std::uint32_t root{1}, hub{1}, lun{0}, sd{0}, nvme{0};
};

tl::unexpected<Error> too_many(SlotKind kind, const char* capacity) {
    return fail(Errc::bad_request,
                fmt::format("too many {} slots: the virtual machine has {}; there is space for {} usb and uas together "
                            "(a reader takes one), {} hub, {} reader, {} sd and {} nvme",
                            name_of(kind), capacity, last_root_port, most_on_hub, most_in_reader, most_sd, most_nvme));
}

} // namespace

std::string PlacedSlot::name(std::string_view what) const {
    return fmt::format("slot{}.{}", slot.id.number, what);
}

std::string PlacedSlot::error_node(std::uint64_t generation) const {
    return fmt::format("slot{}.errors{}", slot.id.number, generation);
}

const PlacedSlot* SlotLayout::find(SlotId id) const {
    const auto found = std::find_if(slots.begin(), slots.end(), [&](const PlacedSlot& s) { return s.slot.id == id; });
    return found == slots.end() ? nullptr : &*found;
}

Result<SlotLayout> lay_out(const std::vector<LabSlot>& slots) {
    SlotLayout layout;
    Places next;
    for (const LabSlot& slot : slots) {
        if (slot.id.number == 0) return fail(Errc::bad_request, "slots are numbered from 1");
        if (layout.find(slot.id) != nullptr)
            return fail(Errc::bad_request, fmt::format("slot {} is declared twice", slot.id.number));
        PlacedSlot placed{.slot = slot};
        switch (slot.kind) {
            case SlotKind::usb:
            case SlotKind::uas:
                placed.usb_port = std::to_string(next.root++);
                break;
            case SlotKind::hub:
                if (next.hub > most_on_hub) return too_many(slot.kind, "8 ports on its hub");
                layout.hub_port = std::to_string(hub_port);
                placed.usb_port = fmt::format("{}.{}", hub_port, next.hub++);
                break;
            case SlotKind::reader:
                if (next.lun >= most_in_reader) return too_many(slot.kind, "8 in its card reader");
                if (layout.reader_port.empty()) layout.reader_port = std::to_string(next.root++);
                placed.usb_port = layout.reader_port;
                placed.lun = next.lun++;
                break;
            case SlotKind::sd:
                if (next.sd >= most_sd) return too_many(slot.kind, "space for 8 SD controllers");
                placed.pci = first_sd_pci + next.sd++;
                break;
            case SlotKind::nvme:
                if (next.nvme >= most_nvme) return too_many(slot.kind, "4 external PCIe ports");
                placed.pci = first_nvme_pci + next.nvme++;
                break;
        }
        if (next.root > last_root_port + 1) return too_many(slot.kind, "14 USB root ports for drives and the reader");
        layout.slots.push_back(std::move(placed));
    }
    return layout;
}

bool is_at(const PlacedSlot& slot, const media::Medium& device) {
    // The guest runs Linux: each uplink is a path below /sys/devices.
    const auto below_function = [&](media::Transport transport) {
        return device.transport == transport && !device.uplinks.empty() &&
               (device.uplinks.front() + '/').find(fmt::format("/0000:00:{:02x}.0/", slot.pci)) != std::string::npos;
    };
    if (slot.slot.kind == SlotKind::sd) return below_function(media::Transport::mmc);
    if (slot.slot.kind == SlotKind::nvme) return below_function(media::Transport::nvme);
    if (!device.usb) return false;
    // Compare the part after the dash: the bus number before it depends only on the speed, since the machine has one
    // controller.
    const std::string& path = device.usb->port_path;
    const std::size_t dash = path.find('-');
    if (dash == std::string::npos || path.substr(dash + 1) != slot.usb_port) return false;
    return slot.slot.kind != SlotKind::reader || device.lun == slot.lun;
}

} // namespace mediarig::lab
