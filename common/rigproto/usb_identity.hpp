// SPDX-License-Identifier: GPL-3.0-or-later
/// The USB identity by which a host finds the rig's board.
#pragma once

#include <cstdint>
#include <string_view>

namespace mediarig::rigproto {

/// Raspberry Pi shares this identity among all RP2040 devices with only a CDC interface; the product name identifies
/// the rig (https://github.com/raspberrypi/usb-pid). packaging/70-mediarig-rig.rules contains the same values.
inline constexpr std::uint16_t usb_vendor = 0x2E8A, usb_product = 0x000A;
inline constexpr std::string_view usb_product_name = "mediarig rig";

} // namespace mediarig::rigproto
