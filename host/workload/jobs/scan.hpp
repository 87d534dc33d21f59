// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a medium and reports its rate by position, and its unreadable and weak places. Writes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "host/base/result.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

struct ScanRequest {
    std::chrono::nanoseconds time_limit{0}; ///< samples the medium for this time; 0: reads all of it, in order
    std::uint64_t seed{1};                  ///< start value of the positions of samples
    /// Receives the bytes of each first read, and each part that cannot be read (`bytes` empty); in ascending order
    /// without a time limit.
    std::function<void(std::span<const std::byte> bytes, Bytes offset, Bytes length)> on_data{};
};

/// Monotonic time; tests replace it.
using ScanClock = std::function<std::chrono::nanoseconds()>;

/// A transfer is weak if it fails, or takes more than three times the median and 10 ms longer than it. The medium may
/// have been busy, so weak places are read five times again, in rounds over all of them: a place is kept only if a
/// repetition fails or most repetitions are slow. A failed transfer is divided into blocks of 4 KiB. Stops early, with
/// a reason in the report, after 1000 weak places or after five minutes of failing reads. Fails with no_medium and
/// cancelled.
[[nodiscard]] Result<ScanReport> scan(ReadableMedium& medium, const ScanRequest& request, const ScanClock& now,
                                      JobControl& control);

} // namespace mediarig::workload
