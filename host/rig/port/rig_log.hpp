// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the host's ledger of all jobs requested from a board. Each job is recorded before it starts and settled after
/// it. After a crash the last intent and its outcome determine the next step. The ledger assigns the job ids, rising
/// per board.
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

/// Suffix of the names of simulated boards in the ledger: their readers do not wear.
inline constexpr std::string_view simulated_mark = " (simulated)";

struct LoggedJob {
    std::uint32_t job{};
    Intent intent;
    enum class State : std::uint8_t {
        intended, ///< recorded; the board may not have received the job
        done,
        failed,  ///< reported by the board; see fault
        refused, ///< the board did not start the job
        unknown  ///< can no longer be determined: the board was started cold in between
    };
    BOOST_DESCRIBE_NESTED_ENUM(State, intended, done, failed, refused, unknown)
    State state{};
    rigproto::Fault fault{};
    std::uint8_t detail{};
    bool operator==(const LoggedJob&) const = default;
};

struct LoggedEvent {
    std::uint32_t epoch{}; ///< changes after each cold start of the board, when its ids restart
    std::uint32_t id{};
    rigproto::EventKind kind{};
    std::vector<std::uint8_t> payload; ///< payload as received
};

/// All calls return when their data is safe on disk. Errors: store_failed.
class RigLog {
public:
    virtual ~RigLog() = default;
    /// Opens the ledger of this board. Returns the newest job ever requested from it, 0 if none.
    [[nodiscard]] virtual Result<std::uint32_t> open(const std::string& board) = 0;
    /// Returns the id of the new job: above all jobs ever requested from this board.
    [[nodiscard]] virtual Result<std::uint32_t> intend(const Intent& intent) = 0;
    /// Reserves ids up to `job`: the board has executed jobs from another ledger.
    [[nodiscard]] virtual Result<void> pass_over(std::uint32_t job) = 0;
    [[nodiscard]] virtual Result<void> resolve(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault,
                                               std::uint8_t detail) = 0;
    /// Returns at most `count` jobs, newest first.
    [[nodiscard]] virtual Result<std::vector<LoggedJob>> latest(std::size_t count) = 0;
    [[nodiscard]] virtual Result<void> keep(const LoggedEvent& event) = 0; ///< idempotent by (epoch, id)
    /// Returns the current epoch and the newest event stored for it.
    [[nodiscard]] virtual Result<std::pair<std::uint32_t, std::uint32_t>> newest_event() = 0;
    [[nodiscard]] virtual Result<std::uint32_t> begin_epoch() = 0;
};

/// Number of jobs to search for the last job that concerns a place.
inline constexpr std::size_t jobs_that_tell = 1000;

/// True if a pocket is empty: the newest job for it took its card away. `begun`: the newest job that the board ever
/// started. Job numbers missing from this ledger belong to another program, which may have put a card anywhere.
[[nodiscard]] inline bool unloaded_by_rig(const std::vector<LoggedJob>& newest_first, std::uint32_t begun,
                                          Pocket pocket) {
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
                                                               job.fault == rigproto::Fault::eject_failed ||
                                                               job.fault == rigproto::Fault::pocket_occupied);
        if (!never_left) return false;
    }
    return false;
}

/// True if a reader was left empty. `whole`: the list contains all jobs, so a reader without a job in it was never
/// filled. After a job that failed, the state is unknown, except after a pick without a card, and after a card was
/// returned.
[[nodiscard]] inline bool left_empty(const std::vector<LoggedJob>& newest_first, bool whole, PortIndex reader) {
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
