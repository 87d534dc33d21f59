// SPDX-License-Identifier: GPL-3.0-or-later
/// Detects io_uring transfers that are punted to kernel workers instead of started directly. Each such transfer costs a
/// thread switch, which is part of its latency.
#pragma once

#include <cstdint>
#include <string>

namespace mediarig::workload {

class PuntWatch {
public:
    /// `tasks`: the folder of this process's threads; tests pass another one.
    explicit PuntWatch(std::string tasks = "/proc/self/task");
    /// Number of thread switches, since construction, of the kernel workers that serve the rings of this process.
    [[nodiscard]] std::uint64_t worker_switches() const;

private:
    [[nodiscard]] std::uint64_t count() const;

    std::string tasks_;
    std::uint64_t before_;
};

} // namespace mediarig::workload
