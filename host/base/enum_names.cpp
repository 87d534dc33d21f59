// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/enum_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mediarig {

std::vector<std::string> texts_of(std::span<const std::string_view> names) {
    return {names.begin(), names.end()};
}

Error not_one_of(std::string_view name, std::span<const std::string_view> known) {
    constexpr std::size_t most_shown = 40;
    return {Errc::bad_format,
            fmt::format("\"{}\" is not one of {}", name.substr(0, most_shown), fmt::join(known, ", "))};
}

Error unknown_word(std::string_view typed, std::string_view what, std::span<const std::string_view> known) {
    return {Errc::bad_request, fmt::format("unknown {} '{}': use one of {}", what, typed, fmt::join(known, ", "))};
}

} // namespace mediarig
