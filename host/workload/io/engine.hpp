// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: moves the bytes of one cell. One call a cell; what happens for each transfer is the adapter's own loop over
/// concrete parts, so that nothing virtual stands between two transfers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "host/base/result.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/payload/offsets.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

struct CellRun {
    int fd{-1};
    Access access{};
    Bytes block;
    std::uint64_t operations{};                         ///< stop after this many
    std::optional<std::chrono::nanoseconds> time_limit; ///< of wall time, pauses included
    std::uint32_t queue_depth{1};
};

/// What the engine works with, all owned by the caller.
struct CellParts {
    OffsetStream& offsets;
    const PayloadSource& payload;
    Recorder& recorder; ///< begun by the engine and left paused, so that the caller may add a final sync
    IoErrors& errors;
    JobControl& control; ///< bytes_done is moved on, cancel is honoured
};

class IoEngine {
public:
    virtual ~IoEngine() = default;
    /// Ends when all operations were tried, time is up, the control says cancel, or errors say stop. Every transfer
    /// that was submitted has completed when it returns. Fails with io_failed if the engine itself cannot work (memory,
    /// ring).
    [[nodiscard]] virtual Result<CellEnd> run(const CellRun& cell, CellParts parts) = 0;

    /// Switches of threads of the kernel's that did the work of the last cell in this process's place: each is part of
    /// a latency. 0 where there are no such threads.
    [[nodiscard]] virtual std::uint64_t worker_switches() const { return 0; }
    /// From here on a cell counts as punted; an occasional hand-over is normal (metadata not at hand).
    static constexpr double most_switches_per_operation = 0.1;
};

} // namespace mediarig::workload
