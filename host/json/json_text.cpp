// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/json/json_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/text.hpp"

namespace mediarig::codec {

std::string json_text(const nlohmann::json& value, int indent) {
    const std::string written = value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
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
