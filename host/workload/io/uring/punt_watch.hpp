// SPDX-License-Identifier: GPL-3.0-or-later
/// Notices when io_uring hands transfers to kernel workers instead of starting them itself: each then costs a switch of
/// threads, and its latency is theirs.
#pragma once

#include <cstdint>
#include <string>

namespace mediarig::workload {

class PuntWatch {
public:
    /// `tasks` is the folder of this process's threads; another one in tests.
    explicit PuntWatch(std::string tasks = "/proc/self/task");
    /// Switches of kernel workers of this process's rings since the watch was made.
    [[nodiscard]] std::uint64_t worker_switches() const;

private:
    [[nodiscard]] std::uint64_t count() const;

    std::string tasks_;
    std::uint64_t before_;
};

} // namespace mediarig::workload
