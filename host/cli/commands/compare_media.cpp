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
#include "host/media/identity/medium.hpp"
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

bool is_called(const store::DeviceView& device, const std::string& name) {
    const store::DeviceRecord& record = device.device;
    return record.name == name || record.key == name || record.label == name ||
           (!record.identity.serial.empty() && record.identity.serial == name);
}

Result<std::vector<MeasuredMedium>> chosen(LoadedCampaigns& campaigns, const std::string& store,
                                           const std::vector<std::string>& words) {
    std::vector<MeasuredMedium> media;
    for (const std::string& word : words) {
        const std::size_t slash = word.find('/');
        const auto campaign = loaded(campaigns, store, word.substr(0, slash));
        if (!campaign) return fail(campaign.error());
        const store::CampaignView& view = (*campaign)->view;
        const std::string device = slash == word.npos ? "" : word.substr(slash + 1);
        const std::size_t before = media.size();
        for (const store::DeviceView& each : view.devices)
            if (slash == word.npos || is_called(each, device)) media.push_back({&view, &each, (*campaign)->number});
        if (media.size() == before)
            return fail(Errc::bad_request,
                        fmt::format("campaign {} has no medium {}; mediarig results {} lists its media",
                                    view.campaign.id, device, view.campaign.id));
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
        media.push_back({{"name", medium.title}, {"type", types[medium.type]}, {"repeats", medium.repeats}});
    }
    return {{"mediarig_media_comparison", 1},
            {"pairs", pairs == MediaPairs::same_medium ? "same_medium" : "each_two"},
            {"media", media},
            {"types", kinds},
            {"between_media", standings_json(comparison.between_media, names)},
            {"between_types", standings_json(comparison.between_types, types)},
            {"differs", comparison.differs}};
}

/// Sentences to print. With many media, pairs with too few repeats are only counted: separate lines would carry no
/// information.
std::vector<std::string> told_sentences(const MediaComparison& comparison, double margin) {
    constexpr std::size_t few_media = 4;
    std::vector<std::string> all = comparison_campaign::sentences_of(comparison, margin), told;
    const std::size_t of_types = comparison.between_types.size();
    std::size_t too_few = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i >= of_types && comparison.media.size() > few_media &&
            !std::isfinite(comparison.between_media[i - of_types].half_width))
            ++too_few;
        else
            told.push_back(std::move(all[i]));
    if (too_few > 0)
        told.insert(told.begin(),
                    fmt::format("Of {} pairs of media, by operation, {} are undecided: one of the two was measured "
                                "fewer than {} times. Repeat the campaign of each, or set \"repeats\" in its plan.",
                                comparison.between_media.size(), too_few, comparison_campaign::fewest_repeats));
    return told;
}

/// Returns the change from the first to the second campaign: "+3.1 %" or "same"; "? +3.1 %" if it is undecided.
std::string change_text(const MediaPairResult& pair_result) {
    if (pair_result.verdict == MediaVerdict::same) return "same";
    return fmt::format("{}{} %", pair_result.verdict == MediaVerdict::cannot_tell ? "? " : "",
                       measure::comparison::percent_text(-pair_result.value));
}

/// Prints a line for each pair of campaigns that contain the same medium.
void print_changes(const Console& console, const MediaComparison& comparison, double margin) {
    const auto say = [&](const std::string& text) { console.out << paragraph(text, console.columns); };
    std::vector<std::string> header{"MEDIUM", "CAMPAIGNS"};
    std::vector<std::vector<std::string>> rows;
    std::vector<bool> paired(comparison.media.size());
    const MediaPairResult* last{};
    for (const MediaPairResult& each : comparison.between_media) {
        const comparison_campaign::ComparedMedium &first = comparison.media[each.first],
                                                  &second = comparison.media[each.second];
        if (last == nullptr || last->first != each.first || last->second != each.second)
            rows.push_back({first.name, fmt::format("{} to {}", first.campaign, second.campaign)});
        if (rows.size() == 1) header.emplace_back(workload::title_of(each.access));
        rows.back().push_back(change_text(each));
        paired[each.first] = paired[each.second] = true;
        last = &each;
    }
    TextTable changes(std::move(header));
    for (std::vector<std::string>& row : rows) changes.add(std::move(row));
    console.out << changes.text(console.columns) << '\n';
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
    if (changes)
        print_changes(console, comparison, margin);
    else
        for (const std::string& sentence : told_sentences(comparison, margin)) say(sentence);
    for (const std::string& warning : comparison.differs) say("Warning: " + warning);
    say("The media were measured at different times: changes of the station between them affect the figures.");
    TextTable media({"MEDIUM", "REPEATS", "TYPE"});
    for (const comparison_campaign::ComparedMedium& medium : comparison.media)
        media.add({medium.title, std::to_string(medium.repeats), comparison.types[medium.type].title});
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
    if (!changes) console.out << '\n' << media.text(console.columns);
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
