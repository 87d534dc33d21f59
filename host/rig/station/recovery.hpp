// SPDX-License-Identifier: GPL-3.0-or-later
/// What to do with a rig that was left in the middle of something: by the host's ledger, and by what the board says
/// now. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/rig/port/rig_log.hpp"

namespace mediarig::rig {

/// What the board says when it is greeted.
struct BoardReport {
    bool cold_start{}; ///< it lost its power: no job of before goes on
    rigproto::StatusReply status;
    bool operator==(const BoardReport&) const = default;
};

/// A card that is in a reader and that nobody of this run put there.
struct FoundCard {
    Port port;
    std::optional<Pocket> pocket; ///< where it came from, by the ledger; nothing: nobody knows
    bool operator==(const FoundCard&) const = default;
};

struct Recovery {
    std::optional<std::string> person; ///< why somebody has to look first, and at what; then nothing else is to be done
    bool clear{};                      ///< what is latched: its cause is gone
    bool home{};
    std::vector<FoundCard> cards; ///< to be used, put home, or, of unknown origin, into the bin "unknown"
    std::optional<Pocket> adrift; ///< pocket of the card that was on its way and is in no reader
    bool operator==(const Recovery&) const = default;
};

/// Whether a campaign that begins may clear it: what ended a motion and broke nothing, once its cause is gone. For
/// every other fault somebody looks, and runs mediarig rig reset.
[[nodiscard]] bool may_be_cleared(rigproto::Fault latched);

/// `newest_first` of the board's ledger, as far back as a reader may have been filled.
[[nodiscard]] Recovery recover(const std::vector<LoggedJob>& newest_first, const BoardReport& board);

} // namespace mediarig::rig
