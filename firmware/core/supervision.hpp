// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks that every task is alive. Only then the watchdog is fed, and the charge pump that holds the motor supply
/// continues.
#pragma once

#include <cstdint>

#include "firmware/core/step_queue.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t link_alive_us = 50'000; ///< the main loop serves the link many times per tick
inline constexpr std::uint32_t step_alive_us = 60'000; ///< longer than the longest interval of any plausible ramp

class Supervision {
public:
    constexpr void link_served() { link_served_ = true; }

    /// Call every tick, which is the sign of life of the tick itself. Returns true if all tasks are alive.
    /// `steps_waiting`: the step task has work; `taken`: steps made so far.
    constexpr bool tick(std::uint64_t now_us, bool steps_waiting, std::uint32_t taken) {
        if (link_served_ || !begun_) link_at_us_ = now_us;
        if (!steps_waiting || taken != taken_ || !begun_) steps_at_us_ = now_us;
        begun_ = true;
        link_served_ = false;
        taken_ = taken;
        return now_us - link_at_us_ < link_alive_us && now_us - steps_at_us_ < step_alive_us;
    }

private:
    std::uint64_t link_at_us_{}, steps_at_us_{};
    std::uint32_t taken_{};
    bool link_served_{}, begun_{};
};

} // namespace mediarig::firmware
