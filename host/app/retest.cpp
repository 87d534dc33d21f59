// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/retest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include "host/app/campaign_list.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/store/sqlite/open_store.hpp"

namespace mediarig::app {
namespace {

plan::Plan without_confirmations(plan::Plan plan) {
    for (plan::MediumRef& medium : plan.media) medium.confirm.clear();
    return plan;
}

bool is_of(const store::CampaignRecord& campaign, const plan::Plan& plan) {
    const auto kept = plan::parse_plan_to_look(campaign.plan);
    return kept && without_confirmations(*kept) == plan;
}

std::string names_of(const std::vector<measure::Grade>& grades) {
    std::string text;
    for (const measure::Grade grade : grades) text += fmt::format("{}{}", text.empty() ? "" : " or ", name_of(grade));
    return text;
}

} // namespace

Result<Retest> choose_retest(const std::filesystem::path& database, const plan::Plan& plan,
                             const std::vector<measure::Grade>& grades) {
    const auto listed = list_campaigns(database);
    if (!listed) return fail(listed.error());
    auto store = store::open_store_read_only(database);
    if (!store) return fail(store.error());
    const auto records = (*store)->campaigns();
    if (!records) return fail(records.error());
    const plan::Plan wanted = without_confirmations(plan);
    const auto earlier = std::ranges::find_if(*records, [&](const store::CampaignRecord& campaign) {
        return campaign.origin.retest_of.empty() && is_of(campaign, wanted);
    });
    if (earlier == records->end())
        return fail(Errc::bad_request,
                    "there is no earlier campaign of this plan to retest; run it without --retest to begin one");
    std::map<std::string, measure::Grade> newest; // by the name of the medium in the plan
    std::optional<std::uint64_t> number;
    // The list begins with the newest campaign.
    for (const store::ListedCampaign& campaign : *listed | std::views::reverse) {
        const auto record = std::ranges::find(*records, campaign.id, &store::CampaignRecord::id);
        if (record == records->end()) continue;
        if (record->id != earlier->id && record->origin.retest_of != earlier->id) continue;
        if (campaign.state == store::CampaignState::running)
            return fail(Errc::refused, fmt::format("campaign {} of these media is running: wait for its end, then "
                                                   "repeat this command",
                                                   campaign.number));
        if (record->id == earlier->id) number = campaign.number;
        for (const store::ListedDevice& device : campaign.devices)
            if (device.grade) newest[device.name] = *device.grade;
    }
    Retest retest{.plan = plan, .of = earlier->id};
    std::erase_if(retest.plan.media, [&](const plan::MediumRef& medium) {
        const auto grade = newest.find(medium.name);
        return grade == newest.end() || std::ranges::find(grades, grade->second) == grades.end();
    });
    if (retest.plan.media.empty())
        return fail(Errc::bad_request,
                    fmt::format("campaign {} has no medium with the verdict {}: nothing is to be tested again",
                                number ? std::to_string(*number) : earlier->id, names_of(grades)));
    return retest;
}

} // namespace mediarig::app
