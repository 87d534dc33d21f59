// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/device_choice.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "host/app/campaign_list.hpp"

namespace mediarig::cli {

void add_device_option(CLI::App& command, std::string& device) {
    command.add_option("--device", device, "one device only: its key, name in the plan, serial, label or nickname");
}

void note_newer(const Console& console, const std::string& store, const std::string& campaign) {
    if ((campaign.empty() || campaign == "last") && app::is_campaign_starting(store))
        console.err << "mediarig: a newer campaign is starting; this is the one before it\n";
}

Result<std::vector<std::size_t>> chosen_devices(const store::CampaignView& campaign, const std::string& word) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < campaign.devices.size(); ++i) {
        const store::DeviceRecord& device = campaign.devices[i].device;
        if (word.empty() || device.key == word || device.name == word || device.identity.serial == word ||
            device.label == word)
            chosen.push_back(i);
    }
    if (chosen.empty() && !word.empty())
        return fail(Errc::bad_request, fmt::format("campaign {} has no device '{}'; leave out --device to see them all",
                                                   campaign.campaign.id, word));
    return chosen;
}

Result<void> keep_chosen(store::CampaignView& campaign, const std::string& word) {
    const auto chosen = chosen_devices(campaign, word);
    if (!chosen) return fail(chosen.error());
    std::vector<store::DeviceView> kept;
    for (const std::size_t device : *chosen) kept.push_back(std::move(campaign.devices[device]));
    campaign.devices = std::move(kept);
    return {};
}

} // namespace mediarig::cli
