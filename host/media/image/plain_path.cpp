// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/plain_path.hpp"

#include <array>

#include "host/media/text.hpp"

namespace mediarig::media {

std::string plain_text_of(std::string_view path) {
    // The bars keep typeable() from trimming the path itself.
    std::string text = typeable("|" + std::string(path) + "|");
    text = text.substr(1, text.size() - 2);
    constexpr std::array<std::string_view, 12> marks{"\xD8\x9C",     "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA",
                                                     "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD", "\xE2\x80\xAE",
                                                     "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9"};
    for (const std::string_view mark : marks) {
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
            text.replace(at, mark.size(), "?");
    }
    return text;
}

bool is_plain_text(std::string_view path) {
    return plain_text_of(path) == path;
}

} // namespace mediarig::media
