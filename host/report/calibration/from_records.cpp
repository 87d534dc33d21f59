// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/calibration/from_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace mediarig::calibration {
namespace {

using Values = std::vector<ChartedValue>;

/// Calls `visitor` with each value of this cell and its device.
void visit(const std::vector<store::CampaignView>& campaigns, const std::string& cell,
           const std::function<void(const store::DeviceRecord&, ChartedValue)>& visitor) {
    for (const store::CampaignView& campaign : campaigns)
        for (const store::DeviceView& device : campaign.devices)
            for (const store::PassView& pass : device.passes)
                for (const workload::CellResult& result : pass.cells) {
                    if (result.cell.id != cell || result.elapsed.count() <= 0) continue;
                    // Bytes per nanosecond, times 1000: 10^6 bytes per second.
                    const double rate =
                        static_cast<double>(result.moved.count) * 1e3 / static_cast<double>(result.elapsed.count());
                    visitor(device.device, {.at = pass.pass.started, .value = rate});
                }
}

} // namespace

Result<StudiedGage> gage_from(std::vector<store::CampaignView> campaigns, const std::string& cell) {
    std::map<std::string, std::map<std::string, Values>> by_part;
    std::set<std::string> slots;
    visit(campaigns, cell, [&](const store::DeviceRecord& device, ChartedValue value) {
        if (device.slot.empty()) return;
        by_part[device.key][device.slot].push_back(value);
        slots.insert(device.slot);
    });
    if (by_part.empty())
        return fail(
            Errc::bad_request,
            fmt::format(
                "no campaign measured the cell \"{}\" in a slot: mediarig results --json lists the ids of cells",
                cell));
    StudiedGage studied;
    studied.slots.assign(slots.begin(), slots.end());
    std::size_t trials = std::numeric_limits<std::size_t>::max();
    for (auto& [part, of_slots] : by_part) {
        std::size_t fewest = of_slots.size() == slots.size() ? std::numeric_limits<std::size_t>::max() : 0;
        for (auto& [slot, values] : of_slots) fewest = std::min(fewest, values.size());
        if (fewest < 2) {
            studied.left_out.push_back(fmt::format("{}: measured in {} of {} slots, at least {} times in each", part,
                                                   of_slots.size(), slots.size(), fewest));
            continue;
        }
        studied.parts.push_back(part);
        trials = std::min(trials, fewest);
    }
    if (studied.parts.size() < 2 || slots.size() < 2)
        return fail(
            Errc::bad_request,
            fmt::format("cell \"{}\": {} media were measured at least twice in each of {} slots: "
                        "a gage study requires at least 2 media and 2 slots, usually 10 media, 3 slots and 3 trials",
                        cell, studied.parts.size(), slots.size()));
    studied.data = {.parts = studied.parts.size(), .slots = slots.size(), .trials = trials, .values = {}};
    for (const std::string& part : studied.parts)
        for (const std::string& slot : studied.slots) {
            Values& values = by_part.at(part).at(slot);
            std::ranges::stable_sort(values, {}, &ChartedValue::at);
            for (std::size_t trial = 0; trial < trials; ++trial) studied.data.values.push_back(values[trial].value);
        }
    return studied;
}

Result<std::vector<ChartedValue>> chart_from(const std::vector<store::CampaignView>& campaigns,
                                             const std::string& device, const std::string& cell) {
    Values values;
    visit(campaigns, cell, [&](const store::DeviceRecord& record, ChartedValue value) {
        if (record.key == device || record.name == device) values.push_back(value);
    });
    if (values.empty())
        return fail(
            Errc::bad_request,
            fmt::format(
                "no campaign measured the cell \"{}\" on a medium \"{}\": mediarig results --json lists keys and cells",
                cell, device));
    std::ranges::stable_sort(values, {}, &ChartedValue::at);
    return values;
}

} // namespace mediarig::calibration
