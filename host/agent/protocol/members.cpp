// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/members.hpp"

#include <limits>

namespace mediarig::agent {

using nlohmann::json;

Result<const json*> member(const json& object, const std::string& name) {
    if (!object.is_object()) return fail(Errc::bad_format, name + ": missing, its parent is no object");
    const auto found = object.find(name);
    if (found == object.end()) return fail(Errc::bad_format, name + ": missing");
    return &*found;
}

Result<std::string> text_member(const json& object, const std::string& name) {
    const auto value = member(object, name);
    if (!value) return fail(value.error());
    if (!(*value)->is_string()) return fail(Errc::bad_format, name + ": must be a text");
    return (*value)->get<std::string>();
}

Result<std::uint64_t> count_member(const json& object, const std::string& name) {
    const auto value = member(object, name);
    if (!value) return fail(value.error());
    // The library also calls an integer "signed" that was made in code from a plain int.
    const bool natural =
        (*value)->is_number_unsigned() || ((*value)->is_number_integer() && (*value)->get<std::int64_t>() >= 0);
    if (!natural) return fail(Errc::bad_format, name + ": must be a whole number from 0 to 2^64-1");
    return (*value)->get<std::uint64_t>();
}

Result<std::uint32_t> count32_member(const json& object, const std::string& name) {
    const auto value = count_member(object, name);
    if (!value) return fail(value.error());
    if (*value > std::numeric_limits<std::uint32_t>::max())
        return fail(Errc::bad_format, name + ": must be below 2^32");
    return static_cast<std::uint32_t>(*value);
}

Result<bool> flag_member(const json& object, const std::string& name) {
    const auto value = member(object, name);
    if (!value) return fail(value.error());
    if (!(*value)->is_boolean()) return fail(Errc::bad_format, name + ": must be true or false");
    return (*value)->get<bool>();
}

Result<std::vector<std::string>> texts_member(const json& object, const std::string& name) {
    const auto value = member(object, name);
    if (!value) return fail(value.error());
    const std::string wanted = name + ": must be a list of texts";
    if (!(*value)->is_array()) return fail(Errc::bad_format, wanted);
    std::vector<std::string> texts;
    for (const json& entry : **value) {
        if (!entry.is_string()) return fail(Errc::bad_format, wanted);
        texts.push_back(entry.get<std::string>());
    }
    return texts;
}

} // namespace mediarig::agent
