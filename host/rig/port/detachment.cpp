// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/detachment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mediarig::rig {
namespace {

/// Returns the level that the evidence would prove if everything was attempted.
DetachLevel proven_by(DetachLevel attempted, const Evidence& evidence) {
    const bool vanished = evidence.vanished == true;
    // A device that stays without the port's supply has another supply.
    const bool stayed = evidence.vanished == false;
    const bool dead_port = evidence.supply && evidence.supply->lowest_millivolts < dead_millivolts;
    switch (attempted) {
        case DetachLevel::withdrawn:
            if (vanished) return DetachLevel::withdrawn;
            break;
        case DetachLevel::mains_off:
            if (vanished && evidence.plug_watts && *evidence.plug_watts < dead_watts) return DetachLevel::mains_off;
            break;
        case DetachLevel::disconnected: // not provable: nothing measures that data and CC lines are open
        case DetachLevel::supply_cut:
            if (dead_port && !stayed) return DetachLevel::supply_cut;
            break;
        case DetachLevel::port_disabled:
        case DetachLevel::suspended:
        case DetachLevel::released:
        case DetachLevel::flushed:
            break;
    }
    return vanished ? DetachLevel::port_disabled : DetachLevel::released;
}

std::string_view text_of(DetachLevel level) {
    switch (level) {
        case DetachLevel::flushed:
            return "flushed";
        case DetachLevel::released:
            return "released";
        case DetachLevel::suspended:
            return "card power suspended";
        case DetachLevel::port_disabled:
            return "port disabled";
        case DetachLevel::supply_cut:
            return "supply cut";
        case DetachLevel::disconnected:
            return "all lines opened";
        case DetachLevel::mains_off:
            return "mains off";
        case DetachLevel::withdrawn:
            break;
    }
    return "withdrawn";
}

double in_milliseconds(std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1e3;
}

} // namespace

DetachLevel Detachment::reached() const {
    return std::min(attempted_, proven_by(attempted_, evidence_));
}

std::string text_of(const Detachment& detachment) {
    const DetachLevel reached = detachment.reached();
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
        seen.emplace_back("its device disappeared");
    if (seen.empty()) seen.emplace_back("nothing was measured");
    std::string text =
        fmt::format("{}{} (level {}", detachment.emulated() ? "emulated: " : "", text_of(reached), number_of(reached));
    if (reached < detachment.attempted())
        text += fmt::format("; {} was attempted and not proven", text_of(detachment.attempted()));
    return fmt::format("{}): {}", text, fmt::join(seen, ", "));
}

} // namespace mediarig::rig
