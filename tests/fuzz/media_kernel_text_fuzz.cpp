// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any bytes as inquiry data, VPD pages, USB descriptors, mount tables, swap tables, overlay options and kernel
/// events.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/media/claim/linux/kernel/mount_table.hpp"
#include "host/media/claim/linux/kernel/uevent.hpp"
#include "host/media/claim/linux/kernel/usb_descriptors.hpp"
#include "host/media/claim/linux/kernel/vpd_pages.hpp"

using namespace mediarig::media;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0] % 5) {
        case 0:
            (void)unit_serial_from_vpd(text);
            (void)designator_from_vpd(text);
            (void)inquiry_from(text);
            (void)block_limits_from_vpd(text);
            (void)characteristics_from_vpd(text);
            (void)provisioning_from_vpd(text);
            (void)storage_offers_in(text);
            if (const double speed = capable_speed_in(text); !(speed >= 0 && speed <= 80'000)) std::abort();
            if (designators_from_vpd(text).size() > 32 || pages_from_vpd(text).size() > 256) std::abort();
            break;
        case 1:
            if (const auto table = parse_mountinfo(text)) {
                const MountEntry* found = mount_of(*table, "/run/live/medium");
                if (found != nullptr && found->mount_point.size() > text.size()) std::abort();
                for (const MountEntry& entry : *table) (void)overlay_layers(entry.super_options);
            } else if (table.error().detail.find('\n') != std::string::npos) {
                std::abort();
            }
            break;
        case 2:
            (void)parse_swaps(text);
            break;
        case 3:
            (void)overlay_layers(text);
            break;
        default:
            if (const auto event = parse_uevent(text); event && event->node.empty()) std::abort();
    }
    return 0;
}
