// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the host's ledger of everything that it asked of a board, written before the act and settled after it. After
/// a crash the pair of last intent and last outcome says what to do; job ids come from here, rising per board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/result.hpp"
#include "host/rig/intent.hpp"

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

} // namespace mediarig::rig
