// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/power/hub/hub_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/rig/port/detachment_json.hpp"

namespace mediarig::rig {
namespace {

using nlohmann::json;

json in_milliseconds(const std::optional<milliseconds>& time) {
    return time ? json(time->count()) : json();
}

std::string words(const HubCycle& cycle) {
    std::string text = cycle.vanished ? fmt::format("gone after {} ms", cycle.vanished->count()) : "device stayed";
    if (cycle.came_back) text += fmt::format(", back without a command after {} ms", cycle.came_back->count());
    text += cycle.millivolts ? fmt::format(", {} mV", *cycle.millivolts) : ", voltage not measured";
    text += cycle.returned ? fmt::format(", returned after {} ms", cycle.returned->count()) : ", did not return";
    return text;
}

} // namespace

json to_json(const HubQualification& qualification) {
    json halves = json::array(), cycles = json::array();
    for (const UsbPort& half : qualification.halves) halves.push_back(half.path());
    for (const HubCycle& cycle : qualification.cycles)
        cycles.push_back({{"reported_off", cycle.reported_off},
                          {"vanished_ms", in_milliseconds(cycle.vanished)},
                          {"came_back_ms", in_milliseconds(cycle.came_back)},
                          {"neighbours", cycle.neighbours},
                          {"millivolts", cycle.millivolts ? json(*cycle.millivolts) : json()},
                          {"returned_ms", in_milliseconds(cycle.returned)}});
    const UsbDevice& device = qualification.device;
    const std::vector<std::string> faults = faults_of(qualification);
    return {{"mediarig_hub_qualification", 1},
            {"port", qualification.port.path()},
            {"halves", std::move(halves)},
            {"switching", name_of(qualification.switching)},
            {"device", {{"vendor", device.vendor}, {"product", device.product}, {"serial", device.serial}}},
            {"cycles", std::move(cycles)},
            {"faults", faults},
            {"qualified", faults.empty()},
            {"detachment", to_json(detachment_of(qualification))}};
}

std::string text_of(const HubQualification& qualification) {
    const UsbDevice& device = qualification.device;
    std::string text = fmt::format("port {} of hub {}, with {}:{} {}\n", qualification.port.number,
                                   qualification.port.hub, device.vendor, device.product, device.serial);
    for (const UsbPort& half : qualification.halves)
        if (half != qualification.port)
            text += fmt::format("  its other half: port {} of hub {}\n", half.number, half.hub);
    for (std::size_t index = 0; index < qualification.cycles.size(); ++index)
        text += fmt::format("  cycle {}: {}\n", index + 1, words(qualification.cycles[index]));
    for (const std::string& fault : faults_of(qualification)) text += fmt::format("  fault: {}\n", fault);
    text += fmt::format("  proven: {}\n", text_of(detachment_of(qualification)));
    return text + (faults_of(qualification).empty() ? "  the port qualifies\n" : "  the port does not qualify\n");
}

} // namespace mediarig::rig
