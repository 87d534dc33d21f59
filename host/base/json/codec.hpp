// SPDX-License-Identifier: GPL-3.0-or-later
/// The parts of a list of members; the list itself is explained below.
#pragma once

#include <array>
#include <boost/pfr/tuple_size.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/result.hpp"

namespace mediarig::codec {

template <class T>
struct Tag {};

enum class Presence : unsigned char {
    required,
    or_default,     ///< missing or null: the value of a new record; always written
    unless_default, ///< like or_default; not written if it equals the value of a new record
    or_null,        ///< for an optional: null if it is unset
};

/// Range of a number's value, of a text's length in bytes, or of a list's number of elements.
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
    /// Reads the value with this function instead of from_name: Result<E>(std::string_view). Also applies to a list or
    /// an optional of such values.
    template <class From>
    [[nodiscard]] constexpr auto named(From from) const {
        return Member<Owner, T, Named<From>, presence>{name, field, {from}, bounds};
    }
    /// Any other form: a function Json(const T&) and a function Result<T>(const Json&), whose error detail describes
    /// the fault without a path.
    template <class To, class From>
    [[nodiscard]] constexpr auto shaped(To to, From from) const {
        return Member<Owner, T, Shaped<To, From>, presence>{name, field, {to, from}, bounds};
    }
};
template <class Owner, class T>
[[nodiscard]] constexpr Member<Owner, T> member(const char* name, T Owner::*field) {
    return {name, field};
}

/// Members of the owner that are in a nested JSON object.
template <class... Parts>
struct Group {
    const char* name;
    std::tuple<Parts...> parts;
};
template <class... Parts>
[[nodiscard]] constexpr Group<Parts...> group(const char* name, Parts... parts) {
    return {name, {parts...}};
}

/// An optional part whose members are written among the owner's members. The part is present if its member `key` is
/// present.
template <class Owner, class T>
struct FlattenedField {
    const char* key;
    std::optional<T> Owner::*field;
};
template <class Owner, class T>
[[nodiscard]] constexpr FlattenedField<Owner, T> spread(const char* key, std::optional<T> Owner::*field) {
    return {key, field};
}

/// A member that is computed from several fields: `get` returns its value, `set` is a void(Owner&, value). If missing,
/// `set` is not called.
template <class Get, class Set>
struct ComputedMember {
    const char* name;
    Get get;
    Set set;
    Bounds bounds{};
};
template <class Get, class Set>
[[nodiscard]] constexpr ComputedMember<Get, Set> computed(const char* name, Get get, Set set, Bounds bounds = {}) {
    return {name, get, set, bounds};
}

/// A member with a constant text.
struct Constant {
    const char* name;
    const char* text;
};
[[nodiscard]] constexpr Constant constant(const char* name, const char* text) {
    return {name, text};
}

/// A condition on the record as a whole: `holds` is a bool(const T&); the fault names `member`.
template <class Holds>
struct Constraint {
    const char* member;
    Holds holds;
    const char* why;
};
template <class Holds>
[[nodiscard]] constexpr Constraint<Holds> must(const char* member, Holds holds, const char* why) {
    return {member, holds, why};
}

/// A variant, written as one member: each alternative has its own member name, in the order of the alternatives.
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

/// A field of the record without a member in this JSON form.
template <class Owner, class T>
struct OmittedField {
    T Owner::*field;
};
template <class Owner, class T>
[[nodiscard]] constexpr OmittedField<Owner, T> omitted(T Owner::*field) {
    return {field};
}

template <class... Parts>
[[nodiscard]] constexpr std::tuple<Parts...> members(Parts... parts) {
    return {parts...};
}

/// One list of members for both directions of a record's JSON form. Only for .cpp files, because of the compile time.
///
///     constexpr auto members_of(codec::Tag<Stall>) {
///         return codec::members(member("offset", &Stall::offset), member("length_ns", &Stall::length));
///     }
///     codec::encode(stall);  codec::decode<Stall>(object, "stall");
///
/// The type of a value determines its form: Bytes and times are counts (times in the unit of their type), enumerations
/// use their name_of(), unset optionals are omitted, lists are arrays, maps objects. A record that other files contain
/// has to_json(value) and read_form(object, path, value&, fault&) in its namespace (and may have check_form()). Readers
/// ignore unknown members, treat null as missing, and report the first fault with its path: "cells[3].block: missing".
/// A list without one of the fields does not compile (unless it has a computed member); omitted() declares an
/// exception.
using Json = nlohmann::json;

// ---- encoding, decoding and checking of a record --------------------------------------------------------------------

template <class T>
[[nodiscard]] Json encode(const T& record);
/// Encodes some members of the record.
template <class T, class... Parts>
[[nodiscard]] Json encode(const T& record, const std::tuple<Parts...>& parts);
template <class T>
void read(const Json& from, const Path& at, T& record, DecodeError& fault);
/// Checks by the rules of decode() that the output of encode() could be read, without converting the record to JSON.
template <class T>
void check(const T& record, const Path& at, DecodeError& fault);

/// Fails with bad_format. `name`: name of the record in the path of a fault; if empty, the path starts with the member.
template <class T>
[[nodiscard]] Result<T> decode(const Json& from, std::string_view name = {}) {
    Result<T> record{T{}};
    DecodeError fault;
    read(from, Path{nullptr, name, {}}, *record, fault);
    if (!fault.none()) return fail(fault.error());
    return record;
}

namespace detail {

template <class T, template <class...> class Of>
inline constexpr bool is = false;
template <template <class...> class Of, class... T>
inline constexpr bool is<Of<T...>, Of> = true;

template <class T>
concept Duration = requires(T t) {
    t.count();
    typename T::period;
};
template <class T>
concept TimePoint = requires(T t) {
    t.time_since_epoch();
};

[[nodiscard]] const Json* find(const Json& object, const char* name); ///< nullptr if the member is missing or null
void read_flag(const Json& from, const Path& at, bool& value, DecodeError& fault);
void read_text(const Json& from, const Path& at, std::string& value, DecodeError& fault);
void read_real(const Json& from, const Path& at, double& value, DecodeError& fault);
void read_integer(const Json& from, const Path& at, std::int64_t& value, DecodeError& fault);
void read_count(const Json& from, const Path& at, std::uint64_t& value, DecodeError& fault, Bounds bounds);
void check_size(std::size_t size, const Path& at, DecodeError& fault, Bounds bounds, const char* of_what);
void check_count(std::uint64_t value, const Path& at, DecodeError& fault, Bounds bounds);

template <class T>
[[nodiscard]] constexpr Bounds within(Bounds bounds) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    return {bounds.least, bounds.most < most ? bounds.most : most};
}

template <class E, class Form>
[[nodiscard]] Result<E> value_named(std::string_view name, const Form& form) {
    if constexpr (is<Form, Named>)
        return form.from(name);
    else
        return from_name<E>(name);
}

template <class T, class Form>
[[nodiscard]] Json write(const T& value, const Form& form) {
    if constexpr (is<Form, Shaped>) {
        return form.to(value);
    } else if constexpr (is<T, std::optional>) {
        return value ? write(*value, form) : Json();
    } else if constexpr (is<T, std::vector>) {
        Json list = Json::array();
        for (const auto& element : value) list.push_back(write(element, form));
        return list;
    } else if constexpr (is<T, std::map>) {
        Json object = Json::object();
        for (const auto& [name, element] : value) object[name] = write(element, form);
        return object;
    } else if constexpr (std::is_same_v<T, Bytes>) {
        return value.count;
    } else if constexpr (Duration<T>) {
        return value.count();
    } else if constexpr (TimePoint<T>) {
        return value.time_since_epoch().count();
    } else if constexpr (std::is_enum_v<T>) {
        return name_of(value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        return value;
    } else if constexpr (requires { to_json(value); }) {
        return to_json(value);
    } else {
        return encode(value);
    }
}

template <class T, class Form>
void read_value(const Json& from, const Path& at, T& value, DecodeError& fault, const Form& form, Bounds bounds) {
    if constexpr (is<Form, Shaped>) {
        Result<T> shaped = form.from(from);
        if (!shaped) return fault.say(at, shaped.error().detail);
        value = std::move(*shaped);
    } else if constexpr (is<T, std::optional>) {
        value.reset();
        if (!from.is_null()) read_value(from, at, value.emplace(), fault, form, bounds);
    } else if constexpr (is<T, std::vector>) {
        if (!from.is_array()) return fault.say(at, "must be a list");
        check_size(from.size(), at, fault, bounds, "elements");
        value.clear();
        for (std::size_t i = 0; i < from.size() && fault.none(); ++i)
            read_value(from[i], Path{&at, {}, i}, value.emplace_back(), fault, form, Bounds{});
    } else if constexpr (is<T, std::map>) {
        if (!from.is_object()) return fault.say(at, "must be an object");
        value.clear();
        for (const auto& [name, element] : from.items())
            read_value(element, Path{&at, name, {}}, value[name], fault, form, bounds);
    } else if constexpr (std::is_enum_v<T>) {
        std::string word;
        read_text(from, at, word, fault);
        if (!fault.none()) return;
        const Result<T> known = value_named<T>(word, form);
        if (!known) return fault.say(at, known.error().detail);
        value = *known;
    } else if constexpr (std::is_same_v<T, Bytes>) {
        read_count(from, at, value.count, fault, bounds);
    } else if constexpr (Duration<T>) {
        std::uint64_t count = 0;
        read_count(from, at, count, fault, within<typename T::rep>(bounds));
        value = T(static_cast<typename T::rep>(count));
    } else if constexpr (TimePoint<T>) {
        std::int64_t count = 0;
        if (bounds.most == Bounds{}.most)
            read_integer(from, at, count, fault);
        else if (std::uint64_t natural = 0; read_count(from, at, natural, fault, bounds), fault.none())
            count = static_cast<std::int64_t>(natural);
        value = T(typename T::duration(count));
    } else if constexpr (std::is_same_v<T, bool>) {
        read_flag(from, at, value, fault);
    } else if constexpr (std::is_same_v<T, double>) {
        read_real(from, at, value, fault);
    } else if constexpr (std::is_integral_v<T>) {
        std::uint64_t count = 0;
        read_count(from, at, count, fault, within<T>(bounds));
        value = static_cast<T>(count);
    } else if constexpr (std::is_same_v<T, std::string>) {
        read_text(from, at, value, fault);
        check_size(value.size(), at, fault, bounds, "bytes");
    } else if constexpr (requires { read_form(from, at, value, fault); }) {
        read_form(from, at, value, fault);
    } else {
        read(from, at, value, fault);
    }
}

template <class T, class Form>
void check_value(const T& value, const Path& at, DecodeError& fault, const Form& form, Bounds bounds) {
    if constexpr (is<Form, Shaped>) {
        if (const Result<T> again = form.from(form.to(value)); !again) fault.say(at, again.error().detail);
    } else if constexpr (std::is_enum_v<T>) {
        if (const Result<T> known = value_named<T>(name_of(value), form); !known) fault.say(at, known.error().detail);
    } else if constexpr (is<T, std::optional>) {
        if (value) check_value(*value, at, fault, form, bounds);
    } else if constexpr (is<T, std::vector>) {
        check_size(value.size(), at, fault, bounds, "elements");
        for (std::size_t i = 0; i < value.size() && fault.none(); ++i)
            check_value(value[i], Path{&at, {}, i}, fault, form, Bounds{});
    } else if constexpr (is<T, std::map>) {
        for (const auto& [name, element] : value) check_value(element, Path{&at, name, {}}, fault, form, bounds);
    } else if constexpr (std::is_same_v<T, Bytes>) {
        check_count(value.count, at, fault, bounds);
    } else if constexpr (Duration<T>) {
        if (value < T::zero()) fault.say(at, "must not be negative");
    } else if constexpr (TimePoint<T>) {
        if (bounds.most != Bounds{}.most)
            check_count(static_cast<std::uint64_t>(value.time_since_epoch().count()), at, fault, bounds);
    } else if constexpr (std::is_integral_v<T>) {
        check_count(static_cast<std::uint64_t>(value), at, fault, within<T>(bounds));
    } else if constexpr (std::is_same_v<T, std::string>) {
        check_size(value.size(), at, fault, bounds, "bytes");
    } else if constexpr (requires { check_form(value, at, fault); }) {
        check_form(value, at, fault);
    } else if constexpr (requires { members_of(Tag<T>{}); }) {
        check(value, at, fault);
    }
}

// ---- the parts of a list --------------------------------------------------------------------------------------------

template <class T, class Owner, class F, class Form, Presence presence>
void write_part(const T& record, const Member<Owner, F, Form, presence>& part, Json& object) {
    const F& value = record.*part.field;
    if constexpr (is<F, std::optional> && presence != Presence::or_null)
        if (!value) return;
    if constexpr (presence == Presence::unless_default)
        if (value == T{}.*part.field) return;
    object[part.name] = write(value, part.form);
}
template <class T, class... Parts>
void write_part(const T& record, const Group<Parts...>& part, Json& object) {
    Json& inner = object[part.name] = Json::object();
    std::apply([&](const auto&... each) { (write_part(record, each, inner), ...); }, part.parts);
}
template <class T, class Owner, class F>
void write_part(const T& record, const FlattenedField<Owner, F>& part, Json& object) {
    if (const auto& value = record.*part.field) object.update(encode(*value));
}
template <class T, class Get, class Set>
void write_part(const T& record, const ComputedMember<Get, Set>& part, Json& object) {
    object[part.name] = write(part.get(record), Plain{});
}
template <class T>
void write_part(const T&, const Constant& part, Json& object) {
    object[part.name] = part.text;
}
template <class T, class Holds>
void write_part(const T&, const Constraint<Holds>&, Json&) {}
template <class T, class Owner, class F, std::size_t n>
void write_part(const T& record, const OneOf<Owner, F, n>& part, Json& object) {
    const F& value = record.*part.field;
    object[part.names[value.index()]] = std::visit([](const auto& held) { return write(held, Plain{}); }, value);
}

template <class T, class Owner, class F>
void write_part(const T&, const OmittedField<Owner, F>&, Json&) {}

template <class T, class Owner, class F, class Form, Presence presence>
void read_part(const Json& from, const Path& at, T& record, const Member<Owner, F, Form, presence>& part,
               DecodeError& fault) {
    if (!fault.none()) return;
    const Path place{&at, part.name, {}};
    if (const Json* value = find(from, part.name))
        read_value(*value, place, record.*part.field, fault, part.form, part.bounds);
    else if constexpr (presence == Presence::required && !is<F, std::optional>)
        fault.say(place, "missing");
}
template <class T, class... Parts>
void read_part(const Json& from, const Path& at, T& record, const Group<Parts...>& part, DecodeError& fault) {
    const Path place{&at, part.name, {}};
    const Json* inner = find(from, part.name);
    if (inner == nullptr) return fault.say(place, "missing");
    if (!inner->is_object()) return fault.say(place, "must be an object");
    std::apply([&](const auto&... each) { (read_part(*inner, place, record, each, fault), ...); }, part.parts);
}
template <class T, class Owner, class F>
void read_part(const Json& from, const Path& at, T& record, const FlattenedField<Owner, F>& part, DecodeError& fault) {
    if (find(from, part.key) != nullptr) read(from, at, (record.*part.field).emplace(), fault);
}
template <class T, class Get, class Set>
void read_part(const Json& from, const Path& at, T& record, const ComputedMember<Get, Set>& part, DecodeError& fault) {
    const Json* found = find(from, part.name);
    if (!fault.none() || found == nullptr) return;
    auto value = part.get(T{});
    read_value(*found, Path{&at, part.name, {}}, value, fault, Plain{}, part.bounds);
    if (fault.none()) part.set(record, std::move(value));
}
template <class T>
void read_part(const Json& from, const Path& at, const T&, const Constant& part, DecodeError& fault) {
    const Json* found = find(from, part.name);
    if (found == nullptr || *found != part.text)
        fault.say(Path{&at, part.name, {}}, std::string("must be \"") + part.text + '"');
}
/// The number of names that are present, and the index of the first of them.
[[nodiscard]] std::pair<std::size_t, std::size_t> find_among(const Json& object, const char* const* names,
                                                             std::size_t count);
[[nodiscard]] std::string exactly_one_of(const char* const* names, std::size_t count);
template <class F, std::size_t... i>
void read_alternative(const Json& from, const Path& at, F& value, std::size_t wanted, DecodeError& fault,
                      std::index_sequence<i...>) {
    ((i == wanted ? read_value(from, at, value.template emplace<i>(), fault, Plain{}, Bounds{}) : void()), ...);
}
template <class T, class Owner, class F, std::size_t n>
void read_part(const Json& from, const Path& at, T& record, const OneOf<Owner, F, n>& part, DecodeError& fault) {
    if (!fault.none()) return;
    const auto [found, first] = find_among(from, part.names.data(), n);
    if (found != 1) return fault.say(Path{&at, part.names[0], {}}, exactly_one_of(part.names.data(), n));
    const char* name = part.names[first];
    read_alternative(*find(from, name), Path{&at, name, {}}, record.*part.field, first, fault,
                     std::make_index_sequence<n>());
}
template <class T, class Owner, class F>
void read_part(const Json&, const Path&, const T&, const OmittedField<Owner, F>&, DecodeError&) {}
template <class T, class Holds>
void read_part(const Json&, const Path& at, const T& record, const Constraint<Holds>& part, DecodeError& fault) {
    if (fault.none() && !part.holds(record)) fault.say(Path{&at, part.member, {}}, part.why);
}

template <class T, class Owner, class F, class Form, Presence presence>
void check_part(const T& record, const Path& at, const Member<Owner, F, Form, presence>& part, DecodeError& fault) {
    const F& value = record.*part.field;
    if constexpr (is<F, std::optional>)
        if (!value) return;
    if constexpr (presence == Presence::unless_default)
        if (value == T{}.*part.field) return;
    if (fault.none()) check_value(value, Path{&at, part.name, {}}, fault, part.form, part.bounds);
}
template <class T, class... Parts>
void check_part(const T& record, const Path& at, const Group<Parts...>& part, DecodeError& fault) {
    const Path place{&at, part.name, {}};
    std::apply([&](const auto&... each) { (check_part(record, place, each, fault), ...); }, part.parts);
}
template <class T, class Owner, class F>
void check_part(const T& record, const Path& at, const FlattenedField<Owner, F>& part, DecodeError& fault) {
    if (const auto& value = record.*part.field) check(*value, at, fault);
}
template <class T, class Get, class Set>
void check_part(const T& record, const Path& at, const ComputedMember<Get, Set>& part, DecodeError& fault) {
    if (fault.none()) check_value(part.get(record), Path{&at, part.name, {}}, fault, Plain{}, part.bounds);
}
template <class T>
void check_part(const T&, const Path&, const Constant&, DecodeError&) {}
template <class T, class Owner, class F, std::size_t n>
void check_part(const T& record, const Path& at, const OneOf<Owner, F, n>& part, DecodeError& fault) {
    const F& value = record.*part.field;
    const Path place{&at, part.names[value.index()], {}};
    std::visit([&](const auto& held) { check_value(held, place, fault, Plain{}, Bounds{}); }, value);
}
template <class T, class Owner, class F>
void check_part(const T&, const Path&, const OmittedField<Owner, F>&, DecodeError&) {}
template <class T, class Holds>
void check_part(const T& record, const Path& at, const Constraint<Holds>& part, DecodeError& fault) {
    read_part(Json(), at, record, part, fault);
}

/// Number of fields that a part of a list covers; a computed member may cover any number.
template <class Part>
[[nodiscard]] constexpr std::size_t fields_of(const Part& part) {
    if constexpr (is<Part, Group>)
        return std::apply([](const auto&... each) { return (fields_of(each) + ... + 0); }, part.parts);
    else if constexpr (is<Part, ComputedMember>)
        return 1'000;
    else
        return requires {
            part.field;
        }
    ? 1 : 0;
}
template <class T>
[[nodiscard]] constexpr bool lists_all_fields() {
    constexpr std::size_t listed =
        std::apply([](const auto&... each) { return (fields_of(each) + ... + 0); }, members_of(Tag<T>{}));
    if constexpr (std::is_aggregate_v<T>)
        return listed >= boost::pfr::tuple_size_v<T>;
    else
        return true; // the fields cannot be counted
}

} // namespace detail

template <class T, class... Parts>
Json encode(const T& record, const std::tuple<Parts...>& parts) {
    Json object = Json::object();
    std::apply([&](const auto&... part) { (detail::write_part(record, part, object), ...); }, parts);
    return object;
}
template <class T>
Json encode(const T& record) {
    static_assert(detail::lists_all_fields<T>(), "members_of() misses a field of the record");
    return encode(record, members_of(Tag<T>{}));
}

template <class T>
void read(const Json& from, const Path& at, T& record, DecodeError& fault) {
    if (!from.is_object()) return fault.say(at, "must be an object");
    std::apply([&](const auto&... part) { (detail::read_part(from, at, record, part, fault), ...); },
               members_of(Tag<T>{}));
}

template <class T>
void check(const T& record, const Path& at, DecodeError& fault) {
    std::apply([&](const auto&... part) { (detail::check_part(record, at, part, fault), ...); }, members_of(Tag<T>{}));
}

} // namespace mediarig::codec
