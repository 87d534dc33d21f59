// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/homing.hpp"

#include "firmware/core/geometry.hpp"

namespace mediarig::firmware {

using rigproto::Fault;

void Homing::start(const rigproto::Config& rig, Axis axis, bool covered, bool proven) {
    const bool x = axis == Axis::x;
    const auto acceleration = static_cast<std::uint32_t>(x ? rig.x_acceleration : rig.z_acceleration);
    axis_ = axis;
    fast_ = ramp_limits(seek_speed(rig, axis), acceleration);
    slow_ = ramp_limits(static_cast<std::uint32_t>(rig.home_speed), acceleration);
    travel_ = x ? rig.x_travel : rig.z_travel;
    tolerance_ = rig.home_tolerance;
    second_ = false;
    fault_ = Fault::none;
    if (!covered)
        seek();
    else if (proven)
        clear();
    else
        prove();
}

void Homing::prove() {
    phase_ = Phase::proving;
    motion_.start(axis_, motion_.position(axis_) - travel_, fast_);
}

void Homing::seek() {
    phase_ = Phase::seeking;
    seen_ = false;
    motion_.start(axis_, motion_.position(axis_) - travel_ - travel_ / 2, fast_);
}

void Homing::clear() {
    phase_ = Phase::clearing;
    seen_ = false;
    motion_.start(axis_, motion_.position(axis_) + travel_ / 8 + 1, fast_);
}

void Homing::approach() {
    phase_ = Phase::approaching;
    seen_ = false;
    // Search up to a sixteenth of the travel past the point at which the flag opened: the axis must not push for long
    // against a flag that does not close.
    motion_.start(axis_, seen_at_ - travel_ / 16 - tolerance_, slow_);
}

Homing::Progress Homing::fail(Fault x_fault, Fault z_fault) {
    motion_.abort();
    fault_ = axis_ == Axis::x ? x_fault : z_fault;
    return Progress::failed;
}

Homing::Progress Homing::approached() {
    if (!second_) {
        first_at_ = seen_at_;
        second_ = true;
        clear();
        return Progress::running;
    }
    const std::int32_t difference = seen_at_ - first_at_;
    if (difference > tolerance_ || difference < -tolerance_)
        return fail(Fault::x_home_unrepeatable, Fault::z_home_unrepeatable);
    motion_.set_position(axis_, motion_.position(axis_) - seen_at_);
    phase_ = Phase::settling;
    motion_.start(axis_, 0, slow_);
    return Progress::running;
}

Homing::Progress Homing::advance(bool covered) {
    const bool awaited = phase_ != Phase::clearing;
    if (phase_ != Phase::proving && phase_ != Phase::settling && !seen_ && covered == awaited) {
        seen_ = true;
        seen_at_ = motion_.position(axis_);
        motion_.stop();
    }
    if (motion_.busy()) return Progress::running;
    switch (phase_) {
        case Phase::proving:
            // After the full travel the axis is at its stop, whatever the flag indicated on the way.
            if (covered)
                clear();
            else
                seek();
            break;
        case Phase::seeking:
            if (!seen_) return fail(Fault::x_home_not_found, Fault::z_home_not_found);
            clear();
            break;
        case Phase::clearing:
            if (!seen_) return fail(Fault::x_home_stuck, Fault::z_home_stuck);
            approach();
            break;
        case Phase::approaching:
            if (!seen_) return fail(Fault::x_home_not_found, Fault::z_home_not_found);
            return approached();
        case Phase::settling:
            if (!covered) return fail(Fault::x_home_unrepeatable, Fault::z_home_unrepeatable);
            return Progress::done;
    }
    return Progress::running;
}

} // namespace mediarig::firmware
