// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/strict_json/amounts.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "host/strict_json/faults.hpp"

namespace mediarig::strict_json {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t bytes;
};

constexpr std::array binary_units{
    Unit{"", 1},
    Unit{"B", 1},
    Unit{"KiB", std::uint64_t{1} << 10},
    Unit{"MiB", std::uint64_t{1} << 20},
    Unit{"GiB", std::uint64_t{1} << 30},
    Unit{"TiB", std::uint64_t{1} << 40},
};

/// The binary unit somebody may have meant by `word` ("MB", "M", "mib"); empty if none.
std::string_view meant_by(std::string_view word) {
    if (word.empty() || word.size() > 3) return {};
    const char first =
        word.front() >= 'a' && word.front() <= 'z' ? static_cast<char>(word.front() - 'a' + 'A') : word.front();
    if (word.size() > 1 && std::string_view("iIbB").find(word[1]) == std::string_view::npos) return {};
    for (const Unit& unit : binary_units)
        if (unit.name.size() == 3 && unit.name.front() == first) return unit.name;
    return {};
}

bool is_decimal(std::string_view unit) {
    return unit == "kB" || unit == "KB" || unit == "MB" || unit == "GB" || unit == "TB";
}

} // namespace

tl::expected<Bytes, std::string> parse_size(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return tl::unexpected(fmt::format("\"{}\" {}", excerpt(text), why));
    };
    constexpr std::string_view form = "is not a size; say bytes (4096), or a whole number with KiB, MiB, GiB or TiB";

    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range) return refuse("is too large; a size is at most 1 PiB");
    if (error != std::errc{}) return refuse(form);
    std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    if (unit.starts_with(' ')) {
        unit.remove_prefix(1);
        if (unit.empty()) return refuse(form);
    }
    if (number == 0 || text.front() == '0')
        return refuse("is not a size; it must be larger than 0, without leading zeros");

    for (const Unit& known : binary_units) {
        if (unit != known.name) continue;
        if (number > largest_size.count / known.bytes) return refuse("is too large; a size is at most 1 PiB");
        return Bytes{number * known.bytes};
    }
    if (const std::string_view meant = meant_by(unit); !meant.empty()) {
        const std::string_view why =
            is_decimal(unit) ? "leaves open whether 1000 or 1024 is meant" : "has an unknown unit";
        return refuse(fmt::format("{}; sizes are binary: say \"{}{}\"", why, number, meant));
    }
    return refuse(form);
}

} // namespace mediarig::strict_json
