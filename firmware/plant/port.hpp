// SPDX-License-Identifier: GPL-3.0-or-later
/// Models one switched port: the limit switch, the load with its capacitor, and their faults.
///
/// Switching on charges the capacitor with the switch's limited current, so the voltage rises linearly; switching off
/// lets it decay. Both have a closed form, so reading the voltage changes nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/core/io.hpp"
#include "firmware/plant/config.hpp"
#include "firmware/plant/fingerprint.hpp"

namespace mediarig::plant {

class PortModel {
public:
    PortModel() = default;
    explicit PortModel(const PortConfig& config) : config_(config) {}

    enum class Fault : std::uint8_t { none, shorted, welds, stuck_on, dead, back_fed, slow, cuts_off };

    void command(bool on, Nanoseconds at);
    void load_card(bool present, Nanoseconds at);
    void break_by(Fault fault, Nanoseconds at);
    void add_current(std::uint16_t milliamperes, Nanoseconds at);
    void repair(Nanoseconds at);

    [[nodiscard]] firmware::PortSample sample(Nanoseconds at) const;
    [[nodiscard]] bool fault_pin() const { return cut_off_; } ///< the switch reports that it has tripped
    [[nodiscard]] bool live() const { return live_; }         ///< true from a voltage above 4.5 V until one below 0.5 V
    [[nodiscard]] double millivolts(Nanoseconds at) const;

    enum class Change : std::uint8_t { none, up, down };
    /// Time at which the voltage crosses a relevant level or the switch trips.
    [[nodiscard]] std::optional<Nanoseconds> next_event(Nanoseconds now) const;
    /// Call at the time that next_event() returns.
    Change settle(Nanoseconds at);
    void add_to(StateHash& hash) const;

    static constexpr double up_mv = 4'500, down_mv = 500;

private:
    void rebase(Nanoseconds at);
    [[nodiscard]] double target() const; ///< final voltage in mV
    [[nodiscard]] double slope() const;  ///< mV/ns while charging
    [[nodiscard]] double lag() const;    ///< time constant of the decay in ns
    [[nodiscard]] double load_ma() const;
    /// True if the load exceeds the current of the limit switch.
    [[nodiscard]] bool limited() const { return fault_ == Fault::shorted || load_ma() > config_.limit_ma; }
    [[nodiscard]] bool rising() const { return conducting_ && start_ < target(); }
    [[nodiscard]] Nanoseconds charge_time() const;

    PortConfig config_;
    Fault fault_{Fault::none};
    std::uint16_t extra_ma_{};
    bool commanded_{}, conducting_{}, cut_off_{}, card_{}, live_{};
    double start_{};
    Nanoseconds since_{};    ///< time of start_
    Nanoseconds limiting_{}; ///< time since which the switch conducts
};

} // namespace mediarig::plant
