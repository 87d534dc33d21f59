// SPDX-License-Identifier: GPL-3.0-or-later
/// Computes trapezoid ramps for stepper motors in integers, as the interval from each step to the next.
///
/// Rule: c(n) = c(n-1) - 2 c(n-1) / (4n + 1), the linear approximation of a constant acceleration; first interval 0.676
/// sqrt(2 / a), which corrects the error of the approximation at the start (Atmel application note AVR446). Intervals
/// are in 1/256 us and the remainder of each division is carried, so that the curve does not stall at high speed.
/// 64-bit divisions occur only when limits are computed.
#pragma once

#include <cstdint>

namespace mediarig::firmware {

/// Intervals in 1/256 us.
struct RampLimits {
    std::uint32_t first{};   ///< interval after the first step from standstill
    std::uint32_t fastest{}; ///< interval at full speed; whole us, rounded up: never exceeds the requested speed
    bool operator==(const RampLimits&) const = default;
};

/// Returns the largest integer whose square is at most `value`.
[[nodiscard]] constexpr std::uint32_t square_root(std::uint64_t value) {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1)
        if ((root | bit) * (root | bit) <= value) root |= bit;
    return static_cast<std::uint32_t>(root);
}

/// `speed` in steps/s and `acceleration` in steps/s^2, both at least 1.
[[nodiscard]] constexpr RampLimits ramp_limits(std::uint32_t speed, std::uint32_t acceleration) {
    constexpr std::uint64_t scale = 676ULL * 1000 * 256; // 0.676 s in 1/256 us
    return {square_root(2 * scale * scale / acceleration), (1000000U + speed - 1) / speed * 256};
}

class Ramp {
public:
    constexpr Ramp() = default;
    constexpr Ramp(RampLimits limits, std::uint32_t steps) : limits_{limits}, current_{limits.first}, left_{steps} {}

    /// Number of steps not yet returned by next().
    [[nodiscard]] constexpr std::uint32_t left() const { return left_; }

    /// Takes one step and returns the interval to the next one in us. After the last step this is the interval of a
    /// start, as a pause before the next motion. Requires left() > 0.
    constexpr std::uint32_t next() {
        --left_;
        if (left_ == 0) return whole_us(slower(limits_.first, limits_.fastest));
        // A stop from level k takes k slower intervals after this one, so `left_ - 1` is the highest permitted level.
        const std::uint32_t highest = left_ - 1;
        if (!started_)
            started_ = true;
        else if (level_ < highest)
            return faster();
        else if (level_ > highest)
            slow_down();
        return whole_us(slower(current_, limits_.fastest));
    }

    /// Shortens the remaining motion to a ramp down to standstill.
    constexpr void stop() {
        const std::uint32_t needed = started_ ? level_ + 1 : 0;
        if (left_ > needed) left_ = needed;
    }

private:
    static constexpr std::uint32_t slower(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
    static constexpr std::uint32_t whole_us(std::uint32_t interval) { return (interval + 128) >> 8; }

    constexpr std::uint32_t faster() {
        const std::uint32_t dividend = 2 * current_ + carried_;
        const std::uint32_t divisor = 4 * (level_ + 1) + 1;
        const std::uint32_t shorter = current_ - dividend / divisor;
        // At full speed the level stays constant: the ramp down mirrors the ramp up from here.
        if (shorter < limits_.fastest) return whole_us(limits_.fastest);
        carried_ = dividend % divisor;
        current_ = shorter;
        ++level_;
        return whole_us(current_);
    }

    constexpr void slow_down() {
        if (!slowing_) carried_ = 0;
        slowing_ = true;
        const std::uint32_t dividend = 2 * current_ + carried_;
        const std::uint32_t divisor = 4 * level_ - 1;
        current_ += dividend / divisor;
        carried_ = dividend % divisor;
        --level_;
    }

    RampLimits limits_{};
    std::uint32_t current_{}; // 1/256 us
    std::uint32_t carried_{};
    std::uint32_t level_{}; // number of intervals between standstill and this speed
    std::uint32_t left_{};
    bool started_{};
    bool slowing_{};
};

} // namespace mediarig::firmware
