// SPDX-License-Identifier: GPL-3.0-or-later
/// Capabilities of a USB device from its descriptors. Source: USB 3.2 specification, sections 9.5, 9.6.2 and 9.6.5; USB
/// Mass Storage Class, protocol codes 0x50 (BOT) and 0x62 (UAS). Pure; trusts no length.
#pragma once

#include <string_view>

namespace mediarig::media {

/// Mass storage protocols in any configuration of the device's `descriptors` attribute in sysfs.
struct UsbStorageOffers {
    bool bot{}, uas{};
    bool operator==(const UsbStorageOffers&) const = default;
};
[[nodiscard]] UsbStorageOffers storage_offers_in(std::string_view descriptors);

/// Highest speed of one lane in the Binary Object Store (`bos_descriptors`), in Mbit/s; 0 if the store has no speed.
/// Kernels before 6.9 do not provide the attribute.
[[nodiscard]] double capable_speed_in(std::string_view bos);

} // namespace mediarig::media
