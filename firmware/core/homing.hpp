// SPDX-License-Identifier: GPL-3.0-or-later
/// Finding the origin of one axis: search, back off, approach slowly, back off, approach once more and compare.
///
/// A Z axis that is covered although nobody has seen it come up may hang down behind a flag that lies: it is first
/// driven up by its whole travel, against the stop if it is there already, and only then down until the flag opens.
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

    /// Only while nothing moves.
    /// `proven`: a covered flag is to be believed.
    void start(const rigproto::Config& rig, Axis axis, bool covered, bool proven);
    enum class Progress : std::uint8_t { running, done, failed };
    /// Every tick until it is no longer running; ends at rest, except when it fails: then at once.
    Progress advance(bool covered);
    /// Of this axis, once it has failed.
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
    std::int32_t seen_at_{};  // where the flag changed in this phase
    std::int32_t first_at_{}; // where the first approach found it
    Axis axis_{};
    Phase phase_{};
    bool seen_{};
    bool second_{};
    rigproto::Fault fault_{};
};

} // namespace mediarig::firmware
