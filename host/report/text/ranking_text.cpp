// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/ranking_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "host/measure/comparison/ranking.hpp"
#include "host/measure/statistics.hpp"
#include "host/report/text/metric_text.hpp"

namespace mediarig::report {
namespace {

using measure::comparison::RankGroup;

/// More names make the sentence unreadable.
constexpr std::size_t most_named = 6;

/// Returns "red, blue and old"; of more than `most_named` names, "red, blue, … and 14 more".
std::string joined(std::vector<std::string> names) {
    if (names.empty()) return {};
    std::string last = names.back();
    names.pop_back();
    if (names.size() >= most_named) {
        last = fmt::format("{} more", names.size() + 1 - most_named);
        names.resize(most_named);
    }
    return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

double rate_of(const RankedItem& item) {
    return measure::mean(item.passes).value_or(0);
}

struct RankedRates {
    const RankedOperation& operation;

    [[nodiscard]] const RankedItem& item(std::size_t index) const { return operation.items[index]; }
    [[nodiscard]] std::vector<std::string> names(const RankGroup& group) const {
        std::vector<std::string> names;
        for (const std::size_t member : group.members) names.push_back(item(member).name);
        return names;
    }
    /// Returns "90.1 MB/s", or the range of several items: "76.5 to 77.0 MB/s".
    [[nodiscard]] std::string rates(const RankGroup& group) const {
        const std::string most = three_digits(rate_of(item(group.members.front())));
        const std::string least = three_digits(rate_of(item(group.members.back())));
        return (least == most ? most : fmt::format("{} to {}", least, most)) + " " + operation.unit;
    }
};

std::string_view doubt_about(const RankGroup& group) {
    return group.alike ? "cannot be distinguished" : "cannot be ordered";
}

/// Returns "sequential read under exFAT: red 90.1, blue 77.0, old 40.2 MB/s".
std::string order_text(const RankedRates& of, std::string_view place) {
    std::vector<std::string> items;
    for (const RankGroup& group : of.operation.ranking.groups) {
        const RankedItem& item = of.item(group.members.front());
        items.push_back(fmt::format("{} {}", item.name, three_digits(rate_of(item))));
    }
    const std::size_t more = items.size() - std::min(items.size(), most_named);
    items.resize(items.size() - more);
    return fmt::format("{}{}: {} {}{}", of.operation.title, place, fmt::join(items, ", "), of.operation.unit,
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string unclaimed_text(const std::vector<RankedRates>& ranked, std::string_view place) {
    std::size_t most = 0;
    for (const RankedRates& each : ranked)
        for (const RankedItem& item : each.operation.items) most = std::max(most, item.passes.size());
    std::string text = most == 1 ? "Measured once, so the order is not a claim: "
                                 : fmt::format("Fewer than {} passes, so the order is not a claim: ",
                                               measure::comparison::fewest_for_claim);
    for (const RankedRates& each : ranked) {
        const bool first = &each == ranked.data();
        text += (first ? "" : "; ") + order_text(each, first ? place : "");
    }
    return text + ".";
}

/// Returns "; blue and old cannot be distinguished", or "; then blue, then old and grey (cannot be distinguished)".
std::string followers_text(const RankedRates& of) {
    const std::span<const RankGroup> groups(of.operation.ranking.groups.begin() + 1, of.operation.ranking.groups.end());
    if (groups.empty()) return {};
    const auto doubtful = [](const RankGroup& group) { return group.members.size() > 1; };
    if (groups.size() == 1 && doubtful(groups[0]))
        return fmt::format("; {} {}", joined(of.names(groups[0])), doubt_about(groups[0]));
    std::string text;
    std::size_t named = 0;
    for (const RankGroup& group : groups) {
        if (named >= most_named) break;
        named += group.members.size();
        text += fmt::format("{} then {}", text.empty() ? ";" : ",", joined(of.names(group)));
        if (doubtful(group)) text += fmt::format(" ({})", doubt_about(group));
    }
    return text;
}

/// Returns "red is fastest under exFAT: 90.1 MB/s sequential read".
std::string lead_text(const RankedRates& of, std::string_view place) {
    const RankGroup& lead = of.operation.ranking.groups.front();
    const bool single = lead.members.size() == 1;
    return fmt::format("{} {}{}: {} {}", joined(of.names(lead)), single ? "is fastest" : doubt_about(lead), place,
                       of.rates(lead), of.operation.title);
}

std::string claimed_text(const std::vector<RankedRates>& ranked, std::string_view place) {
    const RankedRates& first = ranked.front();
    const RankGroup& lead = first.operation.ranking.groups.front();
    std::string text = lead_text(first, place), others;
    for (auto other = ranked.begin() + 1; other != ranked.end(); ++other) {
        const RankGroup& best = other->operation.ranking.groups.front();
        if (best.members.size() == 1 && lead.members.size() == 1 && other->names(best) == first.names(lead))
            text += fmt::format(", {} {}", other->rates(best), other->operation.title);
        else
            others += "; " + lead_text(*other, "");
    }
    return text + followers_text(first) + others + ".";
}

} // namespace

RankedOperation ranked(std::string title, std::string unit, std::vector<RankedItem> items) {
    std::vector<std::vector<double>> rates;
    rates.reserve(items.size());
    for (const RankedItem& item : items) rates.push_back(item.passes);
    return {.title = std::move(title),
            .unit = std::move(unit),
            .items = std::move(items),
            .ranking = measure::comparison::ranking_of(rates)};
}

std::string ranking_text(std::span<const RankedOperation> operations, std::string_view place) {
    std::vector<RankedRates> ranked;
    for (const RankedOperation& operation : operations)
        if (operation.items.size() > 1) ranked.push_back({operation});
    if (ranked.empty()) return {};
    const bool claims =
        std::ranges::all_of(ranked, [](const RankedRates& each) { return each.operation.ranking.claims; });
    return claims ? claimed_text(ranked, place) : unclaimed_text(ranked, place);
}

} // namespace mediarig::report
