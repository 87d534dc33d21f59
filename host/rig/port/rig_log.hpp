// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the host's ledger of everything that it asked of a board, written before the act and settled after it. After
/// a crash the pair of last intent and last outcome says what to do; job ids come from here, rising per board.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/base/result.hpp"
#include "host/rig/port/intent.hpp"

namespace mediarig::rig {

/// Ends the names of simulated boards in the ledger: their readers wear nothing.
inline constexpr std::string_view simulated_mark = " (simulated)";

struct LoggedJob {
    std::uint32_t job{};
    Intent intent;
    enum class State : std::uint8_t {
        intended, ///< written down; whether the board heard of it is not known
        done,
        failed,  ///< the board said so; see fault
        refused, ///< the board did not begin it
        unknown  ///< nobody can know any more: the board started cold meanwhile
    } state{};
    rigproto::Fault fault{};
    std::uint8_t detail{};
    bool operator==(const LoggedJob&) const = default;
};

struct LoggedEvent {
    std::uint32_t epoch{}; ///< a new one after each cold start of the board, in which its ids begin anew
    std::uint32_t id{};
    rigproto::EventKind kind{};
    std::vector<std::uint8_t> payload; ///< as it came
};

/// All calls return when what they were given is safe on disk. Errors: store_failed.
class RigLog {
public:
    virtual ~RigLog() = default;
    /// Opens the ledger of this board; the newest job ever asked of it, 0 for none.
    [[nodiscard]] virtual Result<std::uint32_t> open(const std::string& board) = 0;
    /// The id of the new job: above all that this board was ever asked.
    [[nodiscard]] virtual Result<std::uint32_t> intend(const Intent& intent) = 0;
    /// Ids given later are above this one too: the board did jobs that another ledger asked for.
    [[nodiscard]] virtual Result<void> pass_over(std::uint32_t job) = 0;
    [[nodiscard]] virtual Result<void> settle(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault,
                                              std::uint8_t detail) = 0;
    /// Newest first, at most `count`.
    [[nodiscard]] virtual Result<std::vector<LoggedJob>> latest(std::size_t count) = 0;
    [[nodiscard]] virtual Result<void> keep(const LoggedEvent& event) = 0; ///< idempotent by (epoch, id)
    /// The current epoch and the newest event kept in it.
    [[nodiscard]] virtual Result<std::pair<std::uint32_t, std::uint32_t>> newest_event() = 0;
    [[nodiscard]] virtual Result<std::uint32_t> begin_epoch() = 0;
};

/// What the ledger of a board tells of places that no sensor vouches for. Pure.

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
