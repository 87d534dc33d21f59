// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether a reader was left empty, by the ledger of its board. Pure.
#pragma once

#include <vector>

#include "host/rig/rig_log.hpp"

namespace mediarig::rig {

/// `whole`: no older jobs are left out, so that a reader of which none tells was never filled. What a job left that did
/// not end well, nobody knows, but for a pick that gripped nothing and a card that went back.
[[nodiscard]] inline bool left_empty(const std::vector<LoggedJob>& newest_first, bool whole, Port reader) {
    using State = LoggedJob::State;
    for (const LoggedJob& job : newest_first) {
        if (job.state == State::refused) continue;
        const bool done = job.state == State::done;
        const auto* load = std::get_if<Load>(&job.intent.what);
        const auto* unload = std::get_if<Unload>(&job.intent.what);
        const auto* empty = std::get_if<Empty>(&job.intent.what);
        if (empty != nullptr && empty->readers.contains(reader) && done) return true;
        if (unload != nullptr && unload->from == reader && done) return true;
        const bool concerns =
            (load != nullptr && load->into == reader) || (unload != nullptr && unload->from == reader);
        if (!concerns) continue;
        const bool as_before =
            job.state == State::failed && (job.fault == rigproto::Fault::pick_missed ||
                                           (load != nullptr && job.fault == rigproto::Fault::insert_failed));
        if (!as_before) return false;
    }
    return whole;
}

} // namespace mediarig::rig
