// SPDX-License-Identifier: GPL-3.0-or-later
/// Switches all ports with a minimum spacing. The ports share one converter.
#pragma once

#include <array>
#include <cstdint>

#include "firmware/core/io.hpp"
#include "firmware/core/link/events.hpp"
#include "firmware/core/port.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t port_spacing_us =
    100'000; ///< minimum time between two inrushes, or between an inrush and a drop

class Ports {
public:
    explicit Ports(Events& events) : events_(&events) {}

    void start(std::uint64_t now_us);
    void tick(const Inputs& inputs, const rigproto::Config& limits, std::uint8_t cards);

    /// True if the last switching was long enough ago. Does not apply to switching off for safety.
    [[nodiscard]] bool may_switch(std::uint64_t now_us) const { return now_us - switched_at_us_ >= port_spacing_us; }
    void switch_on(std::uint8_t port, std::uint64_t now_us);
    void switch_off(std::uint8_t port, std::uint64_t now_us);
    void switch_off_all_but(std::uint8_t kept, std::uint64_t now_us);

    [[nodiscard]] const Port& operator[](std::uint8_t port) const { return ports_[port]; }
    [[nodiscard]] std::uint8_t outputs() const;       ///< bit n: port n is switched on
    [[nodiscard]] std::uint8_t ports_not_off() const; ///< bit n: the state of port n is not `off`
    [[nodiscard]] std::uint8_t tripped() const;       ///< bit n: port n has tripped
    [[nodiscard]] bool all_discharged() const;
    /// Bit n: port n needs a sample in the next tick.
    [[nodiscard]] std::uint8_t wanted() const;

private:
    struct ReportedState {
        rigproto::PortState state{};
        rigproto::Fault fault{};
        bool operator==(const ReportedState&) const = default;
    };
    void tell(std::uint8_t port, std::uint64_t now_us);

    Events* events_;
    std::array<Port, port_count> ports_{};
    std::array<ReportedState, port_count> reported_{};
    std::uint64_t switched_at_us_{};
    std::uint8_t turn_{}; // settled port that is sampled next
};

} // namespace mediarig::firmware
