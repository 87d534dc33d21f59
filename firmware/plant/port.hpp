// SPDX-License-Identifier: GPL-3.0-or-later
/// One switched port: limit switch, load with its capacitor, and what can be wrong with either.
///
/// Switching on charges the capacitor with the switch's limited current, so the voltage rises in a straight line;
/// switching off lets it decay. In between there is nothing to integrate, so looking costs and changes nothing.
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
    void draw_more(std::uint16_t milliamperes, Nanoseconds at);
    void mend(Nanoseconds at);

    [[nodiscard]] firmware::PortSample sample(Nanoseconds at) const;
    [[nodiscard]] bool fault_pin() const { return cut_off_; } ///< the switch says that it gave up
    [[nodiscard]] bool live() const { return live_; }         ///< since it rose above 4.5 V, until it falls below 0.5 V
    [[nodiscard]] double millivolts(Nanoseconds at) const;

    enum class Change : std::uint8_t { none, up, down };
    /// When the voltage crosses a level that counts, or the switch gives up.
    [[nodiscard]] std::optional<Nanoseconds> next_event(Nanoseconds now) const;
    /// To be called at that time.
    Change settle(Nanoseconds at);
    void add_to(Fingerprint& hash) const;

    static constexpr double up_mv = 4'500, down_mv = 500;

private:
    void rebase(Nanoseconds at);
    [[nodiscard]] double target() const; ///< mV in the end
    [[nodiscard]] double slope() const;  ///< mV/ns while it charges
    [[nodiscard]] double lag() const;    ///< ns, of the decay
    [[nodiscard]] double load_ma() const;
    /// More is asked for than the limit switch lets through.
    [[nodiscard]] bool limited() const { return fault_ == Fault::shorted || load_ma() > config_.limit_ma; }
    [[nodiscard]] bool rising() const { return conducting_ && start_ < target(); }
    [[nodiscard]] Nanoseconds when_charged() const;

    PortConfig config_;
    Fault fault_{Fault::none};
    std::uint16_t extra_ma_{};
    bool commanded_{}, conducting_{}, cut_off_{}, card_{}, live_{};
    double start_{};
    Nanoseconds since_{};    ///< of start_
    Nanoseconds limiting_{}; ///< since the switch conducts
};

} // namespace mediarig::plant
