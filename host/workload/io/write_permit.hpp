// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether a job may go on writing: asked of whoever claimed the medium, since a device can be exchanged and a loop
/// device's window moved while a job runs.
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

    /// Always allowed.
    WritePermit() = default;
    /// `clock` must outlive this. `ask` is called on the job's thread, before the first write and then at most once an
    /// interval while the job writes, never while a transfer is timed alone; its error ends the job as it is. It should
    /// take microseconds.
    WritePermit(const TickClock& clock, std::function<Result<void>()> ask)
        : clock_(&clock), ask_(std::move(ask)), due_(0) {}

    /// `now` of the same clock. One comparison: nothing else is paid for until the next question.
    [[nodiscard]] bool due(Ticks now) const { return now >= due_; }
    /// Needs to be due. Nothing may be written after an error; it stays.
    [[nodiscard]] Result<void> ask() {
        if (!refused_)
            if (auto allowed = ask_(); !allowed) refused_ = std::move(allowed.error());
        if (refused_) return fail(*refused_);
        due_ = clock_->now() + clock_->from_ns(interval);
        return {};
    }
    /// Asks if it is due.
    [[nodiscard]] Result<void> check() { return clock_ != nullptr && due(clock_->now()) ? ask() : Result<void>{}; }

private:
    const TickClock* clock_{};
    std::function<Result<void>()> ask_;
    Ticks due_{~Ticks{0}};
    std::optional<Error> refused_;
};

} // namespace mediarig::workload
