// SPDX-License-Identifier: GPL-3.0-or-later
/// Stable names of an enumeration, from one list for both directions.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig {

template <class E>
struct Name {
    E value;
    std::string_view name;
};

/// True if `typed` equals `name`, ignoring the case of ASCII letters.
[[nodiscard]] constexpr bool same_word(std::string_view name, std::string_view typed) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    if (name.size() != typed.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (lower(name[i]) != lower(typed[i])) return false;
    return true;
}

/// Returns "unknown" for a value that is not in the list.
template <class E, std::size_t n>
[[nodiscard]] constexpr std::string_view name_in(const std::array<Name<E>, n>& names, E value) {
    for (const Name<E>& each : names)
        if (each.value == value) return each.name;
    return "unknown";
}

/// Fails with bad_format and lists the known names.
template <class E, std::size_t n>
[[nodiscard]] Result<E> value_in(const std::array<Name<E>, n>& names, std::string_view name) {
    constexpr std::size_t most_shown = 40;
    std::string known;
    for (const Name<E>& each : names) {
        if (each.name == name) return each.value;
        known += known.empty() ? "" : ", ";
        known += each.name;
    }
    return fail(Errc::bad_format, "\"" + std::string(name.substr(0, most_shown)) + "\" is not one of " + known);
}

} // namespace mediarig
