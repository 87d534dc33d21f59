// SPDX-License-Identifier: GPL-3.0-or-later
/// Stable names of enumerators, for conversion to text and back. A header that describes an enumeration with
/// Boost.Describe declares `using mediarig::name_of;` in the enumeration's namespace.
#pragma once

#include <array>
#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig {

template <class E>
concept Described = boost::describe::has_describe_enumerators<E>::value;

template <class E>
struct Name {
    E value;
    std::string_view name;
};

/// The values of a described enumeration with their names. The name of a value is its enumerator, unless the
/// enumeration's namespace has a function `constexpr auto other_names(E**)`, which returns an array of the differing
/// names.
template <Described E>
inline constexpr auto enumerators = []<template <class...> class List, class... Descriptor>(List<Descriptor...>) {
    std::array names{Name<E>{Descriptor::value, Descriptor::name}...};
    if constexpr (requires(E * *type) { other_names(type); })
        for (const Name<E>& other : other_names(static_cast<E**>(nullptr)))
            for (Name<E>& each : names)
                if (each.value == other.value) each.name = other.name;
    return names;
}(boost::describe::describe_enumerators<E>());

/// Returns "unlisted" for a value that is not in the list.
template <class Names, class E>
[[nodiscard]] constexpr std::string_view name_in(const Names& names, E value) {
    for (const auto& each : names)
        if (each.value == value) return each.name;
    return "unlisted";
}
template <Described E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
    return name_in(enumerators<E>, value);
}

/// The names without the values.
template <Described E>
inline constexpr auto enumerator_names = [] {
    std::array<std::string_view, enumerators<E>.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = enumerators<E>[i].name;
    return names;
}();
[[nodiscard]] std::vector<std::string> texts_of(std::span<const std::string_view> names);
/// The names as strings, e.g. the choices of an option.
template <Described E>
[[nodiscard]] std::vector<std::string> choices() {
    return texts_of(enumerator_names<E>);
}

/// Fails with bad_format; the error lists the known names.
[[nodiscard]] Error not_one_of(std::string_view name, std::span<const std::string_view> known);
template <Described E>
[[nodiscard]] Result<E> from_name(std::string_view name) {
    for (const Name<E>& each : enumerators<E>)
        if (each.name == name) return each.value;
    return fail(not_one_of(name, enumerator_names<E>));
}

/// True if `typed` equals `name`, ignoring the case of ASCII letters.
[[nodiscard]] constexpr bool same_word(std::string_view name, std::string_view typed) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    if (name.size() != typed.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (lower(name[i]) != lower(typed[i])) return false;
    return true;
}

/// Reads a word that a user typed, in upper or lower case. Fails with bad_request: "unknown partition table 'apm': use
/// one of none, mbr, gpt".
[[nodiscard]] Error unknown_word(std::string_view typed, std::string_view what,
                                 std::span<const std::string_view> known);
template <Described E>
[[nodiscard]] Result<E> from_word(std::string_view typed, std::string_view what) {
    for (const Name<E>& each : enumerators<E>)
        if (same_word(each.name, typed)) return each.value;
    return fail(unknown_word(typed, what, enumerator_names<E>));
}

} // namespace mediarig
