// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/lot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "host/plan/parse_plan.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/figures/findings.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"

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
        return std::pair(grade, !is_placeholder(view.device));
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

namespace {

/// Returns the finding of this kind of each card; empty if a card has no such finding or a more severe one.
FindingGroups of_all(const std::vector<ReportCard>& cards, measure::FindingKind kind) {
    FindingGroups all;
    for (const ReportCard& card : cards) {
        const auto found = std::ranges::find(card.warnings, kind, &FindingGroup::kind);
        if (found == card.warnings.end() || found->worst.severity != measure::Severity::note) return {};
        all.push_back(*found);
    }
    return all;
}

/// Returns the common text if all cards have the same text; otherwise the frequency on each card.
std::string text_of_all(const FindingGroups& groups) {
    std::string first = text_of(groups.front());
    if (std::ranges::all_of(groups, [&](const FindingGroup& group) { return text_of(group) == first; })) return first;
    FindingGroup told{.worst = groups.front().worst, .place = {}};
    const auto [least, most] = std::ranges::minmax(groups, {}, &FindingGroup::times);
    told.worst.detail.resize(std::min(told.worst.detail.find("; "), told.worst.detail.size()));
    std::string text = text_of(told);
    const std::string often =
        least.times == most.times ? std::to_string(most.times) : fmt::format("{} to {}", least.times, most.times);
    if (most.times > 1) text.insert(text.find(':'), fmt::format(", {} times each", often));
    return text;
}

} // namespace

CardRow take_shared_notes(std::vector<ReportCard>& cards) {
    CardRow row{.title = warnings_title, .lines = {}};
    if (cards.size() < 2) return row;
    const FindingGroups of_first = cards.front().warnings;
    for (const FindingGroup& note : of_first) {
        const FindingGroups all = of_all(cards, note.kind());
        if (all.empty()) continue;
        row.lines.push_back(text_of_all(all));
        for (ReportCard& card : cards)
            std::erase_if(card.warnings, [&](const auto& group) { return group.kind() == note.kind(); });
    }
    if (!row.lines.empty())
        for (ReportCard& card : cards) write_warnings_row(card);
    return row;
}

bool have_spread(const std::vector<ReportCard>& cards) {
    return std::ranges::any_of(cards, [](const ReportCard& card) {
        return std::ranges::any_of(card.rows, [](const CardRow& row) {
            return (row.title == "How fast?" || row.title == "Limits") && std::ranges::any_of(row.lines, has_spread);
        });
    });
}

std::string shared_title(std::size_t cards, std::size_t media) {
    return fmt::format("{} {} media", cards == media ? "All" : "Each of these", cards);
}

} // namespace mediarig::report
