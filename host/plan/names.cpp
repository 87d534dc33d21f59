// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/names.hpp"

#include "host/plan/format_name.hpp"

#include <fmt/format.h>

#include <map>

namespace mediarig::plan {

std::string_view name_of(Where where) {
    return where == Where::raw ? "raw" : "file_system";
}

std::string_view name_of(OrderKind kind) {
    switch (kind) {
        case OrderKind::listed:
            return "listed";
        case OrderKind::reversed:
            return "reversed";
        case OrderKind::random_pairs:
            return "random_pairs";
        case OrderKind::counterbalanced:
            return "counterbalanced";
    }
    return "";
}

std::string_view name_of(OnFailure on_failure) {
    switch (on_failure) {
        case OnFailure::next_step:
            return "next_step";
        case OnFailure::next_medium:
            return "next_medium";
        case OnFailure::stop:
            return "stop";
    }
    return "";
}

std::string name_of(const FormatEntry& format) {
    if (!format.name.empty()) return format.name;
    if (format.keep) return std::string(kept_name);
    if (!format.profile) return std::string(media::name_of(format.spec.fs));
    if (!format.wanted) return std::string(media::name_of(*format.profile));
    return fmt::format("{}-{}", media::name_of(*format.profile), media::name_of(*format.wanted));
}

std::vector<std::string> format_names(const Plan& plan) {
    std::vector<std::string> names;
    std::map<std::string, std::size_t> seen;
    for (const FormatEntry& format : plan.formats) names.push_back(numbered(name_of(format), seen[name_of(format)]++));
    return names;
}

std::string numbered(std::string_view name, std::size_t before) {
    return before == 0 ? std::string(name) : fmt::format("{}-{}", name, before + 1);
}

} // namespace mediarig::plan
