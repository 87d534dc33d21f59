// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/carriage.hpp"

#include "firmware/core/geometry.hpp"

namespace mediarig::firmware {

using rigproto::Fault;
using rigproto::JobStage;

void Carriage::configure(const rigproto::Config& rig) {
    motors_off();
    rig_ = rig;
    tolerance_ = rig.home_tolerance;
    const auto slow = static_cast<std::uint32_t>(rig.home_speed);
    const auto x_acceleration = static_cast<std::uint32_t>(rig.x_acceleration);
    const auto z_acceleration = static_cast<std::uint32_t>(rig.z_acceleration);
    x_limits_ = ramp_limits(static_cast<std::uint32_t>(rig.x_speed), x_acceleration);
    z_limits_ = ramp_limits(static_cast<std::uint32_t>(rig.z_speed), z_acceleration);
    x_slow_ = ramp_limits(slow, x_acceleration);
    z_slow_ = ramp_limits(slow, z_acceleration);
}

void Carriage::home(std::uint64_t now_us) {
    if (busy()) return;
    homed_ = false;
    proven_ = z_up_;
    z_up_ = false;
    began_us_ = now_us;
    activity_ = Activity::energising;
}

void Carriage::move(Axis axis, std::int32_t target) {
    if (busy() || !homed_) return;
    axis_ = axis;
    before_ = position(axis);
    x_before_ = position(Axis::x);
    motion_.start(axis, target, full_speed(axis));
    activity_ = Activity::moving;
    waited_ = 0;
}

void Carriage::to_origin(Axis axis) {
    if (busy() || !homed_) return;
    axis_ = axis;
    before_ = position(axis);
    x_before_ = position(Axis::x);
    motion_.start(axis, 0, full_speed(axis));
    activity_ = Activity::returning;
    waited_ = 0;
}

void Carriage::stop() {
    if (activity_ == Activity::none) return;
    if (activity_ == Activity::energising) return motors_off();
    motion_.stop();
    activity_ = Activity::stopping;
}

void Carriage::abort() {
    motion_.abort();
    activity_ = Activity::none;
    homed_ = false;
    flag_doubt_.reset();
    comb_doubt_.reset();
}

void Carriage::motors_off() {
    abort();
    motors_on_ = false;
}

JobStage Carriage::homing_stage() const {
    return activity_ == Activity::homing_x ? JobStage::homing_x : JobStage::homing_z;
}

Fault Carriage::raise(Fault fault, Axis axis) {
    abort();
    fault_axis_ = axis;
    return fault;
}

Fault Carriage::tick(const Inputs& inputs) {
    x_flag_.tick(inputs.x_home);
    z_flag_.tick(inputs.z_home);
    driver_error_.tick(inputs.driver_fault);
    if (!z_flag_.value() || (homed_ && !retracted())) z_up_ = false;
    if (retracted()) z_up_ = true;
    watch_z(inputs.now_us);
    // A driver in error has released its motor, also at standstill.
    if (motors_on_ && driver_error_.value()) return raise(Fault::driver_fault, axis_);
    if (!busy()) return Fault::none;
    if (const Fault fault = watch(inputs); fault != Fault::none) return fault;
    const Fault fault = proceed(inputs.now_us);
    motion_.feed();
    before_ = position(axis_);
    x_before_ = position(Axis::x);
    return fault;
}

void Carriage::watch_z(std::uint64_t now_us) {
    // The drivers move nothing before their supply has risen.
    const bool moved = busy() && activity_ != Activity::energising && axis_ == Axis::z;
    z_left_up_ = z_up_ || (z_left_up_ && !moved);
    if (z_flag_.value()) z_covered_at_us_ = now_us;
    z_falls_ = z_left_up_ && now_us - z_covered_at_us_ >= z_falls_us;
}

Fault Carriage::watch(const Inputs& inputs) {
    if (activity_ == Activity::energising) return Fault::none;
    // Check the sensor regardless of the step count: X motion with Z down would tear the cup off.
    if (axis_ == Axis::x && !z_flag_.value()) return raise(Fault::jam, Axis::z);
    const bool flag = axis_ == Axis::x ? inputs.x_home : inputs.z_home;
    if (flag_doubt_.tick(homed_ && !flag_agrees(flag, before_, position(axis_), tolerance_)))
        return raise(Fault::jam, axis_);
    // Check X also while Z moves: the carriage may have been pushed.
    if (comb_doubt_.tick(homed_ && !comb_agrees(rig_, inputs.x_comb, x_before_, position(Axis::x))))
        return raise(Fault::jam, Axis::x);
    return Fault::none;
}

Fault Carriage::proceed(std::uint64_t now_us) {
    switch (activity_) {
        case Activity::none:
            break;
        case Activity::energising:
            if (!motors_on_) {
                if (now_us - began_us_ < supply_rises_us) break;
                motors_on_ = true;
                energised_at_us_ = now_us;
            }
            if (now_us - energised_at_us_ < energise_us) break;
            activity_ = Activity::homing_z;
            axis_ = Axis::z;
            homing_.start(rig_, Axis::z, covered(Axis::z), proven_);
            break;
        case Activity::homing_z:
        case Activity::homing_x:
            return home_on();
        case Activity::moving:
            // Two of three samples decide on the flag, so its value is that of the end of the motion only after three
            // ticks.
            if (!motion_.busy() && ++waited_ >= 3) activity_ = Activity::none;
            break;
        case Activity::stopping:
            if (!motion_.busy()) activity_ = Activity::none;
            break;
        case Activity::returning:
            if (motion_.busy()) break;
            if (covered(axis_)) {
                activity_ = Activity::none;
                break;
            }
            if (++waited_ < 3) break; // two of three samples
            // The flag's edge may be off by a few steps: search within the tolerance.
            motion_.start(axis_, -tolerance_, slow_speed(axis_));
            activity_ = Activity::creeping;
            break;
        case Activity::creeping:
            if (covered(axis_)) {
                motion_.stop();
                if (!motion_.busy()) activity_ = Activity::none;
            } else if (!motion_.busy()) {
                return raise(Fault::jam, axis_);
            }
            break;
    }
    return Fault::none;
}

Fault Carriage::home_on() {
    switch (homing_.advance(covered(axis_))) {
        case Homing::Progress::running:
            break;
        case Homing::Progress::failed:
            return raise(homing_.fault(), axis_);
        case Homing::Progress::done:
            if (activity_ == Activity::homing_z) {
                activity_ = Activity::homing_x;
                axis_ = Axis::x;
                homing_.start(rig_, Axis::x, covered(Axis::x), true);
            } else {
                activity_ = Activity::none;
                homed_ = true;
            }
            break;
    }
    return Fault::none;
}

} // namespace mediarig::firmware
