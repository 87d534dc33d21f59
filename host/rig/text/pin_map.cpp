// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/rig/text/text.hpp"
#include "hw/pins.hpp"

namespace mediarig::rig {

std::optional<std::string> explain_pin_map(std::uint32_t told) {
    if (told == 0 || told == pins::pin_map_hash) return std::nullopt;
    return fmt::format(
        "the board's firmware was made for pin map {:08X}, this mediarig knows {:08X}: make the image from "
        "the same sources (./run hw) and copy mediarig-rig.uf2 onto the board in its loader",
        told, pins::pin_map_hash);
}

} // namespace mediarig::rig
