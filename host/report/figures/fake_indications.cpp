// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/fake_indications.hpp"

#include <chrono>
#include <iterator>

namespace mediarig::report {
namespace {

/// Returns the month of the inspection: a date of manufacture after that month is a sign of a fake.
media::CalendarMonth month_of(store::TimePoint time) {
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
    return {.year = static_cast<std::uint16_t>(static_cast<int>(day.year())),
            .month = static_cast<std::uint8_t>(static_cast<unsigned>(day.month()))};
}

} // namespace

std::vector<media::Indication> fake_indications(const store::CampaignView& campaign, std::size_t device) {
    const media::Medium& medium = campaign.devices[device].device.identity;
    auto signs = media::fake_indications(medium, month_of(campaign.campaign.started));
    std::vector<media::Medium> others;
    for (std::size_t i = 0; i < campaign.devices.size(); ++i)
        if (i != device) others.push_back(campaign.devices[i].device.identity);
    auto twins = media::duplicate_indications(medium, others);
    std::move(twins.begin(), twins.end(), std::back_inserter(signs));
    return signs;
}

} // namespace mediarig::report
