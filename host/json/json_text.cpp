// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/json/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/text.hpp"

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
    // Outside of strings there are no controls but line ends, and those within strings are escaped already.
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

} // namespace mediarig::codec
