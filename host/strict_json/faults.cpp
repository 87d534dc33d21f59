// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/strict_json/faults.hpp"

#include <fmt/format.h>

#include <utility>

namespace mediarig::strict_json {

void Faults::add(std::string_view pointer, std::string_view reason) {
    ++count_;
    if (count_ > shown_at_most) return;
    lines_.push_back(fmt::format("{}: {}", pointer.empty() ? "/" : pointer, reason));
}

std::vector<std::string> Faults::take() {
    if (count_ > shown_at_most) lines_.push_back(fmt::format("/: … and {} more faults", count_ - shown_at_most));
    count_ = 0;
    return std::exchange(lines_, {});
}

std::string deeper(std::string_view pointer, std::string_view key) {
    std::string result(pointer);
    result += '/';
    for (const char c : excerpt(key)) {
        if (c == '~')
            result += "~0";
        else if (c == '/')
            result += "~1";
        else
            result += c;
    }
    return result;
}

std::string deeper(std::string_view pointer, std::size_t index) {
    return fmt::format("{}/{}", pointer, index);
}

std::string excerpt(std::string_view text, std::size_t limit) {
    const bool cut = text.size() > limit;
    if (cut) {
        // Not in the middle of a UTF-8 sequence.
        while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
        text = text.substr(0, limit);
    }
    std::string line;
    for (const char c : text) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    if (cut) line += "…";
    return line;
}

} // namespace mediarig::strict_json
