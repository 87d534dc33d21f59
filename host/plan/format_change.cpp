// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/format_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/base/text.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::plan {
namespace {

using nlohmann::json;

std::string value_text(const json& value) {
    if (value.is_number_unsigned() || value.is_number_integer())
        return binary_size_text(Bytes{value.get<std::uint64_t>()});
    return value.is_string() ? value.get<std::string>() : codec::json_line(value);
}

void add_words(const std::string& name, const json& value, std::string& text) {
    if (value.is_object()) {
        for (const auto& [inner, deeper] : value.items())
            add_words(name.empty() ? inner : name + " " + inner, deeper, text);
        return;
    }
    std::string words;
    if (name == "fs") {
        const auto fs = media::file_system_from(value_text(value));
        words = fs ? std::string(media::title_of(*fs)) : value_text(value);
    } else {
        const bool counts = name.ends_with("_sectors");
        words = value.is_null() ? "no " + name : name + " " + (counts ? codec::json_line(value) : value_text(value));
    }
    std::replace(words.begin(), words.end(), '_', ' ');
    text += (text.empty() ? "" : ", ") + words;
}

} // namespace

json change_between(const json& from, const json& to) {
    json change = json::object();
    for (const auto& [name, value] : to.items()) {
        const auto before = from.find(name);
        if (before == from.end())
            change[name] = value;
        else if (before->is_object() && value.is_object())
            change[name] = change_between(*before, value);
        else if (*before != value)
            change[name] = value;
        if (change.contains(name) && change[name].is_object() && change[name].empty()) change.erase(name);
    }
    for (const auto& [name, value] : from.items())
        if (!to.contains(name)) change[name] = nullptr;
    return change;
}

std::string text_of(const json& change) {
    std::string text;
    add_words("", change, text);
    return text;
}

} // namespace mediarig::plan
