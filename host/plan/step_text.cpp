// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace mediarig::plan {
namespace {

std::string format_words(std::string_view format) {
    return format == "keep" ? "the present volume" : std::string(format);
}

std::string described(std::string_view what, bool is_run, std::string_view format, std::uint32_t repeat) {
    std::string text(what);
    if (is_run)
        text += format == "raw" ? " " : format == "directory" ? " in a " : " on ";
    else if (!format.empty())
        text += " ";
    text += format_words(format);
    if (repeat > 1) text += fmt::format(", repeat {}", repeat);
    return text;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What stands before the first dot, taken off `rest`.
std::string_view first_part(std::string_view& rest) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
}

/// What stands behind the last dot, taken off `rest`.
std::string_view last_part(std::string_view& rest) {
    const auto dot = rest.rfind('.');
    const std::string_view part = dot == std::string_view::npos ? rest : rest.substr(dot + 1);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
    return part;
}

} // namespace

std::string text_of(const Step& step) {
    // The pass names the entry ("quickbench-2"), the request only the suite.
    const bool is_run = step.kind == StepKind::run;
    const std::string what = is_run ? step.pass.substr(step.pass.rfind('.') + 1) : std::string(name_of(step.kind));
    return described(what, is_run, step.format_name, step.repeat);
}

std::string text_of_key(std::string_view key) {
    std::string_view rest = key;
    const std::string_view medium = first_part(rest);
    if (!medium.starts_with('m') || !is_number(medium.substr(1)) || rest.empty()) return std::string(key);
    const std::string_view second = rest.substr(0, rest.find('.'));
    if (!second.starts_with('r') || !is_number(second.substr(1))) return std::string(rest);
    (void)first_part(rest);
    std::uint32_t repeat = 1;
    std::from_chars(second.data() + 1, second.data() + second.size(), repeat);
    std::string_view what = last_part(rest);
    constexpr std::array of_format{StepKind::discard, StepKind::rest,  StepKind::format,
                                   StepKind::mount,   StepKind::check, StepKind::unmount};
    const bool is_run = std::ranges::none_of(of_format, [&](StepKind kind) { return name_of(kind) == what; });
    if (what == name_of(StepKind::run)) what = last_part(rest);
    return described(what, is_run, rest, repeat);
}

std::string untested_text(std::string_view line) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) return std::string(line);
    return text_of_key(line.substr(0, colon)) + std::string(line.substr(colon));
}

} // namespace mediarig::plan
