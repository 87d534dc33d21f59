// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/base/text.hpp"

namespace mediarig::codec {

namespace {

std::string written_out(const nlohmann::json& value, int indent) {
    return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_nested_too_deeply(std::string_view text) {
    int level = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\')
            ++i;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{') && ++level > deepest_nesting)
            return true;
        else if (!in_string && (c == ']' || c == '}'))
            --level;
    }
    return false;
}

} // namespace

nlohmann::json read_json(std::string_view text) {
    if (is_nested_too_deeply(text)) return nlohmann::json(nlohmann::json::value_t::discarded);
    return nlohmann::json::parse(text, nullptr, false);
}

std::string json_line(const nlohmann::json& value) {
    return written_out(value, -1);
}

std::string json_text(const nlohmann::json& value, int indent) {
    const std::string written = written_out(value, indent);
    std::string text;
    text.reserve(written.size());
    // Outside of strings the only control characters are line ends; those within strings are escaped already.
    for (std::string_view rest = written; !rest.empty();) {
        const CodePoint point = first_code_point(rest);
        if (point.value != U'\n' && is_control(point.value))
            text += fmt::format("\\u{:04x}", static_cast<unsigned>(point.value));
        else
            text += rest.substr(0, point.length);
        rest.remove_prefix(point.length);
    }
    return text;
}

namespace {

std::string joined(const Path& path) {
    std::string text = path.parent == nullptr ? std::string() : joined(*path.parent);
    if (path.index) return text + fmt::format("[{}]", *path.index);
    if (!text.empty() && !path.name.empty()) text += '.';
    return text += path.name;
}

} // namespace

std::string Path::text() const {
    std::string whole = joined(*this);
    return whole.empty() ? "message" : whole;
}

void DecodeError::say(const Path& at, std::string_view why) {
    if (none()) detail_ = fmt::format("{}: {}", at.text(), why);
}

} // namespace mediarig::codec
