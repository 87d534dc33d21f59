// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds the origin of one axis: search, back off, approach slowly, back off, approach again and compare.
///
/// If the Z flag is covered at the start, but Z was not observed to come up, Z may be down and the flag faulty. Z is
/// first driven up by its whole travel, against the stop if necessary, and then down until the flag opens.
///
///     start -- flag open ----> seeking --covered--> (ramp) --> clearing --open--> (ramp) --> approaching
///       '---- flag covered --------------------------------------^    ^                          |covered
///                                                                     '------- first time -------+
///                                              settled at 0 <---- second time, within tolerance -'
#pragma once

#include <cstdint>

#include "common/rigproto/messages.hpp"
#include "firmware/core/motion.hpp"

namespace mediarig::firmware {

class Homing {
public:
    explicit Homing(Motion& motion) : motion_(motion) {}

    /// Call only at standstill. `proven`: a covered flag is reliable.
    void start(const rigproto::Config& rig, Axis axis, bool covered, bool proven);
    enum class Progress : std::uint8_t { running, done, failed };
    /// Call every tick until it no longer returns running. Ends at standstill; a failure is returned immediately.
    Progress advance(bool covered);
    /// Fault of this axis after a failure.
    [[nodiscard]] rigproto::Fault fault() const { return fault_; }

private:
    enum class Phase : std::uint8_t { proving, seeking, clearing, approaching, settling };

    void prove();
    void seek();
    void clear();
    void approach();
    Progress approached();
    Progress fail(rigproto::Fault x_fault, rigproto::Fault z_fault);

    Motion& motion_;
    RampLimits fast_{}, slow_{};
    std::int32_t travel_{};
    std::int32_t tolerance_{};
    std::int32_t seen_at_{};  // position at which the flag changed in this phase
    std::int32_t first_at_{}; // position found by the first approach
    Axis axis_{};
    Phase phase_{};
    bool seen_{};
    bool second_{};
    rigproto::Fault fault_{};
};

} // namespace mediarig::firmware
