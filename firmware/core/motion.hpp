// SPDX-License-Identifier: GPL-3.0-or-later
/// One axis on its way: a ramp that is given to the step queue bit by bit, a few milliseconds ahead, so that a stop
/// begins at once.
#pragma once

#include <cstdint>

#include "firmware/core/ramp.hpp"
#include "firmware/core/step_queue.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t queued_ahead_us = 5000;

class Motion {
public:
    explicit Motion(StepQueue& queue) : queue_(queue) {}

    /// Only while not busy: there is never more than one motion.
    void start(Axis axis, std::int32_t target, RampLimits limits);
    /// Ramps down to rest; what is queued is still made.
    void stop() { ramp_.stop(); }
    /// Not one step more; the position is not to be relied on.
    void abort();
    /// Every tick.
    void feed();

    [[nodiscard]] bool busy() const { return ramp_.left() != 0 || queue_.waiting(); }
    [[nodiscard]] Axis axis() const { return axis_; }
    [[nodiscard]] std::int32_t position(Axis axis) const { return queue_.position(axis); }
    /// Only while not busy.
    void set_position(Axis axis, std::int32_t steps) { queue_.set_position(axis, steps); }

private:
    StepQueue& queue_;
    Ramp ramp_;
    Axis axis_{};
    Direction direction_{};
};

} // namespace mediarig::firmware
