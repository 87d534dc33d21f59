// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/detachment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mediarig::rig {
namespace {

/// Returns the rung that the evidence would prove if everything was attempted.
Rung proven_by(Rung attempted, const Evidence& evidence) {
    const bool vanished = evidence.vanished == true;
    // A device that stays without the port's supply has another supply.
    const bool stayed = evidence.vanished == false;
    const bool dead_port = evidence.supply && evidence.supply->lowest_millivolts < dead_millivolts;
    switch (attempted) {
        case Rung::withdrawn:
            if (vanished) return Rung::withdrawn;
            break;
        case Rung::mains_off:
            if (vanished && evidence.plug_watts && *evidence.plug_watts < dead_watts) return Rung::mains_off;
            break;
        case Rung::disconnected: // not provable: nothing measures that data and CC lines are open
        case Rung::supply_cut:
            if (dead_port && !stayed) return Rung::supply_cut;
            break;
        case Rung::port_disabled:
        case Rung::suspended:
        case Rung::released:
        case Rung::flushed:
            break;
    }
    return vanished ? Rung::port_disabled : Rung::released;
}

std::string_view text_of(Rung rung) {
    switch (rung) {
        case Rung::flushed:
            return "flushed";
        case Rung::released:
            return "released";
        case Rung::suspended:
            return "card power suspended";
        case Rung::port_disabled:
            return "port disabled";
        case Rung::supply_cut:
            return "supply cut";
        case Rung::disconnected:
            return "all lines opened";
        case Rung::mains_off:
            return "mains off";
        case Rung::withdrawn:
            break;
    }
    return "withdrawn";
}

double in_milliseconds(std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1e3;
}

} // namespace

Rung Detachment::reached() const {
    return std::min(attempted_, proven_by(attempted_, evidence_));
}

std::string text_of(const Detachment& detachment) {
    const Rung reached = detachment.reached();
    const Evidence& evidence = detachment.evidence();
    std::vector<std::string> seen;
    if (evidence.supply) {
        seen.push_back(fmt::format("{} mV at the lowest", evidence.supply->lowest_millivolts));
        if (evidence.supply->fall)
            seen.push_back(fmt::format("gone after {:.1f} ms", in_milliseconds(*evidence.supply->fall)));
        if (evidence.supply->ramp)
            seen.push_back(fmt::format("back after {:.1f} ms", in_milliseconds(*evidence.supply->ramp)));
    }
    if (evidence.plug_watts) seen.push_back(fmt::format("{:.1f} W at the plug", *evidence.plug_watts));
    if (evidence.vanished == false) seen.emplace_back("its device stayed");
    if (evidence.vanished == true && !evidence.supply && !evidence.plug_watts)
        seen.emplace_back("its device went away");
    if (seen.empty()) seen.emplace_back("nothing was measured");
    std::string text =
        fmt::format("{}{} (rung {}", detachment.emulated() ? "emulated: " : "", text_of(reached), number_of(reached));
    if (reached < detachment.attempted())
        text += fmt::format("; {} was attempted and not proven", text_of(detachment.attempted()));
    return fmt::format("{}): {}", text, fmt::join(seen, ", "));
}

} // namespace mediarig::rig
