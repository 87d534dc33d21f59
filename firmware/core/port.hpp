// SPDX-License-Identifier: GPL-3.0-or-later
/// One switched and measured USB port.
///
///     off -on-> inrush -window over, voltage there-> on -off-> discharging -below 0.5 V for 5 ms-> off
///                 '------------ any fault of the port ------------+-----------> tripped -on-> inrush
///
/// For 2 ms after switching on, samples are ignored (the limit switch in hardware protects the port); then the inrush
/// limit applies until the end of the window, then the port's own. Three samples at or above the trip current switch
/// off at once. Current above the limit is permitted for a time that decreases with its square.
#pragma once

#include <cstdint>

#include "common/rigproto/messages.hpp"
#include "firmware/core/io.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t port_blank_us = 2'000;
inline constexpr std::uint8_t port_trip_samples = 3;
inline constexpr std::uint16_t port_up_mv = 4'500;
inline constexpr std::uint16_t port_down_mv = 500; ///< no card keeps its state below this voltage
inline constexpr std::uint32_t port_down_lasts_us = 5'000;
inline constexpr std::uint32_t port_discharge_us = 2'000'000; ///< maximum time until the voltage is below that limit
inline constexpr std::uint32_t port_weld_check_us =
    200'000;                                         ///< a port that was off for this time must carry no current
inline constexpr std::uint16_t port_lost_mv = 2'000; ///< minimum of a port that is on
inline constexpr std::uint32_t port_lost_lasts_us = 20'000;
inline constexpr std::uint32_t port_blind_us =
    50'000; ///< a port that is on is switched off after this time without a sample
inline constexpr std::uint32_t inrush_budget_ticks = 10;    ///< 5 ms at 1.4 times the inrush limit
inline constexpr std::uint32_t overload_budget_ticks = 200; ///< 100 ms at 1.4 times the port's limit

class Port {
public:
    /// Treats the voltage as unknown until the first measurement.
    constexpr void start(std::uint64_t now_us) {
        *this = Port();
        begin_statistics(now_us);
        state_ = rigproto::PortState::discharging;
    }
    /// Call switch_on() only while `without_voltage()`: a card must have lost its state before it gets voltage again.
    constexpr void switch_on(std::uint64_t now_us);
    constexpr void switch_off(std::uint64_t now_us);

    /// Call every tick. `sample`: of this tick, or null. `limit_switch_off`: the switch in hardware has tripped.
    constexpr void tick(std::uint64_t now_us, const rigproto::Config& limits, bool card, bool limit_switch_off,
                        const PortSample* sample);

    [[nodiscard]] constexpr bool output() const { return output_; }
    [[nodiscard]] constexpr rigproto::PortState state() const { return state_; }
    [[nodiscard]] constexpr rigproto::Fault fault() const { return fault_; }
    [[nodiscard]] constexpr std::uint16_t millivolts() const {
        return newest_.millivolts;
    } ///< voltage in the newest sample
    /// True if measured to be without voltage.
    [[nodiscard]] constexpr bool without_voltage() const { return !output_ && discharged_; }
    /// True if cards may be inserted and removed. A port whose voltage was not seen while it was on may have a broken
    /// divider: its zero proves nothing until its voltage was seen again.
    [[nodiscard]] constexpr bool safe_for_cards() const { return without_voltage() && !doubted_; }
    /// True if the port is off and discharged: a low sample rate is sufficient.
    [[nodiscard]] constexpr bool settled() const { return !output_ && discharged_ && checked_ && suspicious_ == 0; }
    /// Returns all fields except `port`, `card` and `cycles`.
    [[nodiscard]] constexpr rigproto::PortStatusReply report() const;

private:
    constexpr void trip(rigproto::Fault fault, std::uint64_t now_us);
    constexpr void begin_statistics(std::uint64_t now_us);
    constexpr void sampled_on(std::uint64_t now_us, const rigproto::Config& limits, PortSample sample);
    constexpr void sampled_off(std::uint64_t now_us, const rigproto::Config& limits, PortSample sample);
    constexpr void heat_up(const rigproto::Config& limits, std::uint16_t milliamperes, std::uint64_t now_us);

    std::uint64_t switched_at_us_{};
    std::uint64_t sampled_at_us_{};
    std::uint64_t steady_since_us_{}; // time since which the voltage is on the expected side of its limit
    std::uint64_t energy_pj_{};
    std::uint64_t heat_{}; // mA^2 above the limit, summed over ticks
    PortSample newest_{};
    std::uint32_t off_time_us_{}, ramp_us_{};
    std::uint16_t min_millivolts_{}, max_milliamperes_{};
    std::uint8_t over_trip_{};  // consecutive samples
    std::uint8_t cut_off_{};    // consecutive ticks
    std::uint8_t suspicious_{}; // consecutive samples of an off port with current or voltage
    rigproto::PortState state_{};
    rigproto::Fault fault_{};
    bool output_{};
    bool was_on_{};     // the port was on since the start, so the discharge time is valid
    bool discharged_{}; // below 0.5 V for 5 ms, and not above since
    bool steady_{};     // steady_since_us_ is valid
    bool checked_{};    // no current 200 ms after switching off
    bool doubted_{};    // no voltage was seen while it was on
};

constexpr void Port::begin_statistics(std::uint64_t now_us) {
    switched_at_us_ = now_us;
    sampled_at_us_ = now_us;
    min_millivolts_ = 0xFFFF;
    max_milliamperes_ = 0;
    heat_ = 0;
    over_trip_ = cut_off_ = suspicious_ = 0;
    steady_ = false;
}

constexpr void Port::switch_on(std::uint64_t now_us) {
    if (!without_voltage()) return;
    begin_statistics(now_us);
    energy_pj_ = 0;
    ramp_us_ = 0;
    output_ = was_on_ = true;
    discharged_ = checked_ = false;
    fault_ = rigproto::Fault::none;
    state_ = rigproto::PortState::inrush;
}

constexpr void Port::switch_off(std::uint64_t now_us) {
    if (!output_) return;
    begin_statistics(now_us);
    output_ = discharged_ = checked_ = false;
    off_time_us_ = 0;
    state_ = rigproto::PortState::discharging;
}

constexpr void Port::trip(rigproto::Fault fault, std::uint64_t now_us) {
    switch_off(now_us);
    fault_ = fault;
    state_ = rigproto::PortState::tripped;
    if (fault == rigproto::Fault::port_no_voltage) doubted_ = true;
}

constexpr void Port::tick(std::uint64_t now_us, const rigproto::Config& limits, bool card, bool limit_switch_off,
                          const PortSample* sample) {
    using rigproto::Fault;
    using rigproto::PortState;
    if (sample != nullptr) {
        if (output_)
            sampled_on(now_us, limits, *sample);
        else
            sampled_off(now_us, limits, *sample);
        newest_ = *sample;
        sampled_at_us_ = now_us;
    }
    const std::uint64_t passed = now_us - switched_at_us_;
    if (!output_) {
        const bool said = fault_ == Fault::port_not_discharged || fault_ == Fault::port_welded;
        if (!discharged_ && !said && passed >= port_discharge_us) {
            fault_ = Fault::port_not_discharged;
            state_ = PortState::tripped;
        }
        return;
    }
    if (!card) return trip(Fault::card_pulled, now_us);
    cut_off_ = limit_switch_off && passed >= port_blank_us ? static_cast<std::uint8_t>(cut_off_ + 1) : std::uint8_t{0};
    if (cut_off_ >= 2) return trip(Fault::port_short, now_us);
    // Fast trip needs samples.
    if (now_us - sampled_at_us_ >= port_blind_us) return trip(Fault::port_no_voltage, now_us);
    if (state_ == PortState::inrush && passed >= 1000U * limits.inrush_window_ms) {
        if (ramp_us_ == 0) return trip(Fault::port_no_voltage, now_us);
        state_ = PortState::on;
        heat_ = 0;
    }
}

constexpr void Port::heat_up(const rigproto::Config& limits, std::uint16_t milliamperes, std::uint64_t now_us) {
    const bool inrush = state_ == rigproto::PortState::inrush;
    const std::uint32_t limit = inrush ? limits.inrush_limit_ma : limits.port_limit_ma;
    const std::uint64_t allowed = std::uint64_t{limit} * limit;
    const std::uint64_t seen = std::uint64_t{milliamperes} * milliamperes;
    const std::uint64_t hot = heat_ + seen;
    heat_ = hot > allowed ? hot - allowed : 0;
    if (heat_ > allowed * (inrush ? inrush_budget_ticks : overload_budget_ticks))
        trip(rigproto::Fault::port_overload, now_us);
}

constexpr void Port::sampled_on(std::uint64_t now_us, const rigproto::Config& limits, PortSample sample) {
    using rigproto::Fault;
    const std::uint64_t passed = now_us - switched_at_us_;
    const std::uint64_t slice = now_us - sampled_at_us_;
    energy_pj_ += std::uint64_t{sample.millivolts} * sample.milliamperes * slice; // mV mA us = 1e-12 J
    if (sample.milliamperes > max_milliamperes_) max_milliamperes_ = sample.milliamperes;
    if (ramp_us_ == 0 && sample.millivolts >= port_up_mv) {
        ramp_us_ = static_cast<std::uint32_t>(passed > 0 ? passed : 1);
        doubted_ = false;
    }
    // Until the voltage is up, the lowest value is zero and meaningless.
    if (ramp_us_ != 0 && sample.millivolts < min_millivolts_) min_millivolts_ = sample.millivolts;
    if (passed < port_blank_us) return;

    over_trip_ = sample.milliamperes >= limits.trip_ma ? static_cast<std::uint8_t>(over_trip_ + 1) : std::uint8_t{0};
    if (over_trip_ >= port_trip_samples) return trip(Fault::port_short, now_us);
    if (state_ == rigproto::PortState::on && sample.millivolts < port_lost_mv) {
        if (!steady_) steady_since_us_ = now_us;
        steady_ = true;
        if (now_us - steady_since_us_ >= port_lost_lasts_us) return trip(Fault::port_no_voltage, now_us);
    } else {
        steady_ = false;
    }
    heat_up(limits, sample.milliamperes, now_us);
}

constexpr void Port::sampled_off(std::uint64_t now_us, const rigproto::Config& limits, PortSample sample) {
    using rigproto::PortState;
    const std::uint64_t passed = now_us - switched_at_us_;
    if (sample.millivolts < min_millivolts_) min_millivolts_ = sample.millivolts;
    if (sample.milliamperes > max_milliamperes_) max_milliamperes_ = sample.milliamperes;

    const bool down = sample.millivolts < port_down_mv;
    const bool settled_late = passed >= port_weld_check_us;
    const bool configured = limits.port_limit_ma != 0;
    const bool current = configured && sample.milliamperes > limits.idle_ma;
    const bool fed = settled_late && (current || sample.millivolts >= port_up_mv);
    const bool back = discharged_ && !down;
    suspicious_ = fed || back ? static_cast<std::uint8_t>(suspicious_ < 255 ? suspicious_ + 1 : 255) : std::uint8_t{0};
    if (suspicious_ >= port_trip_samples) {
        discharged_ = steady_ = false;
        fault_ = rigproto::Fault::port_welded;
        state_ = PortState::tripped;
        return;
    }
    if (!down) {
        steady_ = false;
        return;
    }
    if (!steady_) steady_since_us_ = now_us;
    steady_ = true;
    if (!discharged_ && suspicious_ == 0 && now_us - steady_since_us_ >= port_down_lasts_us) {
        discharged_ = true;
        if (was_on_) off_time_us_ = static_cast<std::uint32_t>(passed);
        if (state_ == PortState::discharging) state_ = PortState::off;
    }
    if (settled_late && discharged_) checked_ = true;
}

constexpr rigproto::PortStatusReply Port::report() const {
    return {.state = state_,
            .fault = fault_,
            .millivolts = newest_.millivolts,
            .milliamperes = newest_.milliamperes,
            .min_millivolts = min_millivolts_ == 0xFFFF ? newest_.millivolts : min_millivolts_,
            .max_milliamperes = max_milliamperes_,
            .off_time_us = off_time_us_,
            .ramp_us = ramp_us_,
            .energy_uj = energy_pj_ / 1'000'000};
}

} // namespace mediarig::firmware
