// SPDX-License-Identifier: GPL-3.0-or-later
/// Defines the detachment levels, which state how thoroughly a medium was separated from its host. The level is derived
/// from the attempt and the measurements; it cannot be set, so that no record claims more than was observed.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/enum_names.hpp"

namespace mediarig::rig {

using mediarig::name_of;

/// The values are ordered: a higher level includes the effects of the lower levels on the medium.
BOOST_DEFINE_FIXED_ENUM_CLASS(DetachLevel, std::uint8_t,
                              flushed,       ///< 0: written data flushed, cache synchronised
                              released,      ///< 1: unmounted, driver detached, or `authorized` = 0
                              suspended,     ///< 2: the reader switched off the card's power
                              port_disabled, ///< 3: data connection off; the supply may still be on
                              supply_cut,    ///< 4: supply at the port measured below 0.5 V
                              disconnected,  ///< 5: supply, data and CC lines opened
                              mains_off,     ///< 6: the enclosure's own supply is off, as measured
                              withdrawn      ///< 7: physically removed
)

[[nodiscard]] constexpr unsigned number_of(DetachLevel level) {
    return static_cast<unsigned>(level);
}

/// Threshold below which a port has no supply. Source: SD Physical Layer Specification, power cycle: VDD below 0.5 V
/// for at least 1 ms.
inline constexpr std::uint32_t dead_millivolts = 500;
/// Threshold below which a mains plug has no load; its resolution is about 0.1 W.
inline constexpr double dead_watts = 0.5;

/// Measurements of the supply while it was off.
struct SupplyReading {
    std::uint32_t lowest_millivolts{};
    std::optional<std::chrono::microseconds>
        fall; ///< time from switching off until the voltage is below 0.5 V for 5 ms
    std::optional<std::chrono::microseconds> ramp; ///< time from switching on to 4.5 V; unset: not switched on again
    bool operator==(const SupplyReading&) const = default;
};

/// Observations; an unset member was not observed.
struct Evidence {
    std::optional<bool> vanished;        ///< the block device of exactly this medium disappeared
    std::optional<SupplyReading> supply; ///< readings at the port
    std::optional<double> plug_watts;    ///< power at the switched mains plug
    bool operator==(const Evidence&) const = default;
};

/// One separation of one medium.
class Detachment {
public:
    /// `by`: the switch or person that separated the medium, in one line for the record. The medium was released before
    /// (level 1).
    Detachment(DetachLevel attempted, Evidence evidence, std::string by, bool emulated = false)
        : attempted_(attempted), evidence_(evidence), by_(std::move(by)), emulated_(emulated) {}

    [[nodiscard]] DetachLevel attempted() const { return attempted_; }
    /// Returns the proved level, which is at most attempted() and at most the level that the evidence proves.
    [[nodiscard]] DetachLevel reached() const;
    [[nodiscard]] const Evidence& evidence() const { return evidence_; }
    [[nodiscard]] const std::string& by() const { return by_; }
    /// True in the lab and on the simulated rig, where only models were separated.
    [[nodiscard]] bool emulated() const { return emulated_; }
    bool operator==(const Detachment&) const = default;

private:
    DetachLevel attempted_;
    Evidence evidence_;
    std::string by_;
    bool emulated_;
};

/// Returns "supply cut (level 4): 12 mV at the lowest, gone after 143.0 ms"; if less was reached than attempted, with
/// the reason.
[[nodiscard]] std::string text_of(const Detachment& detachment);

} // namespace mediarig::rig
