// SPDX-License-Identifier: GPL-3.0-or-later
/// Time for which the host may be silent. A host that returns late must greet and check the configuration before a new
/// job starts: it may be another host, or have missed events.
#pragma once

#include <cstdint>

namespace mediarig::firmware {

inline constexpr std::uint16_t lease_default_ms = 3000;
inline constexpr std::uint16_t lease_min_ms =
    1000; ///< well above the longest stall observed on an unloaded host, 56 ms
inline constexpr std::uint16_t lease_max_ms = 5000;
inline constexpr std::uint64_t park_after_us = 30'000'000; ///< the rig parks after this silence of the host

class Lease {
public:
    enum class Phase : std::uint8_t {
        none,   ///< no host since the board started
        held,   ///< jobs may begin
        lost,   ///< the host was silent for one lease
        parked, ///< the host was silent for park_after_us
        greeted ///< HELLO received after the loss; the configuration has not been checked yet
    };
    enum class LeaseEnd : std::uint8_t { none, lost, parked };

    constexpr void hello(std::uint64_t now_us) {
        if (phase_ == Phase::none) phase_ = Phase::held;
        if (phase_ == Phase::lost || phase_ == Phase::parked) phase_ = Phase::greeted;
        renew(now_us, lease_default_ms);
    }
    /// Returns false if the lease is lost: HELLO is required.
    constexpr bool heartbeat(std::uint64_t now_us, std::uint16_t lease_ms) {
        if (!running()) return false;
        renew(now_us, lease_ms);
        return true;
    }
    constexpr bool configured() {
        if (!running()) return false;
        phase_ = Phase::held;
        return true;
    }
    /// Returns the lease that has just lapsed; reports each loss once.
    constexpr LeaseEnd advance(std::uint64_t now_us) {
        if (running() && now_us >= renewed_us_ + lease_us_) {
            phase_ = Phase::lost;
            return LeaseEnd::lost;
        }
        if (phase_ == Phase::lost && now_us >= renewed_us_ + park_after_us) {
            phase_ = Phase::parked;
            return LeaseEnd::parked;
        }
        return LeaseEnd::none;
    }
    [[nodiscard]] constexpr Phase phase() const { return phase_; }
    [[nodiscard]] constexpr bool running() const { return phase_ == Phase::held || phase_ == Phase::greeted; }

private:
    constexpr void renew(std::uint64_t now_us, std::uint16_t lease_ms) {
        renewed_us_ = now_us;
        lease_us_ = 1000U * static_cast<std::uint64_t>(lease_ms);
    }

    Phase phase_{};
    std::uint64_t renewed_us_{};
    std::uint64_t lease_us_{};
};

} // namespace mediarig::firmware
