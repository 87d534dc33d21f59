// SPDX-License-Identifier: GPL-3.0-or-later
/// How many transfers one system call hands over, and how many completions one waits for. Inner part.
#pragma once

#include <algorithm>

#include "host/workload/io/platform/clock.hpp"

namespace mediarig::workload {

class BatchRule {
public:
    /// Completions come in crowds, and while a crowd is handed over anew the queue of the medium is nearly empty. So a
    /// first transfer goes alone, and each system call takes as many as the medium already has again, up to this many:
    /// the medium is at work from the start, and a full queue costs few calls.
    static constexpr unsigned largest_group = 8;

    /// A medium that completes this many within `worth_waiting`, one by one, is waited for in batches of them: one
    /// system call and one switch of threads instead of eight. The others are looked at one by one, because their
    /// latencies are to be theirs.
    static constexpr unsigned largest_batch = 8;

    /// `waits_with_limit`: whether a wait can end before its batch is full. At most a quarter of the queue is waited
    /// for: the rest keeps the medium at work meanwhile.
    BatchRule(unsigned queue_depth, bool waits_with_limit, Ticks worth_waiting)
        : queue_depth_(queue_depth),
          worth_waiting_(worth_waiting),
          most_at_once_(waits_with_limit ? std::clamp(queue_depth / 4, 1u, largest_batch) : 1) {}

    void begin(Ticks now) { seen_since_ = now; }

    /// So many completions the next wait is for.
    [[nodiscard]] unsigned batch() const { return batch_; }

    /// Whether what is queued goes to the medium at once. A batch goes with the call that waits for the next one.
    [[nodiscard]] bool hands_over(unsigned queued, unsigned at_work) const {
        return batch_ == 1 && queued >= std::clamp(at_work, 1u, largest_group);
    }

    /// A wait found so many, and left so many in flight. Judged by what a whole queue of completions took, because
    /// within a crowd every medium is quick; and where they come in crowds, a wait for one finds many already. A wait
    /// that ended before its batch was full met a medium that pauses.
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
