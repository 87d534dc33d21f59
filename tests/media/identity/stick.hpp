// SPDX-License-Identifier: GPL-3.0-or-later
/// A genuine stick, with the values of its USB descriptors.
#pragma once

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

inline Medium ultra_fit() {
    Medium medium;
    medium.node = "/dev/sdb";
    medium.transport = Transport::usb;
    medium.size = Bytes{30'752'000'000};
    medium.removable = true;
    medium.usb = UsbIdentity{.vendor_id = "0781",
                             .product_id = "5581",
                             .release = "1.00",
                             .manufacturer = "SanDisk",
                             .product = "Ultra Fit",
                             .serial = "4C530001230715117180",
                             .speed_mbit = 5000,
                             .driver = "usb-storage",
                             .port_path = "1-2.3",
                             .max_power_ma = 896};
    medium.usb->interface_class = "08/06/50";
    return medium;
}

} // namespace mediarig::media
