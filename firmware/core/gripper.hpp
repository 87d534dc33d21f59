// SPDX-License-Identifier: GPL-3.0-or-later
/// The gripper: a jaw that a spring closes and a solenoid opens, and a vacuum cup with pump, vent valve and pressure
/// sensor.
///
///     idle -reach-> open -grip-> gripping -vacuum lasts-> holding -release-> venting -vacuum gone-> open
///                                   '-too long-> missed      '-vacuum gone-> lost      '-too long-> stuck
///     any -test-> testing -no vacuum-> airing -> idle
///                    '-vacuum-> clings
///
/// The jaw is open only in open and venting, the pump is on only in gripping, holding and testing, the valve is open
/// only in venting; each has a maximum time after which it switches off. Time without a sensor reading counts neither
/// for nor against vacuum.
///
/// The test detects a card that is still on the cup: a closed jaw and the pump give vacuum only with a card. It takes
/// twice the time of the newest pick, because a weak pump needs longer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mediarig::firmware {

inline constexpr std::uint32_t grip_timeout_us = 1'000'000;
inline constexpr std::uint32_t grip_lasts_us = 5'000;  ///< vacuum for this time: a card is on the cup
inline constexpr std::uint32_t loss_lasts_us = 20'000; ///< no vacuum for this time: the card fell off
inline constexpr std::uint32_t vent_least_us =
    100'000; ///< minimum time of venting: the sensor is at the pump, and the cup empties later
inline constexpr std::uint32_t vent_timeout_us = 1'000'000;  ///< also the maximum time of the valve
inline constexpr std::uint32_t pump_longest_us = 60'000'000; ///< the slowest plausible transfer takes 40 s
inline constexpr std::uint32_t jaw_moves_us = 100'000;       ///< time for the jaw to open or close
inline constexpr std::uint32_t jaw_longest_us =
    15'000'000; ///< limited by the heat of the solenoid; the two slowest moves take 12 s
inline constexpr std::uint32_t test_least_us = 150'000;     ///< pump on with the jaw closed
inline constexpr std::uint32_t test_timeout_us = 3'000'000; ///< maximum time of a test without a sensor reading
inline constexpr std::uint32_t airing_longest_us = 500'000; ///< maximum time for the vacuum of a test to disappear

enum class GripperState : std::uint8_t {
    idle,
    open, ///< jaw open, pump and vent off
    gripping,
    holding,
    missed, ///< no vacuum in time
    lost,   ///< vacuum was present and disappeared
    venting,
    testing,
    airing,  ///< a test found no card, and the rest of its vacuum disappears
    clings,  ///< a test found a card on the cup
    stuck,   ///< vacuum remains after the vent was open, or a test had no sensor reading
    overtime ///< pump or jaw reached its maximum time
};

class Gripper {
public:
    /// Opens the jaw. Z may go down onto a card once `reached()`.
    constexpr void reach(std::uint64_t now_us) { enter(GripperState::open, now_us); }
    constexpr void grip(std::uint64_t now_us) { enter(GripperState::gripping, now_us); }
    constexpr void release(std::uint64_t now_us) {
        enter(GripperState::venting, now_us);
        stays_open_ = true;
    }
    /// Ends in idle or clings. Call only with Z up: a pick and a release would be indistinguishable from it.
    constexpr void test(std::uint64_t now_us) {
        enter(GripperState::testing, now_us);
        tested_us_ = 0;
    }
    /// Switches the pump off and closes the vent and the jaw, with or without a card on the cup.
    constexpr void make_safe() {
        unvented_ = unvented_ || state_ != GripperState::idle;
        state_ = GripperState::idle;
    }
    /// Closes an open jaw.
    constexpr void close() {
        if (state_ == GripperState::open) state_ = GripperState::idle;
    }
    /// Opens vent and jaw if a job was interrupted since the last venting and the sensor indicates an empty cup. With a
    /// card on the cup they stay closed: the card would fall onto another one. (A dead sensor indicates an empty cup
    /// too.)
    constexpr void blow_off(std::uint64_t now_us) {
        if (!unvented_ || state_ != GripperState::idle || sticks_) return;
        enter(GripperState::venting, now_us);
        stays_open_ = false;
    }

    /// `picked_mv`: threshold at or above which a card is on the cup.
    constexpr void tick(std::uint64_t now_us, std::optional<std::uint16_t> vacuum_mv, std::uint16_t picked_mv) {
        const bool vacuum = vacuum_mv && *vacuum_mv >= picked_mv;
        seen_ = vacuum_mv.has_value();
        senses_vacuum_ = vacuum;
        sticks_ = !vacuum_mv || *vacuum_mv > picked_mv / 4;
        const std::uint64_t passed = now_us - since_us_;
        const std::uint64_t slice = now_us - ticked_us_;
        ticked_us_ = now_us;
        switch (state_) {
            case GripperState::open:
                if (passed >= jaw_longest_us) state_ = GripperState::overtime;
                break;
            case GripperState::gripping:
                if (!vacuum) steady_since_us_ = now_us;
                if (vacuum && now_us - steady_since_us_ >= grip_lasts_us) {
                    state_ = GripperState::holding; // since_us_ is unchanged: the pump's time counts from its start
                    pick_took_us_ = static_cast<std::uint32_t>(passed);
                } else if (passed >= grip_timeout_us) {
                    state_ = GripperState::missed;
                }
                break;
            case GripperState::holding:
                if (vacuum || !seen_) steady_since_us_ = now_us;
                if (now_us - steady_since_us_ >= loss_lasts_us)
                    state_ = GripperState::lost;
                else if (passed >= pump_longest_us)
                    state_ = GripperState::overtime;
                break;
            case GripperState::venting:
                if (vacuum_mv && *vacuum_mv < picked_mv / 2 + 1 && passed >= vent_least_us) {
                    unvented_ = false;
                    if (stays_open_)
                        enter(GripperState::open, now_us);
                    else
                        state_ = GripperState::idle;
                } else if (passed >= vent_timeout_us) {
                    state_ = GripperState::stuck;
                }
                break;
            case GripperState::testing:
                if (!vacuum) steady_since_us_ = now_us;
                if (seen_) tested_us_ += static_cast<std::uint32_t>(slice);
                if (vacuum && now_us - steady_since_us_ >= grip_lasts_us)
                    state_ = GripperState::clings;
                else if (tested_us_ >= test_us())
                    enter(GripperState::airing, now_us);
                else if (passed >= test_timeout_us)
                    state_ = GripperState::stuck;
                break;
            case GripperState::airing:
                if (!sticks_ || passed >= airing_longest_us) state_ = GripperState::idle;
                break;
            default:
                break;
        }
    }

    [[nodiscard]] constexpr GripperState state() const { return state_; }
    [[nodiscard]] constexpr bool pump() const {
        return state_ == GripperState::gripping || state_ == GripperState::holding || state_ == GripperState::testing;
    }
    [[nodiscard]] constexpr bool valve() const { return state_ == GripperState::venting; }
    [[nodiscard]] constexpr bool jaw_open() const {
        return state_ == GripperState::open || state_ == GripperState::venting;
    }
    [[nodiscard]] constexpr bool holding() const { return state_ == GripperState::holding; }
    [[nodiscard]] constexpr bool reached() const {
        return state_ == GripperState::open && ticked_us_ - since_us_ >= jaw_moves_us;
    }
    [[nodiscard]] constexpr bool under_test() const {
        return state_ == GripperState::testing || state_ == GripperState::airing;
    }
    /// Time for which the pump runs in a test.
    [[nodiscard]] constexpr std::uint32_t test_us() const {
        return jaw_moves_us + std::clamp(2 * pick_took_us_, test_least_us, grip_timeout_us);
    }
    /// True if the sensor indicates vacuum now.
    [[nodiscard]] constexpr bool senses_vacuum() const { return senses_vacuum_; }
    /// True if pump and vent are off but vacuum remains or is not known: a card of an interrupted job may still be on
    /// the cup.
    [[nodiscard]] constexpr bool hanging() const { return state_ == GripperState::idle && sticks_; }

private:
    constexpr void enter(GripperState state, std::uint64_t now_us) {
        state_ = state;
        since_us_ = now_us;
        steady_since_us_ = now_us;
    }

    GripperState state_{};
    bool sticks_{}, seen_{}, senses_vacuum_{};
    bool stays_open_{};
    bool unvented_{true};                             // a reset may have interrupted a job
    std::uint32_t pick_took_us_{grip_timeout_us / 2}; // time from pump on to vacuum; the maximum before the first pick
    std::uint32_t tested_us_{};                       // time of the running test for which there was a sensor reading
    std::uint64_t since_us_{};
    std::uint64_t ticked_us_{};
    std::uint64_t steady_since_us_{}; // last time at which the sensor differed from the expected state
};

} // namespace mediarig::firmware
