// SPDX-License-Identifier: GPL-3.0-or-later
/// What people ask of a medium, and the plan that answers it. The plans are those of the commands.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/gui/models/attached.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::gui {

enum class Question : std::uint8_t { genuine, every_byte, how_fast, which_format };
inline constexpr std::array all_questions{Question::genuine, Question::every_byte, Question::how_fast,
                                          Question::which_format};

[[nodiscard]] bool erases(Question question);
/// "verify" and such: what the same is called on the command line.
[[nodiscard]] std::string_view command_of(Question question);

/// What answers "How fast is it?": the first, unless a person chooses another one.
inline constexpr std::array speed_suites{"quickbench", "crystal", "disktester"};

/// What the command would run, confirmed: to be run only after a person has confirmed it. Fails as the commands do.
/// `suite`: of speed_suites.
[[nodiscard]] Result<plan::Plan> plan_for(Question question, const Attached& attached,
                                          const char* suite = speed_suites.front());

/// The same of all slots that a rig has; `lot`: what all of them belong to, may be empty.
[[nodiscard]] Result<plan::Plan> tray_plan(Question question, const std::string& lot);

/// What `mediarig run --dry-run --json` says.
struct RunEstimate {
    std::chrono::seconds time{};
    Bytes written, read;
    std::string problem; ///< why it could not be tested now, one line; empty where it could
    struct Medium {
        std::string name, problem;
    };
    std::vector<Medium> media;
};
[[nodiscard]] Result<RunEstimate> run_estimate_from_json(std::string_view text);

} // namespace mediarig::gui
