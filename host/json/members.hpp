// SPDX-License-Identifier: GPL-3.0-or-later
/// What a list of members consists of; see codec.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <variant>

namespace mediarig::codec {

template <class T>
struct Tag {};

enum class Presence : unsigned char {
    required,
    or_default,     ///< missing or null: what a new record has there; always written
    unless_default, ///< the same; not written while it is what a new record has there
    or_null,        ///< of an optional: null while it is unset
};

/// Of a number's value, a text's bytes, a list's elements.
struct Bounds {
    std::uint64_t least{0}, most{std::numeric_limits<std::uint64_t>::max()};
};

struct Plain {};
template <class From>
struct Named {
    From from;
};
template <class To, class From>
struct Shaped {
    To to;
    From from;
};

template <class Owner, class T, class Form = Plain, Presence presence = Presence::required>
struct Member {
    const char* name;
    T Owner::*field;
    Form form{};
    Bounds bounds{};

    [[nodiscard]] constexpr auto or_default() const {
        return Member<Owner, T, Form, Presence::or_default>{name, field, form, bounds};
    }
    [[nodiscard]] constexpr auto unless_default() const {
        return Member<Owner, T, Form, Presence::unless_default>{name, field, form, bounds};
    }
    [[nodiscard]] constexpr auto or_null() const {
        return Member<Owner, T, Form, Presence::or_null>{name, field, form, bounds};
    }
    [[nodiscard]] constexpr Member at_most(std::uint64_t most) const {
        return {name, field, form, {bounds.least, most}};
    }
    [[nodiscard]] constexpr Member at_least(std::uint64_t least) const {
        return {name, field, form, {least, bounds.most}};
    }
    /// An enumeration's reader: Result<E>(std::string_view). Also of a list or an optional of them.
    template <class From>
    [[nodiscard]] constexpr auto named(From from) const {
        return Member<Owner, T, Named<From>, presence>{name, field, {from}, bounds};
    }
    /// Any other form: Json(const T&), and Result<T>(const Json&), whose detail says what is wrong, without a path.
    template <class To, class From>
    [[nodiscard]] constexpr auto shaped(To to, From from) const {
        return Member<Owner, T, Shaped<To, From>, presence>{name, field, {to, from}, bounds};
    }
};
template <class Owner, class T>
[[nodiscard]] constexpr Member<Owner, T> member(const char* name, T Owner::*field) {
    return {name, field};
}

/// Members of the owner that stand in an object of their own.
template <class... Parts>
struct Group {
    const char* name;
    std::tuple<Parts...> parts;
};
template <class... Parts>
[[nodiscard]] constexpr Group<Parts...> group(const char* name, Parts... parts) {
    return {name, {parts...}};
}

/// An optional part whose members stand among the owner's: it is there where its member `key` is.
template <class Owner, class T>
struct Spread {
    const char* key;
    std::optional<T> Owner::*field;
};
template <class Owner, class T>
[[nodiscard]] constexpr Spread<Owner, T> spread(const char* key, std::optional<T> Owner::*field) {
    return {key, field};
}

/// A member that is made of several fields: `get` gives its value, `set` is a void(Owner&, value). Missing: not set.
template <class Get, class Set>
struct Computed {
    const char* name;
    Get get;
    Set set;
    Bounds bounds{};
};
template <class Get, class Set>
[[nodiscard]] constexpr Computed<Get, Set> computed(const char* name, Get get, Set set, Bounds bounds = {}) {
    return {name, get, set, bounds};
}

/// A text that is always the same.
struct Constant {
    const char* name;
    const char* text;
};
[[nodiscard]] constexpr Constant constant(const char* name, const char* text) {
    return {name, text};
}

/// What the record must fulfil as a whole: `holds` is a bool(const T&); the fault names `member`.
template <class Holds>
struct Must {
    const char* member;
    Holds holds;
    const char* why;
};
template <class Holds>
[[nodiscard]] constexpr Must<Holds> must(const char* member, Holds holds, const char* why) {
    return {member, holds, why};
}

/// A variant as one member of several names, a name for each alternative in their order.
template <class Owner, class F, std::size_t n>
struct OneOf {
    F Owner::*field;
    std::array<const char*, n> names;
};
template <class Owner, class F, class... Names>
[[nodiscard]] constexpr OneOf<Owner, F, sizeof...(Names)> one_of(F Owner::*field, Names... names) {
    static_assert(sizeof...(Names) == std::variant_size_v<F>);
    return {field, {names...}};
}

template <class... Parts>
[[nodiscard]] constexpr std::tuple<Parts...> members(Parts... parts) {
    return {parts...};
}

} // namespace mediarig::codec
