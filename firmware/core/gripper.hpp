// SPDX-License-Identifier: GPL-3.0-or-later
/// The vacuum cup: pump, vent valve and pressure sensor.
///
///     idle -grip-> gripping -vacuum lasts-> holding -release-> venting -vacuum gone-> idle
///                     '-too long-> missed      '-vacuum gone-> lost      '-too long-> stuck
///
/// Homing opens the vent once more after an interrupted job. The pump is on only in gripping and holding, the valve
/// only in venting; each has a maximum time after which it switches off. Time without a sensor reading counts neither
/// for nor against vacuum.
#pragma once

#include <cstdint>
#include <optional>

namespace mediarig::firmware {

inline constexpr std::uint32_t grip_timeout_us = 1'000'000;
inline constexpr std::uint32_t grip_lasts_us = 5'000;        ///< vacuum for this time: a card is on the cup
inline constexpr std::uint32_t loss_lasts_us = 20'000;       ///< no vacuum for this time: the card fell off
inline constexpr std::uint32_t vent_least_us = 100'000;      ///< the sensor is at the pump; the cup empties later
inline constexpr std::uint32_t vent_timeout_us = 1'000'000;  ///< also the maximum time of the valve
inline constexpr std::uint32_t pump_longest_us = 60'000'000; ///< the slowest plausible transfer takes 40 s

enum class GripperState : std::uint8_t {
    idle,
    gripping,
    holding,
    missed, ///< no vacuum in time
    lost,   ///< vacuum was present and disappeared
    venting,
    stuck,   ///< vacuum remains after the vent was open
    overtime ///< the pump reached its maximum time
};

class Gripper {
public:
    constexpr void grip(std::uint64_t now_us) { enter(GripperState::gripping, now_us); }
    constexpr void release(std::uint64_t now_us) { enter(GripperState::venting, now_us); }
    /// Switches the pump off and closes the vent, with or without a card on the cup.
    constexpr void make_safe() {
        unvented_ = unvented_ || state_ != GripperState::idle;
        state_ = GripperState::idle;
    }
    /// Opens the vent if a job was interrupted since the last venting and the sensor indicates an empty cup. With a
    /// card on the cup the vent stays closed: the card would be blown onto another one. (A dead sensor indicates an
    /// empty cup too.)
    constexpr void blow_off(std::uint64_t now_us) {
        if (unvented_ && state_ == GripperState::idle && !sticks_) release(now_us);
    }

    /// `picked_mv`: threshold at or above which a card is on the cup.
    constexpr void tick(std::uint64_t now_us, std::optional<std::uint16_t> vacuum_mv, std::uint16_t picked_mv) {
        const bool vacuum = vacuum_mv && *vacuum_mv >= picked_mv;
        seen_ = vacuum_mv.has_value();
        senses_vacuum_ = vacuum;
        sticks_ = !vacuum_mv || *vacuum_mv > picked_mv / 4;
        const std::uint64_t passed = now_us - since_us_;
        switch (state_) {
            case GripperState::gripping:
                if (!vacuum) steady_since_us_ = now_us;
                if (vacuum && now_us - steady_since_us_ >= grip_lasts_us)
                    state_ = GripperState::holding; // since_us_ is unchanged: the pump's time counts from its start
                else if (passed >= grip_timeout_us)
                    state_ = GripperState::missed;
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
                    state_ = GripperState::idle;
                    unvented_ = false;
                } else if (passed >= vent_timeout_us) {
                    state_ = GripperState::stuck;
                }
                break;
            default:
                break;
        }
    }

    [[nodiscard]] constexpr GripperState state() const { return state_; }
    [[nodiscard]] constexpr bool pump() const {
        return state_ == GripperState::gripping || state_ == GripperState::holding;
    }
    [[nodiscard]] constexpr bool valve() const { return state_ == GripperState::venting; }
    [[nodiscard]] constexpr bool holding() const { return state_ == GripperState::holding; }
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
    bool unvented_{true}; // a reset may have interrupted a job
    std::uint64_t since_us_{};
    std::uint64_t steady_since_us_{}; // last time at which the sensor differed from the expected state
};

} // namespace mediarig::firmware
