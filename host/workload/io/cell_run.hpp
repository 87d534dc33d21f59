// SPDX-License-Identifier: GPL-3.0-or-later
/// The run of one cell: the parts that the transfer loop of an engine uses.
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/base/result.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/payload/offsets.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// Number of operations of a cell for which a raw log needs space. A medium that is faster than the volume makes more
/// in the least time; for 50 ms this is a rate of a million per second.
[[nodiscard]] inline std::uint64_t most_operations(const CellSpec& cell) {
    constexpr std::uint64_t beyond_volume = 50'000;
    return cell.volume / cell.block + (cell.minimum ? beyond_volume : 0);
}

/// Decides when a cell ends. All instants are ticks of `clock`.
class CellBounds {
public:
    /// `operations`: the volume of the cell.
    CellBounds(const CellSpec& cell, std::uint64_t operations, const TickClock& clock, Ticks begin)
        : operations_(operations) {
        if (cell.time_limit) limit_ = begin + clock.from_ns(*cell.time_limit);
        if (!cell.minimum) return;
        least_operations_ = cell.minimum->operations;
        least_time_ = begin + clock.from_ns(cell.minimum->time);
        longest_ = begin + clock.from_ns(cell.minimum->longest);
    }

    /// `started`: the operations so far.
    [[nodiscard]] bool volume_done(std::uint64_t started, Ticks now) const {
        return started >= operations_ && now >= least_time_;
    }
    /// The time limit if `started` operations were started.
    [[nodiscard]] Ticks limit(std::uint64_t started) const {
        return started < least_operations_ ? longest_ : std::min(std::max(limit_, least_time_), longest_);
    }

private:
    std::uint64_t operations_, least_operations_{};
    Ticks limit_{~Ticks{0}}, least_time_{}, longest_{~Ticks{0}};
};

/// The caller owns all parts. They are concrete types, so there is no virtual call between two transfers.
struct CellRun {
    const CellSpec& cell; ///< the time limit of the cell is wall-clock time, pauses included
    int fd{-1};
    std::uint64_t operations{}; ///< volume of the cell; see CellBounds
    OffsetStream& offsets;
    const PayloadSource& payload;
    Recorder& recorder; ///< started by the engine and left paused, so that the caller can add a final sync
    IoErrors& errors;
    JobControl& control; ///< the engine updates bytes_done and obeys cancel
    Bytes rate_limit{};  ///< bytes per second; 0: no limit; only psync
};

struct CellRunEnd {
    CellEnd end{};
    /// Number of thread switches of kernel workers that did the work of the cell instead of this process. Each switch
    /// is part of a latency. 0 if no kernel worker did work of the cell.
    std::uint64_t worker_switches{};
};

} // namespace mediarig::workload
