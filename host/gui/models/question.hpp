// SPDX-License-Identifier: GPL-3.0-or-later
/// The questions about a medium, and the plans that answer them. The plans equal those of the commands.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/gui/models/attached_medium.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::gui {

enum class Question : std::uint8_t { genuine, every_byte, how_fast, which_format };
inline constexpr std::array all_questions{Question::genuine, Question::every_byte, Question::how_fast,
                                          Question::which_format};

[[nodiscard]] bool erases(Question question);
/// Name of the equivalent command, such as "verify".
[[nodiscard]] std::string_view command_of(Question question);

/// Suites for "How fast is it?": the first is the default.
inline constexpr std::array speed_suites{"quickbench", "crystal", "disktester"};

/// Returns the plan of the equivalent command. The plan already contains the confirmation: run it only after the user
/// has confirmed. Fails like the commands. `suite`: one of speed_suites.
[[nodiscard]] Result<plan::Plan> plan_for(Question question, const AttachedMedium& attached,
                                          const char* suite = speed_suites.front());

/// Like plan_for(), for all slots of a rig; `lot`: common lot of all media, may be empty.
[[nodiscard]] Result<plan::Plan> tray_plan(Question question, const std::string& lot);

/// Parsed output of `mediarig run --dry-run --json`.
struct RunEstimate {
    std::chrono::seconds time{};
    Bytes written, read;
    std::string problem; ///< reason why the medium cannot be tested now, one line; empty if it can be tested
    struct Medium {
        std::string name, problem;
    };
    std::vector<Medium> media;
};
[[nodiscard]] Result<RunEstimate> run_estimate_from_json(std::string_view text);

} // namespace mediarig::gui
