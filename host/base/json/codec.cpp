// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"

#include <fmt/format.h>

#include <bit>

namespace mediarig::codec::detail {
namespace {

std::string range(Bounds bounds) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(bounds.most));
    const bool all_bits = bits >= 16 && bounds.most == std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
    return fmt::format("must be a whole number from {} to {}", bounds.least,
                       all_bits ? fmt::format("2^{}-1", bits) : std::to_string(bounds.most));
}

} // namespace

const Json* find(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::pair<std::size_t, std::size_t> find_among(const Json& object, const char* const* names, std::size_t count) {
    std::size_t found = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (find(object, names[i]) != nullptr && found++ == 0) first = i;
    return {found, first};
}

std::string exactly_one_of(const char* const* names, std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
        list += (i == 0 ? "" : i + 1 == count ? " and " : ", ") + std::string(names[i]);
    return "exactly one of " + list + " is needed";
}

void read_flag(const Json& from, const Path& at, bool& value, DecodeError& fault) {
    if (!from.is_boolean()) return fault.say(at, "must be true or false");
    value = from.get<bool>();
}

void read_text(const Json& from, const Path& at, std::string& value, DecodeError& fault) {
    if (!from.is_string()) return fault.say(at, "must be a string");
    value = from.get_ref<const std::string&>();
}

void read_real(const Json& from, const Path& at, double& value, DecodeError& fault) {
    // JSON has no NaN: the library writes NaN as null.
    if (!from.is_number() && !from.is_null()) return fault.say(at, "must be a number");
    value = from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
}

void read_integer(const Json& from, const Path& at, std::int64_t& value, DecodeError& fault) {
    const bool too_large =
        from.is_number_unsigned() &&
        from.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!from.is_number_integer() || too_large) return fault.say(at, "must be a whole number below 2^63");
    value = from.get<std::int64_t>();
}

void check_count(std::uint64_t value, const Path& at, DecodeError& fault, Bounds bounds) {
    if (value < bounds.least || value > bounds.most) fault.say(at, range(bounds));
}

void read_count(const Json& from, const Path& at, std::uint64_t& value, DecodeError& fault, Bounds bounds) {
    // The library also uses the signed type for an integer that was created in code from an int.
    const bool natural = from.is_number_unsigned() || (from.is_number_integer() && from.get<std::int64_t>() >= 0);
    if (!natural) return fault.say(at, range(bounds));
    value = from.get<std::uint64_t>();
    check_count(value, at, fault, bounds);
}

void check_size(std::size_t size, const Path& at, DecodeError& fault, Bounds bounds, const char* of_what) {
    if (size < bounds.least) fault.say(at, fmt::format("must have at least {} {}", bounds.least, of_what));
    if (size > bounds.most) fault.say(at, fmt::format("must have at most {} {}", bounds.most, of_what));
}

} // namespace mediarig::codec::detail
