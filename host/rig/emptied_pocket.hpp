// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether a pocket is empty, by the ledger of its board: no sensor looks into one. Pure.
#pragma once

#include <algorithm>
#include <vector>

#include "host/rig/rig_log.hpp"

namespace mediarig::rig {

/// True only where the newest that was done there took its card away. `begun`: the newest job that the board ever
/// began. Numbers that this ledger does not know are jobs of somebody else, who may have put a card anywhere.
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

} // namespace mediarig::rig
