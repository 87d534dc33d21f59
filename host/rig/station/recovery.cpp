// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/recovery.hpp"

#include <array>

namespace mediarig::rig {
namespace {

using rigproto::Fault;
using rigproto::Op;
using State = LoggedJob::State;

bool has(std::uint8_t flags, rigproto::StatusFlag flag) {
    return (flags & flag) != 0;
}

/// Which pocket's card is in each reader, if one is there at all: no other can have come in since.
using Origins = std::array<std::optional<std::uint8_t>, rigproto::port_count>;

Origins origins_by(const std::vector<LoggedJob>& newest_first) {
    Origins origins{};
    for (auto job = newest_first.rbegin(); job != newest_first.rend(); ++job) {
        const Intent& intent = job->intent;
        if (job->state == State::refused) continue;
        if (intent.op == Op::load && intent.index < rigproto::port_count) {
            if (job->state == State::failed && job->fault == Fault::pick_missed) continue;
            origins[intent.index] = intent.place;
        } else if (intent.op == Op::unload && intent.place < rigproto::port_count && job->state == State::done) {
            origins[intent.place].reset();
        }
    }
    return origins;
}

/// The newest job that moved a card, where nobody knows how it ended or it ended halfway.
std::optional<std::uint8_t> on_its_way(const std::vector<LoggedJob>& newest_first) {
    for (std::size_t i = 0; i < newest_first.size(); ++i) {
        const LoggedJob& job = newest_first[i];
        const Op op = job.intent.op;
        if (job.state == State::refused || (op != Op::load && op != Op::unload && op != Op::identify)) continue;
        if (job.state == State::done || job.fault == Fault::pick_missed) return std::nullopt;
        if (op != Op::unload) return job.intent.place;
        const std::vector<LoggedJob> before(newest_first.begin() + static_cast<std::ptrdiff_t>(i), newest_first.end());
        return job.intent.place < rigproto::port_count ? origins_by(before)[job.intent.place] : std::nullopt;
    }
    return std::nullopt;
}

} // namespace

Recovery recover(const std::vector<LoggedJob>& newest_first, const BoardSays& board) {
    const rigproto::StatusReply& now = board.status;
    Recovery recovery;
    if (!has(now.flags, rigproto::flag_safety_closed)) {
        recovery.person = "the emergency stop is pressed or a door is open; release it, then go on";
        return recovery;
    }
    if (has(now.flags, rigproto::flag_holding)) {
        recovery.person = "something hangs on the cup; take it off by hand, then go on";
        return recovery;
    }
    recovery.clear = now.state == rigproto::State::latched;
    recovery.home = recovery.clear || !has(now.flags, rigproto::flag_homed);

    // Jobs that this ledger does not know were asked for by somebody else, who may have moved anything.
    const std::uint32_t newest = newest_first.empty() ? 0 : newest_first.front().job;
    const bool ours_alone = now.last_job <= newest;
    const Origins origins = ours_alone ? origins_by(newest_first) : Origins{};
    for (std::uint8_t port = 0; port < rigproto::port_count; ++port)
        if ((now.cards >> port & 1U) != 0) recovery.cards.push_back({.port = port, .pocket = origins[port]});

    recovery.adrift = ours_alone ? on_its_way(newest_first) : std::nullopt;
    for (const FoundCard& card : recovery.cards)
        if (card.pocket == recovery.adrift) recovery.adrift.reset();
    return recovery;
}

} // namespace mediarig::rig
