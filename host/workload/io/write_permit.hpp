// SPDX-License-Identifier: GPL-3.0-or-later
/// Permission of a job to continue writing. The owner of the claim gives it, because a device can be exchanged and the
/// window of a loop device can be moved during a job.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "host/base/result.hpp"
#include "host/workload/io/platform/clock.hpp"

namespace mediarig::workload {

class WritePermit {
public:
    static constexpr std::chrono::nanoseconds interval = std::chrono::seconds(1);

    /// A permit that always allows writing.
    WritePermit() = default;
    /// `clock` must outlive this object. `ask` is called on the job's thread, before the first write and then at most
    /// once per interval while the job writes, never while a single transfer is timed. If `ask` fails, the job ends
    /// with the same error. `ask` should take microseconds.
    WritePermit(const TickClock& clock, std::function<Result<void>()> ask)
        : clock_(&clock), ask_(std::move(ask)), due_(0) {}

    /// `now`: from the same clock. Costs one comparison until the next call of `ask` is due.
    [[nodiscard]] bool due(Ticks now) const { return now >= due_; }
    /// Requires due(). An error is permanent: nothing may be written after it.
    [[nodiscard]] Result<void> ask() {
        if (!refused_)
            if (auto allowed = ask_(); !allowed) refused_ = std::move(allowed.error());
        if (refused_) return fail(*refused_);
        granted_ = true;
        due_ = clock_->now() + clock_->from_ns(interval);
        return {};
    }
    /// True after the first permission: the job may have written since.
    [[nodiscard]] bool granted() const { return granted_; }
    /// Calls ask() if it is due.
    [[nodiscard]] Result<void> check() { return clock_ != nullptr && due(clock_->now()) ? ask() : Result<void>{}; }

private:
    const TickClock* clock_{};
    std::function<Result<void>()> ask_;
    Ticks due_{~Ticks{0}};
    std::optional<Error> refused_;
    bool granted_{};
};

} // namespace mediarig::workload
