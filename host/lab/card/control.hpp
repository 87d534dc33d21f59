// SPDX-License-Identifier: GPL-3.0-or-later
/// Commands for a running medium and their text form: one JSON object and one answer per line. Pure. See
/// docs/guide/lab.md.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "host/lab/card/card_model.hpp"

namespace mediarig::lab {

struct AddBadSectors {
    BadSectors bad;
};
struct RemoveBadSectors {
    SectorRange sectors;
};
struct Corrupt {
    CorruptRegion region;
};
struct SetThrottle {
    Throttle throttle; ///< complete state: an unset member removes the throttle
};
struct PowerCut {
    Loss lose{Loss::all};
};
struct PowerOn {};
struct ReadStats {};
using CardCommand = std::variant<AddBadSectors, RemoveBadSectors, Corrupt, SetThrottle, PowerCut, PowerOn, ReadStats>;

/// Both functions return text without a line break. The answer is {"ok":true,…} or {"ok":false,"error":"…"}.
[[nodiscard]] std::string command_line(const CardCommand& command);
[[nodiscard]] Result<CardCommand> parse_command(std::string_view line);

/// Result of a command; empty for commands other than those named below.
struct CardAnswer {
    WriteCache::SectorCounts sectors; ///< result of PowerCut
    CardStats stats;                  ///< result of ReadStats
};

/// Executes one command line and returns the answer line.
[[nodiscard]] std::string execute_line(CardModel& model, std::string_view line);
/// Fails with bad_request (the medium refused the command), io_failed (its storage failed), bad_format.
[[nodiscard]] Result<CardAnswer> parse_answer(std::string_view line);

} // namespace mediarig::lab
