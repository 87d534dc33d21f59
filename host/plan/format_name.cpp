// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/format_name.hpp"

#include <fmt/format.h>

#include "host/media/format_spec.hpp"

namespace mediarig::plan {

Ground ground_called(std::string_view name) {
    if (name == kept_name) return Ground::kept;
    if (name == raw_name) return Ground::raw;
    return name == directory_name ? Ground::directory : Ground::format;
}

std::string title_of_format(std::string_view name) {
    if (name == kept_name) return "present volume";
    if (const auto fs = media::file_system_from(name)) return std::string(media::title_of(*fs));
    // As numbered() makes them.
    const std::size_t dash = name.rfind('-');
    const std::string_view number = dash == name.npos ? std::string_view() : name.substr(dash + 1);
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
    const auto fs = media::file_system_from(is_number ? name.substr(0, dash) : "");
    return fs ? fmt::format("{}{}", media::title_of(*fs), name.substr(dash)) : std::string(name);
}

std::string place_of_format(std::string_view name) {
    switch (ground_called(name)) {
        case Ground::kept:
            return "on the present volume";
        case Ground::raw:
            return "on the bare device";
        case Ground::directory:
            return "in the directory";
        case Ground::format:
            break;
    }
    return "under " + title_of_format(name);
}

} // namespace mediarig::plan
