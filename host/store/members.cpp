// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/members.hpp"

#include <fmt/format.h>

#include <limits>

namespace mediarig::store {
namespace {

std::optional<std::int64_t> integer_of(const nlohmann::json& json) {
    if (json.is_number_unsigned()) {
        const auto value = json.get<std::uint64_t>();
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
        return static_cast<std::int64_t>(value);
    }
    if (json.is_number_integer()) return json.get<std::int64_t>();
    return std::nullopt;
}

TimePoint time_at(std::int64_t nanoseconds) {
    return TimePoint(std::chrono::nanoseconds(nanoseconds));
}

} // namespace

Members::Members(std::string_view record, const nlohmann::json& object) : record_(record), object_(object) {
    if (!object.is_object()) problem_ = fmt::format("{}: not a JSON object", record);
}

const nlohmann::json* Members::find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
}

void Members::wrong(const char* name, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: member '{}' is {}", record_, name, what);
}

void Members::text(const char* name, std::string& out) {
    const nlohmann::json* member = find(name);
    if (member == nullptr || !member->is_string()) return wrong(name, "missing or no text");
    out = member->get_ref<const std::string&>();
}

void Members::texts(const char* name, std::vector<std::string>& out) {
    const nlohmann::json* list = find(name);
    if (list == nullptr || !list->is_array()) return wrong(name, "missing or no list");
    for (const nlohmann::json& element : *list) {
        if (!element.is_string()) return wrong(name, "no list of texts");
        out.push_back(element.get_ref<const std::string&>());
    }
}

void Members::count(const char* name, std::uint32_t& out) {
    const nlohmann::json* member = find(name);
    const auto value = member == nullptr ? std::nullopt : integer_of(*member);
    if (!value || *value < 0 || *value > std::numeric_limits<std::uint32_t>::max())
        return wrong(name, "missing or no count below 2^32");
    out = static_cast<std::uint32_t>(*value);
}

void Members::number(const char* name, double& out) {
    const nlohmann::json* member = find(name);
    if (member == nullptr || !member->is_number()) return wrong(name, "missing or no number");
    out = member->get<double>();
}

void Members::number(const char* name, std::optional<double>& out) {
    out.reset();
    const nlohmann::json* member = find(name);
    if (member == nullptr || member->is_null()) return;
    if (!member->is_number()) return wrong(name, "no number");
    out = member->get<double>();
}

void Members::numbers(const char* name, std::vector<double>& out) {
    const nlohmann::json* list = find(name);
    if (list == nullptr || !list->is_array()) return wrong(name, "missing or no list");
    for (const nlohmann::json& element : *list) {
        if (!element.is_number() && !element.is_null()) return wrong(name, "no list of numbers");
        out.push_back(element.is_null() ? std::numeric_limits<double>::quiet_NaN() : element.get<double>());
    }
}

void Members::time(const char* name, TimePoint& out) {
    const nlohmann::json* member = find(name);
    const auto value = member == nullptr ? std::nullopt : integer_of(*member);
    if (!value) return wrong(name, "missing or no time in nanoseconds");
    out = time_at(*value);
}

void Members::time(const char* name, std::optional<TimePoint>& out) {
    out.reset();
    const nlohmann::json* member = find(name);
    if (member == nullptr || member->is_null()) return;
    const auto value = integer_of(*member);
    if (!value) return wrong(name, "no time in nanoseconds");
    out = time_at(*value);
}

} // namespace mediarig::store
