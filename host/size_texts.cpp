// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/size_texts.hpp"

#include <fmt/format.h>

#include "host/text.hpp"

namespace mediarig {

SizeTexts size_texts(Bytes first, Bytes second) {
    SizeTexts texts{size_text(first), size_text(second)};
    if (texts.first != texts.second || first == second) return texts;
    return {fmt::format("{} bytes", first.count), fmt::format("{} bytes", second.count)};
}

std::string shortage(std::string_view who, Bytes needed, Bytes available) {
    const SizeTexts sizes = size_texts(needed, available);
    return fmt::format("{} needs {}, with {} available", who, sizes.first, sizes.second);
}

std::string too_small(Bytes medium, std::string_view for_what, Bytes least) {
    const SizeTexts sizes = size_texts(medium, least);
    return fmt::format("a medium of {} is too small for {}, which takes at least {}", sizes.first, for_what,
                       sizes.second);
}

} // namespace mediarig
