// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/lot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "host/plan/plan.hpp"
#include "host/report/card_parts.hpp"
#include "host/report/display_text.hpp"

namespace mediarig::report {
namespace {

std::optional<measure::Grade> grade_of(const store::DeviceView& device) {
    return device.verdict ? std::optional(device.verdict->grade) : std::nullopt;
}

} // namespace

std::string grade_text(std::optional<measure::Grade> grade) {
    return grade ? std::string(measure::name_of(*grade)) : "no verdict";
}

std::vector<GradeCount> counts_of(const store::CampaignView& campaign) {
    std::vector<GradeCount> counts;
    for (const auto grade : grades_worst_first) {
        const auto devices = static_cast<std::size_t>(std::ranges::count(campaign.devices, grade, grade_of));
        if (devices > 0) counts.push_back({.grade = grade, .devices = devices});
    }
    return counts;
}

std::vector<std::size_t> worst_first(const store::CampaignView& campaign) {
    std::vector<std::size_t> order(campaign.devices.size());
    std::iota(order.begin(), order.end(), std::size_t{});
    std::ranges::stable_sort(order, {}, [&](std::size_t device) {
        const store::DeviceView& view = campaign.devices[device];
        const auto grade = std::ranges::find(grades_worst_first, grade_of(view)) - grades_worst_first.begin();
        return std::pair(grade, !stands_in(view.device));
    });
    return order;
}

std::string line_of_device(const store::CampaignView& campaign, std::size_t device) {
    const store::DeviceView& view = campaign.devices[device];
    std::string line = fmt::format("{}  {}", grade_text(grade_of(view)), view.device.name);
    if (view.device.identity.size != 0_B) line += ", " + medium_size_text(view.device.identity);
    if (const auto speed = speed_lines(campaign, device); !speed.empty()) return line + ", " + speed.front();
    const bool good = grade_of(view) == measure::Grade::pass;
    return good ? line : line + ": " + verdict_text(view, campaign.campaign.state);
}

std::size_t media_of_plan(const store::CampaignRecord& campaign) {
    const auto plan = plan::parse_plan(campaign.plan);
    return plan ? plan->media.size() : 0;
}

} // namespace mediarig::report
