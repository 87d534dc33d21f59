// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/text.hpp"

#include "host/text.hpp"

namespace mediarig::media {
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank{" \t\r\n\v\f\0", 7};
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string typeable(std::string_view raw) {
    return mediarig::printable(trimmed(raw), "?");
}

} // namespace mediarig::media
