// SPDX-License-Identifier: GPL-3.0-or-later
/// The run of one cell: the parts that the transfer loop of an engine uses.
#pragma once

#include <cstdint>

#include "host/base/result.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/payload/offsets.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// The caller owns all parts. They are concrete types, so there is no virtual call between two transfers.
struct CellRun {
    const CellSpec& cell; ///< the time limit of the cell is wall-clock time, pauses included
    int fd{-1};
    std::uint64_t operations{}; ///< the cell stops after this number of operations
    OffsetStream& offsets;
    const PayloadSource& payload;
    Recorder& recorder; ///< started by the engine and left paused, so that the caller can add a final sync
    IoErrors& errors;
    JobControl& control; ///< the engine updates bytes_done and obeys cancel
};

struct CellRunEnd {
    CellEnd end{};
    /// Number of thread switches of kernel workers that did the work of the cell instead of this process. Each switch
    /// is part of a latency. 0 if no kernel worker did work of the cell.
    std::uint64_t worker_switches{};
};

} // namespace mediarig::workload
