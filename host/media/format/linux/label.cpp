// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/label.hpp"

#include <span>

#include "host/media/inspect/load.hpp"

namespace mediarig::media {

std::optional<std::size_t> utf16_length(const std::string& utf8) {
    // text_from_utf8() replaces invalid characters; an unchanged text is valid.
    if (text_from_utf8(std::as_bytes(std::span(utf8))) != utf8) return std::nullopt;
    std::size_t units = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0xF0)
            units += 2; // outside the basic plane: a surrogate pair
        else if ((byte & 0xC0) != 0x80)
            units += 1;
    }
    return units;
}

} // namespace mediarig::media
