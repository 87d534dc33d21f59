// SPDX-License-Identifier: GPL-3.0-or-later
/// The quick probe itself: from samples to a verdict. Needs no operating system, only a medium.
#pragma once

#include <string>

#include "host/workload/job.hpp"
#include "host/workload/probe_medium.hpp"
#include "host/workload/recorder.hpp"

namespace mediarig::workload {

struct ProbeResult {
    VerifyOutcome outcome;
    std::string doubt; ///< why it is inconclusive; empty otherwise
};

struct ProbeRequest {
    Bytes assumed_cache;
    std::chrono::nanoseconds run_time{0}; ///< of the run of step 1, where a recorder tells the time; see ProbeJob
    std::uint64_t seed{1};                ///< of the stamps
    std::uint32_t generation{1};
    std::uint64_t order_seed{1}; ///< of the places
};

/// Looks at the whole medium with some hundred blocks:
/// 1. Writes a block in each of 128 parts, at doubling distances and at both ends, then a run that drives them out of a
///    cache; reads them back, and looks for the run at places where it does not belong.
/// 2. All good, the run nowhere else: good.
/// 3. The run somewhere else: addresses wrap; the modulus from the distance.
/// 4. Blocks lost from some place to the end: the boundary by narrowing, then proved around it with fresh writes.
/// 5. Blocks lost with good ones above: written and read once more; lost again is damage.
/// What contradicts itself twice is inconclusive. A medium is called fake only after a second, independent write.
/// `recorder` times the run of step 1. Fails with bad_request (smaller than 8 MiB), cancelled, no_medium, io_failed.
[[nodiscard]] Result<ProbeResult> probe(ProbedMedium& medium, const ProbeRequest& request, JobControl& control,
                                        Recorder* recorder = nullptr);

} // namespace mediarig::workload
