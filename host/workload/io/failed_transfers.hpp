// SPDX-License-Identifier: GPL-3.0-or-later
/// Failed transfers of a running job, and reads that returned damaged data, for its progress reports: a slow or long
/// series of failures is visible at once. The time of the failed transfers bounds the whole job.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace mediarig::workload {

/// Written by the threads of the job, read by the watching thread.
class FailedTransfers {
public:
    void add(bool writing, std::uint64_t offset, int error) {
        add({.writing = writing, .offset = offset, .error = error});
    }
    /// Adds a read that returned other data than those written; `offset`: the first such byte.
    void add_damaged(std::uint64_t offset) { add({.damaged = true, .offset = offset}); }
    /// Adds the time of a failed transfer or flush.
    void add_time(std::chrono::nanoseconds took) { took_.fetch_add(took.count(), std::memory_order_relaxed); }
    [[nodiscard]] std::chrono::nanoseconds took() const {
        return std::chrono::nanoseconds(took_.load(std::memory_order_relaxed));
    }
    /// 0: none so far.
    [[nodiscard]] std::uint64_t count() const { return count_.load(std::memory_order_acquire); }

    struct FirstFailure {
        bool writing{};
        bool damaged{}; ///< the transfer succeeded and returned damaged data
        std::uint64_t offset{};
        int error{}; ///< errno; 0 for a short transfer and for damaged data
    };
    /// Requires count() > 0.
    [[nodiscard]] FirstFailure first() const { return first_; }

private:
    void add(const FirstFailure& failure) {
        if (!claimed_.exchange(true, std::memory_order_relaxed)) {
            first_ = failure;
            count_.fetch_add(1, std::memory_order_release);
        } else if (count() > 0) {
            count_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    std::atomic<bool> claimed_{false};
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::chrono::nanoseconds::rep> took_{0};
    FirstFailure first_; ///< written once, before count_ becomes 1
};

} // namespace mediarig::workload
