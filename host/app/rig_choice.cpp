// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/rig_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/strict_json/suggest.hpp"

namespace mediarig::app {

RigKind rig_kind_of(const std::string& how) {
    if (how.empty()) return RigKind::none;
    if (const auto word = std::ranges::find(rig_words, how); word != rig_words.end())
        return static_cast<RigKind>(word - rig_words.begin());
    return std::filesystem::path(how).extension() == ".json" ? RigKind::file : RigKind::line;
}

Result<void> check_line(const std::string& line, std::span<const std::string_view> known) {
    std::error_code unknown;
    const std::string_view near = strict_json::nearest(line, known);
    if (near.empty() || std::filesystem::exists(line, unknown)) return {};
    return fail(Errc::bad_request, fmt::format("there is no rig '{}'; did you mean '{}'?", line, near));
}

} // namespace mediarig::app
