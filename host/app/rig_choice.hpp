// SPDX-License-Identifier: GPL-3.0-or-later
/// Which rig moves the media of a campaign.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "host/result.hpp"

namespace mediarig::app {

enum class RigKind : std::uint8_t {
    detected,       ///< the only board that is plugged in
    simulated,      ///< of a campaign with the plan's lab
    simulated_bank, ///< the same without a carriage, its cards in its readers
    manual,         ///< a person
    file,           ///< a rig file (*.json)
    line,           ///< of a board
    none,           ///< an empty name
};
/// What the first ones are called, in their order.
inline constexpr std::array<std::string_view, 4> rig_words{"auto", "sim", "sim-bank", "manual"};
/// Those of rigs that somebody can drive by hand.
inline constexpr std::span<const std::string_view> rig_words_by_hand{rig_words.data(), 2};
[[nodiscard]] constexpr std::string_view word_of(RigKind kind) {
    return rig_words[static_cast<std::size_t>(kind)];
}
[[nodiscard]] RigKind rig_kind_of(const std::string& how);

struct RigChoice {
    std::string how;              ///< a word, a line or a file
    std::filesystem::path script; ///< faults and events of the simulated rig, one sentence a line

    [[nodiscard]] RigKind kind() const { return rig_kind_of(how); }
    [[nodiscard]] bool simulated() const { return kind() == RigKind::simulated || simulated_bank(); }
    [[nodiscard]] bool simulated_bank() const { return kind() == RigKind::simulated_bank; }
    [[nodiscard]] bool manual() const { return kind() == RigKind::manual; }
    /// Also of the simulated rig, which has one.
    [[nodiscard]] bool board() const { return !how.empty() && !manual(); }
};

/// Fails with bad_request where no such line is here and the word is a slip for one of those `known`: "simm".
[[nodiscard]] Result<void> check_line(const std::string& line, std::span<const std::string_view> known);

} // namespace mediarig::app
