// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/shared_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/card_findings.hpp"
#include "host/report/card_parts.hpp"
#include "host/report/figure_text.hpp"

namespace mediarig::report {
namespace {

using Groups = std::vector<FindingGroup>;

/// What each card has of this kind; empty where one has none, or more than a note.
Groups of_all(const std::vector<Card>& cards, measure::FindingKind kind) {
    Groups all;
    for (const Card& card : cards) {
        const auto found = std::ranges::find(card.distrust, kind, &FindingGroup::kind);
        if (found == card.distrust.end() || found->severity != measure::Severity::note) return {};
        all.push_back(*found);
    }
    return all;
}

/// In the words of one of them where all say the same, else how often each has it.
std::string text_of_all(const Groups& groups) {
    std::string first = text_of(groups.front());
    if (std::ranges::all_of(groups, [&](const FindingGroup& group) { return text_of(group) == first; })) return first;
    FindingGroup told{.kind = groups.front().kind, .severity = measure::Severity::note, .times = 1};
    const auto [least, most] = std::ranges::minmax(groups, {}, &FindingGroup::times);
    const auto& detail = groups.front().detail;
    told.detail = detail.substr(0, detail.find("; "));
    std::string text = text_of(told);
    const std::string often =
        least.times == most.times ? std::to_string(most.times) : fmt::format("{} to {}", least.times, most.times);
    if (most.times > 1) text.insert(text.find(':'), fmt::format(", {} times each", often));
    return text;
}

} // namespace

CardRow take_shared_notes(std::vector<Card>& cards) {
    CardRow row{.title = distrust_title, .lines = {}};
    if (cards.size() < 2) return row;
    const Groups of_first = cards.front().distrust;
    for (const FindingGroup& note : of_first) {
        const Groups all = of_all(cards, note.kind);
        if (all.empty()) continue;
        row.lines.push_back(text_of_all(all));
        for (Card& card : cards)
            std::erase_if(card.distrust, [&](const auto& group) { return group.kind == note.kind; });
    }
    if (!row.lines.empty())
        for (Card& card : cards) say_distrust(card);
    return row;
}

bool have_spread(const std::vector<Card>& cards) {
    return std::ranges::any_of(cards, [](const Card& card) {
        return std::ranges::any_of(card.rows, [](const CardRow& row) {
            return (row.title == "How fast?" || row.title == "Limits") && std::ranges::any_of(row.lines, has_spread);
        });
    });
}

std::string shared_title(std::size_t cards, std::size_t media) {
    return fmt::format("{} {} media", cards == media ? "All" : "Each of these", cards);
}

} // namespace mediarig::report
