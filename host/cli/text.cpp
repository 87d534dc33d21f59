// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/cli/columns.hpp"

namespace mediarig::cli {

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string result;
    for (const std::string_view part : parts) {
        if (part.empty()) continue;
        if (!result.empty()) result += ' ';
        result += part;
    }
    return result;
}

std::string readable_time(long long seconds) {
    const auto of = [](long long large, std::string_view its, long long small, std::string_view unit) {
        return small == 0 ? fmt::format("{} {}", large, its) : fmt::format("{} {} {} {}", large, its, small, unit);
    };
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return of(seconds / 60, "min", seconds % 60, "s");
    return of(seconds / 3600, "h", seconds / 60 % 60, "min");
}

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string line_of(std::string_view text) {
    return printable(text) + '\n';
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    const std::string whole = printable(text);
    std::string lines, line;
    std::string_view rest = whole;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) {
            lines += std::string(indent, ' ') + std::exchange(line, {}) + '\n';
        }
        line += line.empty() ? "" : " ";
        line += word;
    }
    return lines + std::string(indent, ' ') + line + '\n';
}

} // namespace mediarig::cli
