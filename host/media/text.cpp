// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/text.hpp"

namespace mediarig::media {
namespace {

std::size_t continuation_bytes(unsigned char lead) {
    if (lead >= 0xC2 && lead <= 0xDF) return 1;
    if (lead >= 0xE0 && lead <= 0xEF) return 2;
    if (lead >= 0xF0 && lead <= 0xF4) return 3;
    return 0;
}

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 where there is none (RFC 3629, section 4).
std::size_t utf8_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return 1;
    const std::size_t more = continuation_bytes(byte(0));
    if (more == 0 || text.size() <= more) return 0;
    for (std::size_t i = 1; i <= more; ++i) {
        if ((byte(i) & 0xC0u) != 0x80) return 0;
    }
    const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
    const bool surrogate = byte(0) == 0xED && byte(1) > 0x9F;
    const bool beyond = byte(0) == 0xF4 && byte(1) > 0x8F;
    return overlong || surrogate || beyond ? 0 : more + 1;
}

} // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank{" \t\r\n\v\f\0", 7};
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string printable(std::string_view raw) {
    std::string out;
    for (std::string_view rest = trimmed(raw); !rest.empty();) {
        const std::size_t length = utf8_sequence(rest);
        const auto lead = static_cast<unsigned char>(rest[0]);
        // C1 controls (U+0080 to U+009F) start escape sequences on some terminals.
        const bool c1 = length == 2 && lead == 0xC2 && static_cast<unsigned char>(rest[1]) < 0xA0;
        if (length == 0 || lead < 0x20 || lead == 0x7F || c1) {
            out += '?';
            rest.remove_prefix(length == 0 ? 1 : length);
            continue;
        }
        out += rest.substr(0, length);
        rest.remove_prefix(length);
    }
    return out;
}

} // namespace mediarig::media
