// SPDX-License-Identifier: GPL-3.0-or-later
/// Limits the mean rate of a job by waiting between its transfers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "common/units.hpp"
#include "host/workload/io/platform/clock.hpp"

namespace mediarig::workload {

class RateLimit {
public:
    /// `per_second`: 0 for no limit. The time starts with the first call of wait(). `clock` must outlive this object.
    RateLimit(const TickClock& clock, Bytes per_second) : clock_(clock), per_second_(per_second.count) {}

    [[nodiscard]] bool limits() const { return per_second_ > 0; }
    /// Waits until the bytes so far keep the limit, then counts `next`. Returns early on cancel. Time that the medium
    /// was too slow for the limit is not made up for.
    void wait(Bytes next, const std::atomic<bool>& cancel) {
        if (!limits()) return;
        constexpr std::chrono::nanoseconds longest_nap = std::chrono::milliseconds(50);
        for (Ticks now = clock_.now(); now < due_ && !cancel.load(std::memory_order_relaxed); now = clock_.now())
            std::this_thread::sleep_for(
                std::min(longest_nap, std::chrono::nanoseconds(static_cast<std::int64_t>(clock_.to_ns(due_ - now)))));
        const double seconds = static_cast<double>(next.count) / static_cast<double>(per_second_);
        due_ = std::max(due_, clock_.now()) +
               clock_.from_ns(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
    }

private:
    const TickClock& clock_;
    std::uint64_t per_second_;
    Ticks due_{};
};

} // namespace mediarig::workload
