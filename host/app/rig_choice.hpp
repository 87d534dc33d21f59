// SPDX-License-Identifier: GPL-3.0-or-later
/// Which rig moves the media of a campaign.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "host/result.hpp"

namespace mediarig::app {

struct RigChoice {
    /// "": none; "sim": the simulated one, with the plan's lab; "sim-bank": the same without a carriage, its cards in
    /// its readers; "manual": a person; else a rig file (*.json), the line
    /// of a board, or "auto" for the only board that is plugged in.
    std::string how;
    std::filesystem::path script; ///< faults and events of the simulated rig, one sentence a line

    [[nodiscard]] bool simulated() const { return how == "sim" || simulated_bank(); }
    [[nodiscard]] bool simulated_bank() const { return how == "sim-bank"; }
    [[nodiscard]] bool manual() const { return how == "manual"; }
    /// Also of the simulated rig, which has one.
    [[nodiscard]] bool board() const { return !how.empty() && !manual(); }
};

/// Fails with bad_request where no such line is here and the word is a slip for one of those `known`: "simm".
[[nodiscard]] Result<void> check_line(const std::string& line, std::span<const std::string_view> known);

} // namespace mediarig::app
