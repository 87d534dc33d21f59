// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text.hpp"

namespace mediarig::report {

std::string html_escaped(std::string_view text) {
    std::string result;
    for (const char c : printable(text)) switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    return result;
}

} // namespace mediarig::report
