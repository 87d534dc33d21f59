// SPDX-License-Identifier: GPL-3.0-or-later
/// Both axes: homing, moves, and checks during motion. One axis moves at a time; X moves only while Z is retracted
/// according to its sensor. At each home flag or comb tooth the step count is compared with the sensor. Two of three
/// samples decide on every sensor and on every fault.
#pragma once

#include <cstdint>

#include "common/rigproto/messages.hpp"
#include "firmware/core/homing.hpp"
#include "firmware/core/io.hpp"
#include "firmware/core/motion.hpp"
#include "firmware/core/two_of_three.hpp"

namespace mediarig::firmware {

/// Time until the motors' supply has risen and the drivers no longer report undervoltage.
inline constexpr std::uint32_t supply_rises_us = 20'000;
inline constexpr std::uint32_t energise_us = 140'000; ///< the drivers measure their motors at standstill
inline constexpr std::uint32_t z_falls_us = 5'000; ///< minimum open time at rest, to ignore flicker at the flag's edge

/// True if a home flag agrees with the step count. `before` and `now`: positions at the last tick and at this one; the
/// flag was sampled in between.
[[nodiscard]] constexpr bool flag_agrees(bool covered, std::int32_t before, std::int32_t now, std::int32_t tolerance) {
    const std::int32_t least = before < now ? before : now;
    const std::int32_t most = before < now ? now : before;
    return covered ? least <= tolerance : most >= -tolerance;
}

class Carriage {
public:
    explicit Carriage(StepQueue& queue) : motion_(queue), homing_(motion_) {}

    /// Clears the position of both axes.
    void configure(const rigproto::Config& rig);

    // Start one of these at a time, and only while not busy.
    void home(std::uint64_t now_us);           ///< Z, then X
    void move(Axis axis, std::int32_t target); ///< call only while homed; for X only while Z is retracted
    void to_origin(Axis axis);                 ///< checks the count against the flag; retracts Z

    void stop();       ///< stops with a ramp; after interrupted homing the axes are not homed
    void abort();      ///< immediately; clears the home position
    void motors_off(); ///< immediately; clears the home position

    /// Checks the sensors and advances. On a fault all motion has been stopped immediately; `fault_axis()` returns the
    /// axis.
    rigproto::Fault tick(const Inputs& inputs);

    [[nodiscard]] bool busy() const { return activity_ != Activity::none; }
    [[nodiscard]] bool homed() const { return homed_; }
    [[nodiscard]] bool motors_on() const { return motors_on_; }
    [[nodiscard]] bool energising() const { return activity_ == Activity::energising; }
    /// True if Z is at its origin according to step count and sensor.
    [[nodiscard]] bool retracted() const { return homed_ && z_flag_.value() && position(Axis::z) <= tolerance_; }
    /// True if Z was seen to reach its origin and its sensor has stayed covered since. A covered sensor alone proves
    /// nothing.
    [[nodiscard]] bool z_up() const { return z_up_; }
    /// True if the sensor opened although Z was up and was not moved: then Z falls.
    [[nodiscard]] bool z_falls() const { return z_falls_; }
    [[nodiscard]] std::int32_t position(Axis axis) const { return motion_.position(axis); }
    [[nodiscard]] Axis fault_axis() const { return fault_axis_; }
    /// homing_z or homing_x while homing.
    [[nodiscard]] rigproto::JobStage homing_stage() const;

private:
    enum class Activity : std::uint8_t { none, energising, homing_z, homing_x, moving, returning, creeping, stopping };

    [[nodiscard]] bool covered(Axis axis) const { return axis == Axis::x ? x_flag_.value() : z_flag_.value(); }
    [[nodiscard]] RampLimits full_speed(Axis axis) const { return axis == Axis::x ? x_limits_ : z_limits_; }
    [[nodiscard]] RampLimits slow_speed(Axis axis) const { return axis == Axis::x ? x_slow_ : z_slow_; }
    void watch_z(std::uint64_t now_us);
    rigproto::Fault watch(const Inputs& inputs);
    rigproto::Fault proceed(std::uint64_t now_us);
    rigproto::Fault home_on();
    rigproto::Fault raise(rigproto::Fault fault, Axis axis);

    Motion motion_;
    Homing homing_;
    TwoOfThree x_flag_, z_flag_, driver_error_;
    TwoOfThree flag_doubt_, comb_doubt_; // a sample of the sensor differs from the step count
    rigproto::Config rig_{};
    RampLimits x_limits_{}, z_limits_{}, x_slow_{}, z_slow_{};
    std::int32_t tolerance_{};
    std::uint8_t waited_{};                        // ticks since the end of a motion
    std::int32_t before_{};                        // position of the moving axis at the last tick
    std::int32_t x_before_{};                      // position of X at the last tick
    std::uint64_t began_us_{}, energised_at_us_{}; // start of homing; time of energising
    std::uint64_t z_covered_at_us_{};              // last time at which Z was covered
    Axis axis_{};                                  // the moving axis
    Axis fault_axis_{};
    Activity activity_{};
    bool homed_{}, motors_on_{}, z_up_{};
    bool z_left_up_{}; // Z was up after its last motion
    bool z_falls_{};
    bool proven_{}; // Z was up when homing began
};

} // namespace mediarig::firmware
