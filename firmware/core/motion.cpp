// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/motion.hpp"

namespace mediarig::firmware {

void Motion::start(Axis axis, std::int32_t target, RampLimits limits) {
    if (busy()) return;
    const std::int32_t distance = target - queue_.position(axis);
    axis_ = axis;
    direction_ = distance < 0 ? Direction::home : Direction::away;
    ramp_ = Ramp(limits, static_cast<std::uint32_t>(distance < 0 ? -distance : distance));
}

void Motion::abort() {
    ramp_ = Ramp();
    queue_.drop();
}

void Motion::feed() {
    if (ramp_.left() == 0) return;
    std::uint32_t ahead = queue_.ahead_us();
    Segment segment{0, 0, axis_, direction_};
    // Require two free entries: for the segment under construction, and for the one that begins when the interval
    // changes.
    while (ramp_.left() != 0 && ahead < queued_ahead_us && queue_.free_space() >= 2) {
        const std::uint32_t interval = ramp_.next();
        if (segment.count != 0 && interval != segment.interval_us) {
            queue_.push(segment);
            segment.count = 0;
        }
        segment.interval_us = interval;
        ++segment.count;
        ahead += interval;
    }
    if (segment.count != 0) queue_.push(segment);
}

} // namespace mediarig::firmware
