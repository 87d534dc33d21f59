// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/step_text.hpp"

#include "host/plan/format_name.hpp"

#include <fmt/format.h>

namespace mediarig::plan {
namespace {

std::string text_of(const StepKey& key) {
    const bool is_run = !key.entry.empty();
    const Ground ground = ground_called(key.format);
    const std::string format = ground == Ground::kept ? "the " + title_of_format(key.format) : key.format;
    std::string text = is_run ? key.entry : key.what;
    if (is_run)
        text += ground == Ground::raw ? " " : ground == Ground::directory ? " in a " : " on ";
    else if (!text.empty() && !format.empty())
        text += " ";
    text += format;
    if (key.repeat > 1) text += fmt::format(", repeat {}", key.repeat);
    return text;
}

} // namespace

std::string text_of(const Step& step) {
    return text_of(StepKey{.repeat = step.repeat,
                           .format = step.format_name,
                           .entry = step.entry,
                           .what = std::string(name_of(step.kind))});
}

std::string text_of_key(std::string_view key) {
    const auto parsed = StepKey::parse(key);
    return parsed ? text_of(*parsed) : std::string(key);
}

std::string untested_text(const measure::Untested& untested) {
    return text_of_key(untested.key) + ": " + untested.why;
}

} // namespace mediarig::plan
