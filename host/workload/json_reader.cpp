// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/json_reader.hpp"

#include <utility>

namespace mediarig::workload::detail {

ObjectReader::ObjectReader(const nlohmann::json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json_.is_object()) fault_ = Error{Errc::bad_format, (path_.empty() ? "message" : path_) + ": not an object"};
}

const nlohmann::json* ObjectReader::find(const char* member) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(member);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool ObjectReader::has(const char* member) const {
    return find(member) != nullptr;
}

std::string ObjectReader::path_of(std::string_view member) const {
    return path_.empty() ? std::string(member) : path_ + "." + std::string(member);
}

void ObjectReader::refuse(std::string_view member, std::string_view why) {
    if (!fault_) fault_ = Error{Errc::bad_format, path_of(member) + ": " + std::string(why)};
}

void ObjectReader::refuse(const Error& fault_of_part) {
    if (!fault_) fault_ = fault_of_part;
}

std::optional<std::uint64_t> ObjectReader::maybe_number(const char* member) {
    const auto* value = find(member);
    if (!value) return std::nullopt;
    if (!value->is_number_unsigned() && !(value->is_number_integer() && value->get<std::int64_t>() >= 0)) {
        refuse(member, "not a whole number from 0");
        return std::nullopt;
    }
    return value->get<std::uint64_t>();
}

std::uint64_t ObjectReader::number_or(const char* member, std::uint64_t fallback, std::uint64_t most) {
    const std::uint64_t value = maybe_number(member).value_or(fallback);
    if (value > most) {
        refuse(member, "more than " + std::to_string(most));
        return fallback;
    }
    return value;
}

std::uint64_t ObjectReader::number(const char* member, std::uint64_t most) {
    if (!has(member)) refuse(member, "missing");
    return number_or(member, 0, most);
}

std::int64_t ObjectReader::nanoseconds(const char* member) {
    return static_cast<std::int64_t>(
        number(member, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
}

bool ObjectReader::flag_or(const char* member, bool fallback) {
    const auto* value = find(member);
    if (!value) return fallback;
    if (!value->is_boolean()) {
        refuse(member, "neither true nor false");
        return fallback;
    }
    return value->get<bool>();
}

std::string ObjectReader::text_or(const char* member, std::string fallback, std::size_t longest) {
    const auto* value = find(member);
    if (!value) return fallback;
    if (!value->is_string()) {
        refuse(member, "not a text");
        return fallback;
    }
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() > longest) {
        refuse(member, "longer than " + std::to_string(longest) + " bytes");
        return fallback;
    }
    return text;
}

std::string ObjectReader::text(const char* member, std::size_t longest) {
    if (!has(member)) refuse(member, "missing");
    return text_or(member, {}, longest);
}

const nlohmann::json* ObjectReader::list(const char* member, std::size_t longest) {
    const auto* value = find(member);
    if (!value) return nullptr;
    if (!value->is_array()) {
        refuse(member, "not a list");
        return nullptr;
    }
    if (value->size() > longest) {
        refuse(member, "more than " + std::to_string(longest) + " elements");
        return nullptr;
    }
    return value;
}

const nlohmann::json* ObjectReader::object(const char* member) {
    const auto* value = find(member);
    if (value && !value->is_object()) {
        refuse(member, "not an object");
        return nullptr;
    }
    return value;
}

} // namespace mediarig::workload::detail
