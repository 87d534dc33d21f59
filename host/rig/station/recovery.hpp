// SPDX-License-Identifier: GPL-3.0-or-later
/// Determines the recovery of an interrupted rig from the host's ledger and the board's report. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/rig/port/rig_log.hpp"

namespace mediarig::rig {

/// The board's report after the greeting.
struct BoardReport {
    bool cold_start{}; ///< the board lost its power: no earlier job continues
    rigproto::StatusReply status;
    bool operator==(const BoardReport&) const = default;
};

/// A card in a reader that this run did not put there.
struct FoundCard {
    PortIndex port;
    std::optional<Pocket> pocket; ///< origin of the card according to the ledger; unset: unknown
    bool operator==(const FoundCard&) const = default;
};

struct Recovery {
    std::optional<std::string> person; ///< reason for a required check by the operator; then no other step is taken
    bool clear{};                      ///< the latched fault's cause is gone
    bool home{};
    std::vector<FoundCard>
        cards; ///< each is used or returned to its pocket; if its pocket is unknown, it goes into the bin "unknown"
    std::optional<Pocket> adrift; ///< pocket of the card that was in motion and is in no reader
    bool operator==(const Recovery&) const = default;
};

/// True if a new campaign may clear this fault: one that ended a motion without damage and whose cause is gone. For all
/// other faults an operator must check the rig and run mediarig rig reset.
[[nodiscard]] bool may_be_cleared(rigproto::Fault latched);

/// `newest_first`: the jobs in the board's ledger, back to the last load of each reader.
[[nodiscard]] Recovery recover(const std::vector<LoggedJob>& newest_first, const BoardReport& board);

} // namespace mediarig::rig
