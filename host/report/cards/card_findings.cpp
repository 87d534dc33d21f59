// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/card_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/measure/finding.hpp"
#include "host/report/figures/findings.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

using measure::FindingKind;

std::set<std::string> passes_that_lost_it(const std::vector<PlacedFinding>& found) {
    std::set<std::string> passes;
    for (const PlacedFinding& placed : found)
        if (placed.finding.kind == FindingKind::medium_lost) passes.insert(placed.pass);
    return passes;
}

void widen(FindingGroup& group, const measure::Finding& finding) {
    if (!finding.offset) return;
    const Bytes end = *finding.offset + finding.length;
    group.first = group.first ? std::min(*group.first, *finding.offset) : *finding.offset;
    group.last = group.last ? std::max(*group.last, end) : end;
}

FindingGroup& group_of(std::vector<FindingGroup>& groups, const PlacedFinding& placed) {
    const auto known = std::ranges::find(groups, placed.finding.kind, &FindingGroup::kind);
    if (known != groups.end()) return *known;
    // The findings are sorted by severity, so the first of a kind is the worst.
    groups.push_back({.kind = placed.finding.kind,
                      .severity = placed.finding.severity,
                      .times = 0,
                      .place = placed.place,
                      .detail = placed.finding.detail,
                      .first = {},
                      .last = {}});
    return groups.back();
}

/// Returns "medium lost" for medium_lost.
std::string kind_title(FindingKind kind) {
    std::string words(measure::name_of(kind));
    std::ranges::replace(words, '_', ' ');
    return words;
}

} // namespace

std::vector<FindingGroup> grouped_findings(const store::DeviceView& device) {
    const std::vector<PlacedFinding> found = findings_of(device);
    const std::set<std::string> lost = passes_that_lost_it(found);
    std::vector<FindingGroup> groups;
    std::uint64_t swallowed = 0;
    for (const PlacedFinding& placed : found) {
        const std::uint64_t times = placed.finding.count + placed.further_passes;
        if (lost.contains(placed.pass) && measure::comes_with_a_loss(placed.finding.kind)) {
            swallowed += times;
            continue;
        }
        FindingGroup& group = group_of(groups, placed);
        group.times += times;
        widen(group, placed.finding);
    }
    for (FindingGroup& group : groups)
        if (group.kind == FindingKind::medium_lost) group.swallowed = swallowed;
    std::ranges::stable_sort(groups, [](const FindingGroup& a, const FindingGroup& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.times > b.times;
    });
    return groups;
}

std::string text_of(const FindingGroup& group) {
    std::string text = fmt::format("{} {}", measure::name_of(group.severity), kind_title(group.kind));
    if (group.times > 1) text += fmt::format(", {} times", group.times);
    if (group.first && group.times > 1)
        text += fmt::format(" between {} and {}", size_text(*group.first), size_text(*group.last));
    text += ": " + (group.times > 1 ? group.detail.substr(0, group.detail.find("; ")) : group.detail);
    if (!group.place.empty()) text += fmt::format(" ({}{})", group.times > 1 ? "worst in " : "", group.place);
    if (group.swallowed > 0)
        text += fmt::format("; {} more error{} of that pass came with it", group.swallowed,
                            group.swallowed == 1 ? "" : "s");
    return text;
}

} // namespace mediarig::report
