// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/text.hpp"

#include <fmt/format.h>

#include <istream>
#include <utility>

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

std::optional<std::string> typed_line(std::istream& in) {
    constexpr std::size_t longest = 4095;
    std::string line;
    for (char letter{}; in.get(letter);) {
        if (letter == '\n') return line;
        if (line.size() == longest) return std::nullopt;
        line += letter;
    }
    return line.empty() ? std::nullopt : std::optional(std::move(line));
}

std::optional<std::string> rest_of(std::istream& in, std::size_t most) {
    std::string text(most + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text.size() > most ? std::nullopt : std::optional(std::move(text));
}

} // namespace mediarig::cli
