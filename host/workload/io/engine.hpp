// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: transfers the bytes of one cell. It is called once per cell. The adapter runs its own loop over concrete
/// parts, so there is no virtual call between two transfers.
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
    std::uint64_t operations{};                         ///< stop after this number
    std::optional<std::chrono::nanoseconds> time_limit; ///< wall-clock time, pauses included
    std::uint32_t queue_depth{1};
};

/// Parts that the engine uses. The caller owns all of them.
struct CellParts {
    OffsetStream& offsets;
    const PayloadSource& payload;
    Recorder& recorder; ///< started by the engine and left paused, so that the caller can add a final sync
    IoErrors& errors;
    JobControl& control; ///< the engine updates bytes_done and obeys cancel
};

class IoEngine {
public:
    virtual ~IoEngine() = default;
    /// Ends when all operations were tried, when the time limit is reached, on cancel, or when the error policy stops
    /// the job. Every submitted transfer has completed when it returns. Fails with io_failed if the engine itself
    /// cannot work (memory, ring).
    [[nodiscard]] virtual Result<CellEnd> run(const CellRun& cell, CellParts parts) = 0;

    /// Number of thread switches of kernel workers that did the work of the last cell instead of this process. Each
    /// switch is part of a latency. 0 if there are no such workers.
    [[nodiscard]] virtual std::uint64_t worker_switches() const { return 0; }
    /// Threshold from which a cell counts as punted. Occasional punts are normal (metadata not in memory).
    static constexpr double most_switches_per_operation = 0.1;
};

} // namespace mediarig::workload
