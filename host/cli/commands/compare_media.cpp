// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/compare_media.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/base/shell_word.hpp"
#include "host/campaign/comparison/media.hpp"
#include "host/cli/text/text.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/measure/statistics.hpp"
#include "host/media/identity/medium.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/report/text/ranking_text.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::cli {
namespace {

using comparison_campaign::MediaComparison, comparison_campaign::MediaPairResult, comparison_campaign::MeasuredMedium,
    comparison_campaign::MediaVerdict, comparison_campaign::MediaPairs;
using nlohmann::json;

struct NumberedCampaign {
    std::uint64_t number{};
    store::CampaignView view;
};
/// Loaded campaigns by id; measured media contain pointers to them.
using LoadedCampaigns = std::map<std::string, NumberedCampaign>;

Result<const NumberedCampaign*> loaded(LoadedCampaigns& campaigns, const std::string& store, const std::string& word) {
    const auto found = app::find_campaign(store, word);
    if (!found) return fail(found.error());
    const auto known = campaigns.find(found->id);
    if (known != campaigns.end()) return &known->second;
    auto view = app::load_campaign(store, found->id);
    if (!view) return fail(view.error());
    return &campaigns.emplace(found->id, NumberedCampaign{found->number, std::move(*view)}).first->second;
}

Result<std::vector<MeasuredMedium>> chosen(LoadedCampaigns& campaigns, const std::string& store,
                                           const std::vector<std::string>& words) {
    std::vector<MeasuredMedium> media;
    for (const std::string& word : words) {
        const std::size_t slash = word.find('/');
        const auto campaign = loaded(campaigns, store, word.substr(0, slash));
        if (!campaign) return fail(campaign.error());
        const store::CampaignView& view = (*campaign)->view;
        const auto devices = chosen_devices(view, slash == word.npos ? "" : word.substr(slash + 1));
        if (!devices) return fail(devices.error());
        if (devices->empty())
            return fail(Errc::bad_request,
                        fmt::format("campaign {} measured no medium: name another campaign", view.campaign.id));
        for (const std::size_t device : *devices)
            media.push_back({&view, &view.devices[device], (*campaign)->number, slash != word.npos});
    }
    return media;
}

json standings_json(const std::vector<MediaPairResult>& pair_results, const std::vector<std::string>& names) {
    json out = json::array();
    for (const MediaPairResult& each : pair_results) {
        json line{{"first", names[each.first]},
                  {"second", names[each.second]},
                  {"operation", workload::title_of(each.access)},
                  {"decision", comparison_campaign::name_of(each.verdict)},
                  {"by", std::expm1(each.value)},
                  {"lo", nullptr},
                  {"hi", nullptr},
                  {"p", each.adjusted}};
        if (std::isfinite(each.half_width)) {
            line["lo"] = std::expm1(each.value - each.half_width);
            line["hi"] = std::expm1(each.value + each.half_width);
        }
        out.push_back(std::move(line));
    }
    return out;
}

/// For each operation the groups of media, the fastest first; members of a group are not ordered by a claim.
json ranking_json(const MediaComparison& comparison, const std::vector<std::string>& names) {
    json out = json::array();
    for (std::size_t i = 0; i < comparison.rankings.size(); ++i) {
        json groups = json::array();
        for (const measure::comparison::RankGroup& group : comparison.rankings[i].groups) {
            json members = json::array();
            for (const std::size_t member : group.members) members.push_back(names[member]);
            groups.push_back(std::move(members));
        }
        out.push_back({{"operation", workload::title_of(comparison.operations[i])},
                       {"claim", comparison.rankings[i].claims},
                       {"groups", std::move(groups)}});
    }
    return out;
}

json facts_of(const MediaComparison& comparison, MediaPairs pairs) {
    std::vector<std::string> names, types;
    json media = json::array(), kinds = json::array();
    for (const comparison_campaign::ComparedType& type : comparison.types) {
        types.push_back(type.title);
        kinds.push_back({{"type", type.title},
                         {"cards", type.cards},
                         {"between_cards", type.between_cards},
                         {"within_a_card", type.within_a_card}});
    }
    for (const comparison_campaign::ComparedMedium& medium : comparison.media) {
        names.push_back(medium.title);
        json rates = json::object(); // MB/s of each repeat
        for (std::size_t i = 0; i < medium.rates.size(); ++i)
            rates[std::string(workload::title_of(comparison.operations[i]))] = medium.rates[i];
        media.push_back(
            {{"name", medium.title}, {"type", types[medium.type]}, {"repeats", medium.repeats}, {"rates", rates}});
    }
    json omitted = json::array();
    for (const comparison_campaign::OmittedMedium& each : comparison.omitted)
        omitted.push_back({{"name", each.title}, {"reason", each.reason}});
    return {{"mediarig_media_comparison", 1},
            {"pairs", pairs == MediaPairs::same_medium ? "same_medium" : "each_two"},
            {"cells", comparison.cells},
            {"media", media},
            {"omitted", omitted},
            {"ranking", ranking_json(comparison, names)},
            {"types", kinds},
            {"between_media", standings_json(comparison.between_media, names)},
            {"between_types", standings_json(comparison.between_types, types)},
            {"differs", comparison.differs}};
}

/// Returns one sentence that orders the media.
std::string ranking_of(const MediaComparison& comparison) {
    std::vector<report::RankedOperation> operations;
    for (std::size_t i = 0; i < comparison.operations.size(); ++i) {
        report::RankedOperation operation{.title = std::string(workload::title_of(comparison.operations[i])),
                                          .unit = "MB/s",
                                          .items = {},
                                          .ranking = comparison.rankings[i]};
        for (const comparison_campaign::ComparedMedium& medium : comparison.media)
            operation.items.push_back({medium.title, medium.rates[i]});
        operations.push_back(std::move(operation));
    }
    return report::ranking_text(operations, "");
}

std::string rate_text(const std::vector<double>& rates) {
    return report::three_digits(measure::geometric_mean(rates).value_or(0));
}

/// Returns the media in the order of the first operation, the fastest first.
std::vector<std::size_t> fastest_first(const MediaComparison& comparison) {
    std::vector<std::size_t> order;
    for (const measure::comparison::RankGroup& group : comparison.rankings.front().groups)
        order.insert(order.end(), group.members.begin(), group.members.end());
    return order;
}

/// Prints the rates of each medium, and the sentence that orders the media.
void print_ranking(const Console& console, const MediaComparison& comparison) {
    std::vector<TextColumn> columns{{.title = "REPEATS", .layout = CellLayout::right}};
    for (const workload::Access access : comparison.operations)
        columns.push_back({.title = std::string(report::column_title(access)), .layout = CellLayout::right});
    columns.push_back({.title = "TYPE"});
    TextTable table({.title = "MEDIUM"}, columns);
    for (const std::size_t index : fastest_first(comparison)) {
        const comparison_campaign::ComparedMedium& medium = comparison.media[index];
        std::vector<std::string> row{medium.title, std::to_string(medium.repeats)};
        for (const auto& rates : medium.rates) row.push_back(rate_text(rates));
        row.push_back(comparison.types[medium.type].title);
        table.add(std::move(row));
    }
    console.out << table.text(console.columns) << '\n' << paragraph(ranking_of(comparison), console.columns);
}

/// Prints the difference of two media; of more media, the ranking contains the differences.
std::vector<std::string> pair_sentences(const MediaComparison& comparison, double margin) {
    std::vector<std::string> all = comparison_campaign::sentences_of(comparison, margin);
    const bool few_repeats = std::ranges::any_of(
        comparison.between_media, [](const MediaPairResult& each) { return !std::isfinite(each.half_width); });
    if (comparison.media.size() > 2 || few_repeats) all.resize(comparison.between_types.size());
    return all;
}

void print_omitted(const Console& console, const MediaComparison& comparison) {
    for (const comparison_campaign::OmittedMedium& each : comparison.omitted)
        console.out << paragraph(fmt::format("Not compared: {}: {}.", each.title, each.reason), console.columns);
}

/// Returns the change from the first to the second campaign: "+3.1 %" or "same"; "? +3.1 %" if it is undecided.
std::string change_text(const MediaPairResult& pair_result) {
    if (pair_result.verdict == MediaVerdict::same) return "same";
    return fmt::format("{}{} %", pair_result.verdict == MediaVerdict::cannot_tell ? "? " : "",
                       measure::comparison::percent_text(-pair_result.value));
}

/// Returns one line for each pair of campaigns with the same medium, and a column for each operation.
TextTable changes_of_many(const MediaComparison& comparison) {
    std::vector<std::string> header{"MEDIUM", "CAMPAIGNS"};
    for (const workload::Access access : comparison.operations) header.emplace_back(workload::title_of(access));
    TextTable table(header);
    for (std::size_t i = 0; i < comparison.between_media.size(); i += comparison.operations.size()) {
        const MediaPairResult& pair = comparison.between_media[i];
        const auto &first = comparison.media[pair.first], &second = comparison.media[pair.second];
        std::vector<std::string> row{first.name, fmt::format("{} to {}", first.campaign, second.campaign)};
        for (std::size_t k = 0; k < comparison.operations.size(); ++k)
            row.push_back(change_text(comparison.between_media[i + k]));
        table.add(std::move(row));
    }
    return table;
}

/// Returns one line for each medium and operation, with the rates of both campaigns next to each other.
TextTable changes_of_few(const MediaComparison& comparison) {
    const auto right = [](std::string title) {
        return TextColumn{.title = std::move(title), .layout = CellLayout::right};
    };
    TextTable table(
        {.title = "MEDIUM"},
        {{.title = "CAMPAIGNS"}, {.title = "OPERATION"}, right("BEFORE, MB/s"), right("AFTER, MB/s"), right("CHANGE")});
    for (std::size_t i = 0; i < comparison.between_media.size(); ++i) {
        const MediaPairResult& pair = comparison.between_media[i];
        const auto &first = comparison.media[pair.first], &second = comparison.media[pair.second];
        const std::size_t operation = i % comparison.operations.size();
        table.add({operation == 0 ? first.name : "",
                   operation == 0 ? fmt::format("{} to {}", first.campaign, second.campaign) : "",
                   std::string(workload::title_of(pair.access)), rate_text(first.rates[operation]),
                   rate_text(second.rates[operation]), change_text(pair)});
    }
    return table;
}

/// Prints each medium that several campaigns contain, compared with itself.
void print_changes(const Console& console, const MediaComparison& comparison, double margin) {
    const auto say = [&](const std::string& text) { console.out << paragraph(text, console.columns); };
    constexpr std::size_t few_media = 4;
    const bool few = comparison.between_media.size() <= few_media * comparison.operations.size();
    const TextTable changes = few ? changes_of_few(comparison) : changes_of_many(comparison);
    console.out << changes.text(console.columns) << '\n';
    std::vector<bool> paired(comparison.media.size());
    for (const MediaPairResult& each : comparison.between_media) paired[each.first] = paired[each.second] = true;
    std::string alone;
    for (std::size_t i = 0; i < paired.size(); ++i)
        if (!paired[i]) alone += (alone.empty() ? "" : ", ") + comparison.media[i].title;
    if (!alone.empty()) say(fmt::format("In only one campaign, not compared: {}.", alone));
    say(
        fmt::format("Each medium compared with itself: its gain in speed in the second campaign. same: within {:.3g} "
                    "%. ?: undecided, because its repeats scatter too much or are fewer than {}.",
                    100 * margin, comparison_campaign::fewest_repeats));
    const std::vector<std::string> sentences = comparison_campaign::sentences_of(comparison, margin);
    for (std::size_t i = 0; i < comparison.between_types.size(); ++i) say(sentences[i]);
    say(fmt::format("To compare different media, name them: --media {}.",
                    shell_word(fmt::format("{}/{},{}/NAME", comparison.media.front().campaign,
                                           comparison.media.front().name, comparison.media.back().campaign))));
}

void print(const Console& console, const MediaComparison& comparison, double margin, MediaPairs pairs) {
    const auto say = [&](const std::string& text) { console.out << paragraph(text, console.columns); };
    const bool changes = pairs == MediaPairs::same_medium;
    if (changes) {
        print_changes(console, comparison, margin);
    } else {
        print_ranking(console, comparison);
        for (const std::string& sentence : pair_sentences(comparison, margin)) say(sentence);
    }
    print_omitted(console, comparison);
    say(fmt::format("Compared by the {} cells that all media have; MB/s: their geometric mean.", comparison.cells));
    for (const std::string& warning : comparison.differs) say("Warning: " + warning);
    say("The media were measured at different times: changes of the station between them affect the figures.");
    bool tells_scatter = comparison.types.size() > 1;
    TextTable types({"CARDS", "SCATTER OF CARDS", "OF REPEATS", "TYPE"});
    for (std::size_t i = 0; i < comparison.types.size(); ++i) {
        const comparison_campaign::ComparedType& type = comparison.types[i];
        // The scatter needs at least two repeats.
        const bool repeated = std::ranges::any_of(
            comparison.media,
            [&](const comparison_campaign::ComparedMedium& medium) { return medium.type == i && medium.repeats > 1; });
        tells_scatter = tells_scatter || repeated || type.cards > 1;
        types.add({std::to_string(type.cards), type.cards > 1 ? fmt::format("{:.1f} %", 100 * type.between_cards) : "–",
                   repeated ? fmt::format("{:.1f} %", 100 * type.within_a_card) : "–", type.title});
    }
    // For a card that was measured only once in each campaign, the table of types adds no information.
    if (!tells_scatter) return;
    console.out << '\n' << types.text(console.columns);
    if (comparison.between_types.empty())
        say(fmt::format("Types are not compared: that requires {} cards of each of two types.",
                        comparison_campaign::fewest_cards));
}

} // namespace

int compare_media(const Console& console, const std::string& store, const std::vector<std::string>& media,
                  double margin, const Facts& facts) {
    if (!(margin >= 0.001 && margin <= 1))
        return report(console, {Errc::bad_request,
                                fmt::format("--margin: must be 0.1 to 100 per cent, is {:.3g}", 100 * margin)});
    if (auto possible = check_json_file(facts); !possible) return report(console, possible.error());
    LoadedCampaigns campaigns;
    const auto measured = chosen(campaigns, store, media);
    if (!measured) return report(console, measured.error());
    // Media that are named one by one are compared with each other. For whole campaigns of the same media, each medium
    // is compared with itself: before and after.
    const bool named = std::ranges::any_of(media, [](const std::string& word) { return word.find('/') != word.npos; });
    const MediaPairs pairs =
        !named && comparison_campaign::has_duplicate_medium(*measured) ? MediaPairs::same_medium : MediaPairs::each_two;
    const auto comparison = comparison_campaign::compare_media(*measured, margin, pairs);
    if (!comparison) return report(console, comparison.error());
    return tell(console, facts, facts_of(*comparison, pairs), [&] { print(console, *comparison, margin, pairs); });
}

} // namespace mediarig::cli
