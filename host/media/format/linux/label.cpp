// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/label.hpp"

#include <span>

#include "host/media/inspect/load.hpp"

namespace mediarig::media {

std::optional<std::size_t> utf16_length(const std::string& utf8) {
    // The reader of labels replaces whatever may not be there: what it leaves alone is clean.
    if (text_from_utf8(std::as_bytes(std::span(utf8))) != utf8) return std::nullopt;
    std::size_t units = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0xF0)
            units += 2; // beyond the basic plane: a pair of surrogates
        else if ((byte & 0xC0) != 0x80)
            units += 1;
    }
    return units;
}

} // namespace mediarig::media
