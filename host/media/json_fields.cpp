// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/json_fields.hpp"

namespace mediarig::media::detail {
namespace {

/// More entries than anything of ours ever has are somebody's mischief.
constexpr std::size_t longest_list = 4096;

} // namespace

using nlohmann::json;

JsonFields::JsonFields(const json& object, std::string place) : json_(object), place_(std::move(place)) {
    if (!json_.is_object()) fault_ = Error{Errc::bad_format, place_ + ": not an object"};
}

const json* JsonFields::find(const char* name) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::refuse(const std::string& name, const std::string& why) {
    if (!fault_) fault_ = Error{Errc::bad_format, place_ + "." + name + ": " + why};
}

std::string JsonFields::text(const char* name) {
    if (find(name) == nullptr) refuse(name, "missing");
    return text_or_empty(name);
}

std::string JsonFields::text_or_empty(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) {
        refuse(name, "not a string");
        return {};
    }
    return value->get<std::string>();
}

std::uint64_t JsonFields::number(const char* name) {
    const auto value = maybe_number(name);
    if (!value) refuse(name, "missing");
    return value.value_or(0);
}

std::optional<std::uint64_t> JsonFields::maybe_number(const char* name) {
    const json* value = find(name);
    if (value == nullptr) return std::nullopt;
    // A parsed 5 is unsigned, a literal 5 in our own code is signed; both are plain counts.
    if (!value->is_number_integer() || (!value->is_number_unsigned() && value->get<std::int64_t>() < 0)) {
        refuse(name, "not a whole number of 0 or more");
        return std::nullopt;
    }
    return value->get<std::uint64_t>();
}

bool JsonFields::flag(const char* name) {
    const json* value = find(name);
    if (value == nullptr || !value->is_boolean()) {
        refuse(name, value == nullptr ? "missing" : "not true or false");
        return false;
    }
    return value->get<bool>();
}

const json& JsonFields::list(const char* name) {
    static const json empty = json::array();
    const json* value = find(name);
    if (value == nullptr) return empty;
    if (!value->is_array() || value->size() > longest_list) {
        refuse(name, "not a list of at most 4096 entries");
        return empty;
    }
    return *value;
}

std::vector<std::string> JsonFields::texts(const char* name) {
    std::vector<std::string> texts;
    for (const json& entry : list(name)) {
        if (!entry.is_string()) {
            refuse(name, "not a list of strings");
            return {};
        }
        texts.push_back(entry.get<std::string>());
    }
    return texts;
}

std::vector<std::pair<std::string, std::string>> JsonFields::parameters(const char* name) {
    std::vector<std::pair<std::string, std::string>> parameters;
    for (const json& entry : list(name)) {
        JsonFields fields(entry, place_ + "." + name);
        std::string key = fields.text("name");
        std::string value = fields.text("value");
        if (fields.fault() && !fault_) fault_ = fields.fault();
        parameters.emplace_back(std::move(key), std::move(value));
    }
    return parameters;
}

json parameters_json(const std::vector<std::pair<std::string, std::string>>& parameters) {
    json list = json::array();
    for (const auto& [name, value] : parameters) list.push_back({{"name", name}, {"value", value}});
    return list;
}

} // namespace mediarig::media::detail
