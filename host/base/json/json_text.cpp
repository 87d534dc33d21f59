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

} // namespace

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

void Fault::say(const Path& at, std::string_view why) {
    if (none()) detail_ = fmt::format("{}: {}", at.text(), why);
}

} // namespace mediarig::codec
