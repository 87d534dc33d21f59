// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign whose devices are read one after the other: a thousand of them do not fit into memory at once, and the
/// answer about most of them stands in their verdicts.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "host/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Fills in of one device of an outline (Store::outline) what the outline leaves out. It keeps its identity and its
/// place. Fails as Store::load_device.
using LoadDevice = std::function<Result<void>(store::DeviceView& device)>;

/// Of so many devices are charts, tables and what the numbers rest on.
inline constexpr std::size_t most_detailed = 12;

/// The campaign with these devices alone, in this order.
[[nodiscard]] inline store::CampaignView only(store::CampaignView&& campaign, const std::vector<std::size_t>& devices) {
    store::CampaignView view{.campaign = std::move(campaign.campaign), .devices = {}};
    for (const std::size_t device : devices) view.devices.push_back(std::move(campaign.devices[device]));
    return view;
}

/// Back to what an outline holds.
inline void forget(store::DeviceView& device) {
    store::DeviceView outline{.device = std::move(device.device),
                              .passes = {},
                              .made = {},
                              .checks = {},
                              .findings = {},
                              .untested = {},
                              .verdict = std::move(device.verdict)};
    outline.device.found.reset();
    device = std::move(outline);
}

} // namespace mediarig::report
