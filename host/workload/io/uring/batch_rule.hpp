// SPDX-License-Identifier: GPL-3.0-or-later
/// Number of transfers per submission and of completions per wait. Inner part.
#pragma once

#include <algorithm>

#include "host/workload/io/platform/clock.hpp"

namespace mediarig::workload {

class BatchRule {
public:
    /// Completions arrive in bursts, and while a burst is submitted again the queue of the medium is nearly empty. So
    /// the first transfer is submitted alone, and each system call submits as many transfers as the medium already has
    /// in flight, up to this limit. The medium works from the start, and a full queue needs few calls.
    static constexpr unsigned largest_group = 8;

    /// If a medium completes this number of transfers, one after the other, within `worth_waiting`, the engine waits
    /// for batches: one system call and one thread switch instead of eight. On other media each completion is awaited
    /// alone, so that its measured latency is exact.
    static constexpr unsigned largest_batch = 8;

    /// `waits_with_limit`: true if a wait can time out before its batch is complete. A batch is at most a quarter of
    /// the queue: the rest keeps the medium busy during the wait.
    BatchRule(unsigned queue_depth, bool waits_with_limit, Ticks worth_waiting)
        : queue_depth_(queue_depth),
          worth_waiting_(worth_waiting),
          most_at_once_(waits_with_limit ? std::clamp(queue_depth / 4, 1u, largest_batch) : 1) {}

    void begin(Ticks now) { seen_since_ = now; }

    /// Number of completions for the next wait.
    [[nodiscard]] unsigned batch() const { return batch_; }

    /// Returns true if queued transfers are submitted now. A batch is submitted by the call that waits for the next
    /// one.
    [[nodiscard]] bool submits_now(unsigned queued, unsigned at_work) const {
        return batch_ == 1 && queued >= std::clamp(at_work, 1u, largest_group);
    }

    /// Records that a wait returned `completed` completions and left `in_flight`. The rule uses the time of a whole
    /// queue of completions, because within a burst every medium is fast; with bursts, a wait for one completion
    /// already returns many. A wait that timed out before its batch was complete shows that the medium pauses.
    void found(unsigned completed, unsigned in_flight, Ticks now) {
        const bool paused = completed < std::min(batch_, in_flight + completed);
        seen_ += completed;
        ++looks_;
        if (seen_ < queue_depth_ && !paused) return;
        const bool quick = (now - seen_since_) * largest_batch <= worth_waiting_ * seen_;
        const bool one_by_one = batch_ > 1 || seen_ < looks_ * (largest_batch / 2);
        batch_ = quick && one_by_one && !paused ? most_at_once_ : 1;
        seen_ = looks_ = 0;
        seen_since_ = now;
    }

private:
    unsigned queue_depth_;
    Ticks worth_waiting_;
    unsigned most_at_once_;
    unsigned batch_{1};
    unsigned seen_{}; ///< completions since `seen_since_`
    unsigned looks_{};
    Ticks seen_since_{};
};

} // namespace mediarig::workload
