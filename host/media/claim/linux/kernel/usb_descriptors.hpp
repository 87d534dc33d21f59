// SPDX-License-Identifier: GPL-3.0-or-later
/// What a USB device could do, from the bytes of its descriptors. Source: USB 3.2 specification, sections 9.5, 9.6.2
/// and 9.6.5; USB Mass Storage Class, protocol codes 0x50 (BOT) and 0x62 (UAS). Pure; trusts no length.
#pragma once

#include <string_view>

namespace mediarig::media {

/// Mass storage settings of any configuration, in the device's `descriptors` as sysfs has them.
struct UsbStorageOffers {
    bool bot{}, uas{};
    bool operator==(const UsbStorageOffers&) const = default;
};
[[nodiscard]] UsbStorageOffers storage_offers_in(std::string_view descriptors);

/// The fastest speed that the Binary Object Store (`bos_descriptors`) promises, for one lane, in Mbit/s; 0 where it
/// promises nothing. Kernels before 6.9 do not show it.
[[nodiscard]] double capable_speed_in(std::string_view bos);

} // namespace mediarig::media
