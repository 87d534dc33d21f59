// SPDX-License-Identifier: GPL-3.0-or-later
/// Models the pressure in the cup, which approaches the value set by pump, vent and seal with a first-order lag.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/plant/config.hpp"
#include "firmware/plant/fingerprint.hpp"

namespace mediarig::plant {

class VacuumModel {
public:
    VacuumModel() = default;
    explicit VacuumModel(const VacuumConfig& config) : config_(config) {}

    struct Conditions {
        bool pump{}, vent{}, sealed{};
        bool operator==(const Conditions&) const = default;
    };
    void set(const Conditions& conditions, Nanoseconds at);
    [[nodiscard]] double millivolts(Nanoseconds at) const;
    /// True if the vacuum can carry a card.
    [[nodiscard]] bool grips(Nanoseconds at) const { return millivolts(at) >= config_.grips_mv; }
    [[nodiscard]] bool drops(Nanoseconds at) const { return millivolts(at) < config_.drops_mv; }
    /// Time at which the vacuum becomes strong enough to hold a card, or too weak; after the last set().
    [[nodiscard]] std::optional<Nanoseconds> grip_time() const {
        return target() > start_ ? crossing(config_.grips_mv) : std::nullopt;
    }
    [[nodiscard]] std::optional<Nanoseconds> drop_time() const {
        return target() < start_ ? crossing(config_.drops_mv - 0.5) : std::nullopt;
    }
    void add_to(StateHash& hash) const;

private:
    [[nodiscard]] std::optional<Nanoseconds> crossing(double level) const;
    [[nodiscard]] double target() const;
    [[nodiscard]] double lag() const; ///< time constant, ns

    VacuumConfig config_;
    Conditions conditions_;
    double start_{};
    Nanoseconds since_{};
};

} // namespace mediarig::plant
