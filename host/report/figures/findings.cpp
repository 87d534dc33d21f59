// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "host/report/text/display_text.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {
namespace {

using measure::Finding, measure::FindingKind;

/// A store may contain findings about cells that the store lacks.
std::string title_of_cell(const std::string& id, const std::vector<workload::CellResult>& cells) {
    const auto found = std::ranges::find(cells, id, [](const auto& each) { return each.cell.id; });
    return workload::cell_title(found == cells.end() ? workload::CellSpec{.id = id, .table = {}} : found->cell);
}

/// Returns true if both are the same finding, or if two whole passes have equal findings.
bool is_repeated(const Finding& known, const Finding& finding) {
    if (known.kind != finding.kind || known.cell != finding.cell) return false;
    if (known.pass == finding.pass) return known == finding;
    Finding there = finding;
    there.pass = known.pass;
    return known.cell.empty() && !known.pass.empty() && !finding.pass.empty() && known == there;
}

void add_device(const store::DeviceView& device, std::size_t index, FindingGroups& found) {
    const auto begin = static_cast<std::ptrdiff_t>(found.size());
    std::set<std::pair<std::string, std::ptrdiff_t>> further; // pass, and index of a group that it repeats
    const auto add = [&](Finding finding, const auto& place) {
        const auto known = std::find_if(found.begin() + begin, found.end(),
                                        [&](const FindingGroup& group) { return is_repeated(group.worst, finding); });
        if (known == found.end()) {
            const std::uint64_t times = finding.count;
            std::string where = place(finding.cell);
            found.push_back({.worst = std::move(finding), .device = index, .place = std::move(where), .times = times});
        } else if (known->worst.pass != finding.pass && further.insert({finding.pass, known - found.begin()}).second) {
            ++known->times;
        }
    };
    for (const Finding& finding : device.findings)
        add(finding, [](const std::string& cell) { return title_of_cell(cell, {}); });
    for (const store::PassView& pass : device.passes)
        for (Finding& finding : store::findings_of(pass))
            add(std::move(finding), [&](const std::string& cell) {
                return fmt::format("{} pass {}{}{}", format_title(pass.pass.format), pass.pass.repeat,
                                   cell.empty() ? "" : ", ", title_of_cell(cell, pass.cells));
            });
    for (FindingGroup& group : found)
        if (group.device == index && group.times > group.worst.count)
            group.place += fmt::format(" and {} more", group.times - group.worst.count);
}

void sort_worst_first(FindingGroups& found) {
    std::ranges::stable_sort(found, std::greater(), [](const FindingGroup& group) { return group.worst.severity; });
}

void widen(FindingGroup& group, const Finding& finding) {
    if (!finding.offset) return;
    const Bytes end = measure::end_of(finding);
    group.first = group.first ? std::min(*group.first, *finding.offset) : *finding.offset;
    group.last = group.last ? std::max(*group.last, end) : end;
}

} // namespace

FindingGroups findings_of(const store::CampaignView& campaign) {
    FindingGroups found;
    for (std::size_t i = 0; i < campaign.devices.size(); ++i) add_device(campaign.devices[i], i, found);
    sort_worst_first(found);
    return found;
}

FindingGroups findings_by_kind(const store::DeviceView& device) {
    FindingGroups found;
    add_device(device, 0, found);
    sort_worst_first(found);
    std::set<std::string> lost; // passes
    for (const FindingGroup& each : found)
        if (each.kind() == FindingKind::medium_lost) lost.insert(each.worst.pass);
    FindingGroups groups;
    std::uint64_t swallowed = 0;
    for (FindingGroup& each : found) {
        if (lost.contains(each.worst.pass) && measure::accompanies_loss(each.kind())) {
            swallowed += each.times;
            continue;
        }
        const auto known = std::ranges::find(groups, each.kind(), &FindingGroup::kind);
        widen(known == groups.end() ? each : *known, each.worst);
        if (known == groups.end())
            groups.push_back(std::move(each));
        else
            known->times += each.times;
    }
    for (FindingGroup& group : groups)
        if (group.kind() == FindingKind::medium_lost) group.swallowed = swallowed;
    std::ranges::stable_sort(groups, std::greater(),
                             [](const FindingGroup& group) { return std::pair(group.worst.severity, group.times); });
    return groups;
}

namespace {

/// The cause and the advice of one finding do not apply to all findings of a group, except the busy host.
std::string shared_part(const std::string& detail) {
    const std::size_t end = detail.find("; ");
    if (end == std::string::npos || detail.compare(end, 24, "; probably the busy host") != 0)
        return detail.substr(0, end);
    return detail.substr(0, detail.find(", otherwise", end));
}

} // namespace

std::string text_of(const FindingGroup& group) {
    const std::string& detail = group.worst.detail;
    std::string kind(measure::name_of(group.kind())); // "medium lost" for medium_lost
    std::ranges::replace(kind, '_', ' ');
    std::string text = fmt::format("{} {}", measure::name_of(group.worst.severity), kind);
    if (group.times > 1) text += fmt::format(", {} times", group.times);
    if (group.first && group.times > 1)
        text += fmt::format(" between {} and {}", size_text(*group.first), size_text(*group.last));
    if (!group.place.empty()) text += (group.times > 1 ? ", worst in " : " in ") + group.place;
    text += ": " + (group.times > 1 ? shared_part(detail) : detail);
    if (group.swallowed > 0)
        text += fmt::format("; {} more error{} of that pass came with it", group.swallowed,
                            group.swallowed == 1 ? "" : "s");
    return text;
}

} // namespace mediarig::report
