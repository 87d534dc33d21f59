// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/step_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace mediarig::plan {
namespace {

static_assert(std::ranges::all_of(step_traits, [](const StepTraits& each) { return &traits_of(each.kind) == &each; }));

/// Reads a number after a letter, e.g. 12 for "m12" and the letter 'm'.
template <class Number>
bool read_number(std::string_view part, char letter, Number& out) {
    if (part.size() < 2 || part.front() != letter) return false;
    const auto [end, error] = std::from_chars(part.data() + 1, part.data() + part.size(), out);
    return error == std::errc{} && end == part.data() + part.size();
}

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t dot = std::min(text.find('.', from), text.size());
        parts.push_back(text.substr(from, dot - from));
        from = dot + 1;
    }
    return parts;
}

} // namespace

std::string StepKey::text() const {
    std::string text = fmt::format("m{}", medium);
    if (repeat > 0) text += fmt::format(".r{}", repeat);
    for (const std::string* part : {&format, &entry, &what})
        if (!part->empty()) text += "." + *part;
    return text;
}

std::optional<StepKey> StepKey::parse(std::string_view text) {
    std::vector<std::string_view> parts = parts_of(text);
    StepKey key;
    if (!read_number(parts.front(), 'm', key.medium)) return std::nullopt;
    if (parts.back() == conclusion || from_name<StepKind>(parts.back())) {
        key.what = parts.back();
        parts.pop_back();
    }
    if (parts.size() > 1 && !read_number(parts[1], 'r', key.repeat)) return std::nullopt;
    if (parts.size() > 2) key.format = parts[2];
    if (parts.size() > 3) key.entry = parts[3];
    return key.text() == text ? std::optional(key) : std::nullopt;
}

std::string entry_of(std::string_view pass) {
    const auto key = StepKey::parse(pass);
    return key ? key->entry : std::string();
}

} // namespace mediarig::plan
