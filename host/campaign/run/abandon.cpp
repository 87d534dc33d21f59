// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/abandon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/campaign/resume.hpp"
#include "host/campaign/run/assess.hpp"
#include "host/campaign/run/step_actions.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::campaign {
namespace {

/// Returns an untested part for each remaining step of one medium. `is_compared`: the plan compares formats, so only
/// the first block counts, because the number of later blocks is unknown.
std::vector<measure::Untested> untested_of(bool is_compared, const std::vector<plan::Step>& steps,
                                           const std::vector<bool>& skip, const Journal& journal, std::size_t medium) {
    std::vector<measure::Untested> untested;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const plan::Step& step = steps[i];
        if (skip[i] || step.medium != medium || !traits_of(step.kind).leaves_a_gap) continue;
        if (is_compared && step.repeat > 1) continue;
        const auto tried = journal.find(step.key);
        // A format that was made counts as done, even if a resume would have formatted again for its passes.
        if (tried != journal.end() && tried->second.state == store::StepState::done) continue;
        const bool failed = tried != journal.end() && tried->second.state == store::StepState::failed;
        untested.push_back(
            plan::untested(step, failed ? "abandoned after " + tried->second.detail : std::string("abandoned")));
    }
    return untested;
}

/// Time of the last step: the time of abandoning is not part of the duration.
store::TimePoint end_of(const store::CampaignRecord& campaign, const Journal& journal) {
    store::TimePoint end = campaign.ended.value_or(campaign.started);
    for (const auto& [key, line] : journal) end = std::max(end, line.at);
    return end;
}

} // namespace

Result<Summary> abandon(store::Store& store, const std::string& campaign) {
    auto view = store.outline(campaign);
    if (!view) return fail(view.error());
    if (view->campaign.state == store::CampaignState::finished)
        return fail(Errc::bad_request, fmt::format("campaign {} is closed already: no work is left", campaign));
    const auto plan = plan::parse_plan(view->campaign.plan);
    if (!plan)
        return fail(
            Errc::bad_request,
            fmt::format("this version cannot read the plan of campaign {}; close it with the version that began it",
                        campaign));
    const auto journal = store.steps(campaign);
    if (!journal) return fail(journal.error());
    const std::vector<plan::Step> steps = plan::unroll(*plan);
    const std::vector<bool> skip = done_before(steps, *journal);

    for (std::size_t index = 0; index < plan->media.size(); ++index) {
        const plan::MediumRef& ref = plan->media[index];
        const std::vector<measure::Untested> untested =
            untested_of(plan->compare.has_value(), steps, skip, *journal, index);
        auto device = std::find_if(view->devices.begin(), view->devices.end(),
                                   [&](const store::DeviceView& each) { return each.device.name == ref.name; });
        const bool judged = device != view->devices.end() && device->verdict;
        if (untested.empty() && judged) continue;
        if (judged && device->verdict->grade == measure::Grade::fake)
            continue; // further tests of a fake are meaningless
        std::string key;
        if (device == view->devices.end()) {
            const store::DeviceRecord placeholder = unidentified(ref, ref.target());
            key = placeholder.key;
            if (auto kept = store.put(campaign, placeholder); !kept) return fail(kept.error());
        } else {
            key = device->device.key;
        }
        for (const measure::Untested& each : untested)
            if (auto kept = store.add(campaign, key, each); !kept) return fail(kept.error());
    }

    // The verdict uses the current content of the store.
    view = store.outline(campaign);
    if (!view) return fail(view.error());
    Summary summary{.campaign = campaign, .state = store::CampaignState::finished};
    for (const store::DeviceView& each : view->devices) {
        const auto device = store.load_device(campaign, each.device.key);
        if (!device) return fail(device.error());
        const measure::Verdict verdict = assess(*device, plan->limits);
        if (!device->verdict || device->verdict->grade != verdict.grade)
            if (auto kept = store.add(campaign, each.device.key, verdict); !kept) return fail(kept.error());
        summary.grades.push_back({each.device.name, verdict.grade});
    }
    if (auto kept = store.end(campaign, summary.state, end_of(view->campaign, *journal)); !kept)
        return fail(kept.error());
    return summary;
}

} // namespace mediarig::campaign
