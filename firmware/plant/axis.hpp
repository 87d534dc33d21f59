// SPDX-License-Identifier: GPL-3.0-or-later
/// One axis: a stepper that can lose steps, and a home flag.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/plant/config.hpp"
#include "firmware/plant/fingerprint.hpp"

namespace mediarig::plant {

class AxisModel {
public:
    AxisModel() = default;
    explicit AxisModel(const AxisConfig& config) : config_(config), position_(config.start) { update_flag(); }

    /// Returns true if the axis moved.
    bool step(int direction, Nanoseconds at);
    [[nodiscard]] std::int32_t position() const { return position_; }
    [[nodiscard]] std::uint32_t steps_made() const { return made_; }
    [[nodiscard]] bool flag() const; ///< state of the sensor, faults included

    enum class Flag : std::uint8_t { fine, covered, open };
    void break_flag(Flag flag) { flag_fault_ = flag; }
    void drift_flag(std::int32_t steps) { wander_ = steps; }
    /// The axis cannot pass `position`.
    void jam(std::int32_t position);
    void free();
    void weaken(std::uint32_t steps_per_second) { weak_above_ = steps_per_second; } ///< 0: full strength
    void lose(std::uint32_t steps) { owed_ += steps; }
    /// Moves the axis by hand, at most to its stops.
    void push(std::int32_t steps);

    void add_to(StateHash& hash) const;

private:
    [[nodiscard]] bool blocked(std::int32_t next) const;
    [[nodiscard]] std::int32_t edge() const;
    void update_flag();

    AxisConfig config_;
    std::int32_t position_{};
    bool covered_{};
    std::uint64_t approaches_{};
    Flag flag_fault_{Flag::fine};
    std::int32_t wander_{};
    std::optional<std::int32_t> jam_;
    std::uint32_t weak_above_{}, owed_{}, made_{};
    Nanoseconds last_step_{};
};

} // namespace mediarig::plant
