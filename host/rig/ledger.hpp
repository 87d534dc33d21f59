// SPDX-License-Identifier: GPL-3.0-or-later
/// What the ledger of a board tells of places that no sensor vouches for. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/rig/rig_log.hpp"

namespace mediarig::rig {

/// So far back the ledger is asked what came into a place last.
inline constexpr std::size_t jobs_that_tell = 1000;

/// Whether a pocket is empty. True only where the newest that was done there took its card away. `begun`: the newest
/// job that the board ever began. Numbers that this ledger does not know are jobs of somebody else, who may have put a
/// card anywhere.
[[nodiscard]] inline bool rig_emptied(const std::vector<LoggedJob>& newest_first, std::uint32_t begun, Pocket pocket) {
    using State = LoggedJob::State;
    std::uint32_t next = std::max(begun, newest_first.empty() ? 0 : newest_first.front().job);
    for (const LoggedJob& job : newest_first) {
        if (job.job != next--) return false;
        if (job.state == State::refused) continue;
        const bool done = job.state == State::done;
        const auto* load = std::get_if<Load>(&job.intent.what);
        if (load != nullptr && load->from == pocket) return done;
        const auto* identify = std::get_if<Identify>(&job.intent.what);
        if (identify != nullptr && identify->pocket == pocket) return false;
        const auto* unload = std::get_if<Unload>(&job.intent.what);
        if (unload == nullptr || unload->to != Destination(pocket)) continue;
        const bool never_left = job.state == State::failed && (job.fault == rigproto::Fault::pick_missed ||
                                                               job.fault == rigproto::Fault::eject_failed);
        if (!never_left) return false;
    }
    return false;
}

/// Whether a reader was left empty. `whole`: no older jobs are left out, so that a reader of which none tells was never
/// filled. What a job left that did not end well, nobody knows, but for a pick that gripped nothing and a card that
/// went back.
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
