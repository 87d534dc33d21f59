// SPDX-License-Identifier: GPL-3.0-or-later
/// Motion of one axis: a ramp that is passed to the step queue in portions, a few milliseconds ahead, so that a stop
/// takes effect at once.
#pragma once

#include <cstdint>

#include "firmware/core/ramp.hpp"
#include "firmware/core/step_queue.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t queued_ahead_us = 5000;

class Motion {
public:
    explicit Motion(StepQueue& queue) : queue_(queue) {}

    /// Call only while not busy: there is one motion at a time.
    void start(Axis axis, std::int32_t target, RampLimits limits);
    /// Ramps down to standstill; steps in the queue are still made.
    void stop() { ramp_.stop(); }
    /// Stops without any further step; the position is no longer reliable.
    void abort();
    /// Call every tick.
    void feed();

    [[nodiscard]] bool busy() const { return ramp_.left() != 0 || queue_.waiting(); }
    [[nodiscard]] Axis axis() const { return axis_; }
    [[nodiscard]] std::int32_t position(Axis axis) const { return queue_.position(axis); }
    /// Call only while not busy.
    void set_position(Axis axis, std::int32_t steps) { queue_.set_position(axis, steps); }

private:
    StepQueue& queue_;
    Ramp ramp_;
    Axis axis_{};
    Direction direction_{};
};

} // namespace mediarig::firmware
