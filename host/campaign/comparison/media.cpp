// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/media.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "host/base/time_text.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/families.hpp"
#include "host/measure/comparison/ranking.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/plan/step_key.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::comparison_campaign {
namespace {

namespace comparison = measure::comparison;
using workload::Access;

constexpr double alpha = 0.05;

/// ln(rate) by cell, from a single repeat.
using Rates = std::map<std::string, double>;

/// The measurements of one medium.
struct Series {
    std::map<std::string, Access> cells;  ///< cells with a rate in at least one repeat
    std::map<std::uint32_t, Rates> rates; ///< by repeat
    std::vector<std::map<Access, double>>
        repeats; ///< complete repeats: mean of ln(rate) over the compared cells of an operation
};

/// Returns "exfat.quickbench-2.standard.random_write.65536", which is the same in each repeat and campaign.
std::string key_of(const store::PassRecord& pass, const workload::CellSpec& cell) {
    return fmt::format("{}.{}.{}", pass.format, plan::entry_of(pass.id), cell.id);
}

Series series_of(const store::DeviceView& device) {
    Series series;
    for (const store::PassView& view : device.passes) {
        // The cells of other jobs are parts of one task.
        if (view.pass.job.as<workload::SweepJob>() == nullptr) continue;
        for (const workload::CellResult& result : view.cells) {
            if (!metrics::counts(result)) continue;
            const std::string key = key_of(view.pass, result.cell);
            series.cells[key] = result.cell.access;
            series.rates[view.pass.repeat][key] = std::log(rate_of(result.moved, result.elapsed).bytes_per_second);
        }
    }
    return series;
}

/// Fills in Series::repeats from the repeats that have all these cells.
void take_repeats(Series& series, const std::map<std::string, Access>& cells) {
    for (const auto& [repeat, rates] : series.rates) {
        const bool whole =
            std::ranges::all_of(cells, [&rates = rates](const auto& each) { return rates.contains(each.first); });
        if (!whole) continue;
        std::map<Access, std::pair<double, double>> sums;
        for (const auto& [key, access] : cells) {
            sums[access].first += rates.at(key);
            sums[access].second += 1;
        }
        auto& means = series.repeats.emplace_back();
        for (const auto& [access, sum] : sums) means[access] = sum.first / sum.second;
    }
}

std::size_t common_cells(const Series& one, const Series& other) {
    return static_cast<std::size_t>(
        std::ranges::count_if(one.cells, [&](const auto& cell) { return other.cells.contains(cell.first); }));
}

bool has_half_of(const Series& model, const Series& other) {
    return 2 * common_cells(model, other) >= model.cells.size();
}

/// Returns the medium whose cells most media have at least by half; among equals, the one with the most cells.
std::size_t model_of(const std::vector<Series>& series) {
    std::size_t best = 0;
    std::pair<std::ptrdiff_t, std::size_t> most{};
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].cells.empty()) continue;
        const auto alike =
            std::ranges::count_if(series, [&](const Series& other) { return has_half_of(series[i], other); });
        if (const std::pair found(alike, series[i].cells.size()); found > most) {
            most = found;
            best = i;
        }
    }
    return best;
}

bool is_fake(const MeasuredMedium& medium) {
    return medium.device->verdict && medium.device->verdict->grade == measure::Grade::fake;
}

/// The media that are compared, by index, and the cells that all of them have.
struct ComparableMedia {
    std::vector<std::size_t> media;
    std::map<std::string, Access> cells;
};

/// Chooses the media, fills in their repeats, and appends the reasons for the others.
ComparableMedia comparable_media(const std::vector<MeasuredMedium>& media, std::vector<Series>& series,
                                 const std::vector<std::string>& titles, std::vector<OmittedMedium>& omitted) {
    const std::size_t model = model_of(series);
    ComparableMedia chosen{.media = {}, .cells = series[model].cells};
    for (std::size_t i = 0; i < media.size(); ++i) {
        std::string reason;
        if (is_fake(media[i]) && !media[i].named)
            reason = "a fake, which holds less than it claims";
        else if (series[i].cells.empty())
            reason = "no rate was measured";
        else if (!has_half_of(series[model], series[i]))
            reason = fmt::format("it has {} of the {} cells of {}", common_cells(series[model], series[i]),
                                 series[model].cells.size(), titles[model]);
        if (reason.empty())
            chosen.media.push_back(i);
        else
            omitted.push_back({titles[i], std::move(reason)});
    }
    for (const std::size_t i : chosen.media)
        std::erase_if(chosen.cells, [&](const auto& cell) { return !series[i].cells.contains(cell.first); });
    std::erase_if(chosen.media, [&](std::size_t i) {
        take_repeats(series[i], chosen.cells);
        if (!chosen.cells.empty() && !series[i].repeats.empty()) return false;
        omitted.push_back({titles[i], "no repeat has all cells that the others have"});
        return true;
    });
    return chosen;
}

/// Returns the values of an operation, which must have been measured at least twice.
std::vector<double> values_of(const Series& series, Access access) {
    std::vector<double> values;
    for (const auto& repeat : series.repeats) values.push_back(repeat.at(access));
    return values;
}

/// Compares two independent samples; makes no claim if a sample has fewer than `fewest` values.
MediaPairResult pair_result_of(const std::vector<double>& first, const std::vector<double>& second, std::size_t fewest,
                               double margin) {
    const comparison::SamplePair pair = comparison::compare_samples(first, second, fewest);
    MediaPairResult pair_result{.value = pair.value,
                                .half_width = pair.half_width,
                                .same_half_width = pair.same_half_width,
                                .adjusted = pair.p};
    if (std::abs(pair_result.value) + pair_result.same_half_width < std::log1p(margin))
        pair_result.verdict = MediaVerdict::same;
    return pair_result;
}

/// A claim "faster" requires significance among all pairs. It replaces "same", even within the margin.
void judge_together(std::vector<MediaPairResult>& pair_results) {
    std::vector<double> p;
    p.reserve(pair_results.size());
    for (const MediaPairResult& pair_result : pair_results) p.push_back(pair_result.adjusted);
    const std::vector<double> adjusted = comparison::holm(p);
    for (std::size_t i = 0; i < pair_results.size(); ++i) {
        pair_results[i].adjusted = adjusted[i];
        if (adjusted[i] <= alpha) pair_results[i].verdict = MediaVerdict::faster;
    }
}

/// Compares each pair for which `belong` is true, for each operation.
std::vector<MediaPairResult> each_two(const std::vector<std::size_t>& of, const std::vector<Access>& operations,
                                      const std::function<std::vector<double>(std::size_t, Access)>& sample,
                                      std::size_t fewest, double margin,
                                      const std::function<bool(std::size_t, std::size_t)>& belong) {
    std::vector<MediaPairResult> pair_results;
    for (std::size_t i = 0; i < of.size(); ++i)
        for (std::size_t j = i + 1; j < of.size(); ++j) {
            if (!belong(of[i], of[j])) continue;
            for (const Access access : operations) {
                MediaPairResult pair_result =
                    pair_result_of(sample(of[i], access), sample(of[j], access), fewest, margin);
                pair_result.first = of[i];
                pair_result.second = of[j];
                pair_result.access = access;
                pair_results.push_back(pair_result);
            }
        }
    judge_together(pair_results);
    return pair_results;
}

Result<void> check_request(const std::vector<MeasuredMedium>& media) {
    if (media.size() < 2) return fail(Errc::bad_request, "one medium alone cannot be compared: name two or more");
    if (media.size() > most_compared_media)
        return fail(Errc::bad_request,
                    fmt::format("{} media: at most {} are compared at once", media.size(), most_compared_media));
    for (std::size_t i = 0; i < media.size(); ++i)
        for (std::size_t other = 0; other < i; ++other)
            if (media[i].device == media[other].device)
                return fail(Errc::bad_request, media[i].device->device.name + " is named twice");
    return {};
}

/// Returns the error for fewer than two comparable media.
Error too_few(const std::vector<OmittedMedium>& omitted) {
    std::string reasons;
    constexpr std::size_t most_named = 4;
    for (std::size_t i = 0; i < std::min(omitted.size(), most_named); ++i)
        reasons += fmt::format("{}{}: {}", i == 0 ? "" : "; ", omitted[i].title, omitted[i].reason);
    if (omitted.size() > most_named) reasons += fmt::format("; and {} more", omitted.size() - most_named);
    return {Errc::bad_request,
            fmt::format("fewer than two media can be compared: {}; run 'mediarig bench' on each medium, or one plan "
                        "for all",
                        reasons)};
}

double deviation_of(const std::vector<double>& values) {
    if (values.size() < 2) return 0;
    return comparison::mean_of(values).error * std::sqrt(static_cast<double>(values.size()));
}

std::vector<double> means_of_cards(const std::vector<MeasuredMedium>& media, const std::vector<Series>& series,
                                   const std::vector<ComparedMedium>& compared, std::size_t type, Access access) {
    // A card that was measured in two campaigns counts once.
    std::map<std::string, std::vector<double>> cards;
    for (std::size_t i = 0; i < media.size(); ++i)
        if (compared[i].type == type)
            for (const double value : values_of(series[i], access)) cards[media[i].device->device.key].push_back(value);
    std::vector<double> means;
    means.reserve(cards.size());
    for (const auto& [key, values] : cards)
        means.push_back(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
    return means;
}

std::string_view about(bool types) {
    return types ? "valid for the types" : "valid only for these cards, not for their types";
}

std::string sentence_of(const MediaPairResult& pair_result, const std::string& first, const std::string& second,
                        double margin, bool types) {
    const std::string what = fmt::format("{}, {} against {}: ", workload::title_of(pair_result.access), first, second);
    if (!std::isfinite(pair_result.half_width))
        return what + fmt::format("undecided: {} %, with fewer than {} repeats of at least one of them",
                                  comparison::percent_text(pair_result.value), fewest_repeats);
    switch (pair_result.verdict) {
        case MediaVerdict::faster: {
            const double by = std::abs(pair_result.value), to = by + pair_result.half_width;
            return what +
                   comparison::faster_text(pair_result.value < 0 ? second : first, by, by - pair_result.half_width,
                                           to) +
                   fmt::format(", p {:.2g} among all pairs{}; {}", pair_result.adjusted,
                               to < std::log1p(margin) ? ", too little to matter" : "", about(types));
        }
        case MediaVerdict::same:
            return what + fmt::format("same within {:.3g} %: {} at 90 %, by which two one-sided tests decide; {}",
                                      100 * margin,
                                      comparison::between_text(pair_result.value - pair_result.same_half_width,
                                                               pair_result.value + pair_result.same_half_width),
                                      about(types));
        case MediaVerdict::cannot_tell:
            break;
    }
    return what + "undecided: " +
           comparison::between_text(pair_result.value - pair_result.half_width,
                                    pair_result.value + pair_result.half_width);
}

} // namespace

bool has_duplicate_medium(const std::vector<MeasuredMedium>& media) {
    std::set<std::string> keys;
    return std::ranges::any_of(
        media, [&](const MeasuredMedium& each) { return !keys.insert(each.device->device.key).second; });
}

namespace {

/// Fills in media, types and operations.
void add_media(MediaComparison& out, const std::vector<MeasuredMedium>& media, const std::vector<std::string>& titles,
               const std::vector<Series>& series) {
    for (const auto& [access, mean] : series[0].repeats[0]) out.operations.push_back(access);
    for (std::size_t i = 0; i < media.size(); ++i) {
        const std::string type = type_of(*media[i].device);
        const auto known = std::ranges::find(out.types, type, &ComparedType::title);
        const auto index = static_cast<std::size_t>(known - out.types.begin());
        if (known == out.types.end()) out.types.push_back({.title = type});
        ComparedMedium medium{.title = titles[i],
                              .name = media[i].device->device.name,
                              .campaign = campaign_of(media[i]),
                              .key = media[i].device->device.key,
                              .type = index,
                              .repeats = series[i].repeats.size(),
                              .rates = {}};
        for (const Access access : out.operations) {
            medium.rates.emplace_back();
            for (const double value : values_of(series[i], access))
                medium.rates.back().push_back(Rate{std::exp(value)}.megabytes_per_second());
        }
        out.media.push_back(std::move(medium));
    }
}

/// Fills in the rankings from the pairs of media.
void add_rankings(MediaComparison& out) {
    for (std::size_t operation = 0; operation < out.operations.size(); ++operation) {
        std::vector<std::vector<double>> rates;
        rates.reserve(out.media.size());
        for (const ComparedMedium& medium : out.media) rates.push_back(medium.rates[operation]);
        std::set<std::pair<std::size_t, std::size_t>> apart;
        for (const MediaPairResult& each : out.between_media)
            if (each.access == out.operations[operation] && each.verdict == MediaVerdict::faster)
                apart.emplace(each.first, each.second);
        const auto differ = [&](std::size_t one, std::size_t other) { return apart.contains(std::minmax(one, other)); };
        out.rankings.push_back(comparison::ranking_of(rates, differ));
    }
}

/// Fills in the results about media and types.
void compare_chosen(MediaComparison& out, const std::vector<MeasuredMedium>& media, const std::vector<Series>& series,
                    double margin, MediaPairs pairs) {
    std::vector<std::size_t> all(media.size()), types;
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto of_type = [&](std::size_t type, Access access) {
        return means_of_cards(media, series, out.media, type, access);
    };
    for (std::size_t type = 0; type < out.types.size(); ++type) {
        const std::vector<double> cards = of_type(type, out.operations[0]);
        std::vector<double> squares;
        for (std::size_t i = 0; i < media.size(); ++i)
            if (out.media[i].type == type && series[i].repeats.size() > 1)
                squares.push_back(std::pow(deviation_of(values_of(series[i], out.operations[0])), 2));
        out.types[type].cards = cards.size();
        out.types[type].between_cards = deviation_of(cards);
        if (!squares.empty())
            out.types[type].within_a_card =
                std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) / static_cast<double>(squares.size()));
        if (cards.size() >= fewest_cards) types.push_back(type);
    }
    out.between_media = each_two(
        all, out.operations, [&](std::size_t i, Access access) { return values_of(series[i], access); }, fewest_repeats,
        margin,
        [&](std::size_t i, std::size_t j) {
            return pairs == MediaPairs::each_two || media[i].device->device.key == media[j].device->device.key;
        });
    out.between_types =
        each_two(types, out.operations, of_type, fewest_cards, margin, [](std::size_t, std::size_t) { return true; });
    if (pairs == MediaPairs::each_two) add_rankings(out);
}

} // namespace

Result<MediaComparison> compare_media(const std::vector<MeasuredMedium>& media, double margin, MediaPairs pairs) {
    if (auto valid = check_request(media); !valid) return fail(valid.error());
    MediaComparison out;
    const std::vector<std::string> all_titles = media_titles(media);
    std::vector<Series> all_series;
    all_series.reserve(media.size());
    for (const MeasuredMedium& each : media) all_series.push_back(series_of(*each.device));
    const ComparableMedia chosen = comparable_media(media, all_series, all_titles, out.omitted);
    if (chosen.media.size() < 2) return fail(too_few(out.omitted));
    out.cells = chosen.cells.size();
    std::vector<MeasuredMedium> compared;
    std::vector<std::string> titles;
    std::vector<Series> series;
    for (const std::size_t i : chosen.media) {
        compared.push_back(media[i]);
        titles.push_back(all_titles[i]);
        series.push_back(std::move(all_series[i]));
    }
    add_media(out, compared, titles, series);
    compare_chosen(out, compared, series, margin, pairs);
    out.differs = conditions_that_differ(compared, titles);
    return out;
}

std::vector<std::string> sentences_of(const MediaComparison& comparison, double margin) {
    std::vector<std::string> lines;
    for (const MediaPairResult& pair_result : comparison.between_types)
        lines.push_back(sentence_of(pair_result, comparison.types[pair_result.first].title,
                                    comparison.types[pair_result.second].title, margin, true));
    for (const MediaPairResult& pair_result : comparison.between_media)
        lines.push_back(sentence_of(pair_result, comparison.media[pair_result.first].title,
                                    comparison.media[pair_result.second].title, margin, false));
    return lines;
}

namespace {

/// Returns the distinct results of `value` for the passes of a medium, in one line.
template <class Value>
std::string of_passes(const MeasuredMedium& medium, Value value) {
    std::set<std::string> all;
    for (const store::PassView& pass : medium.device->passes)
        if (std::string text = value(pass); !text.empty()) all.insert(std::move(text));
    std::string line;
    for (const std::string& each : all) line += (line.empty() ? "" : ", ") + each;
    return line;
}

std::string drivers_of(const MeasuredMedium& medium) {
    return of_passes(medium, [](const store::PassView& pass) {
        const auto& mounted = pass.pass.mounted;
        return mounted ? fmt::format("{} {} ({})", mounted->driver, mounted->driver_version, mounted->options) : "";
    });
}

std::string tools_of(const MeasuredMedium& medium) {
    return of_passes(medium, [](const store::PassView& pass) {
        const auto& made = pass.pass.formatted;
        return made ? fmt::format("{} {}", made->tool, made->tool_version) : "";
    });
}

std::string volumes_of(const MeasuredMedium& medium) {
    return of_passes(medium, [](const store::PassView& pass) {
        Bytes sum;
        for (const workload::CellResult& cell : pass.cells) sum += cell.cell.volume;
        return fmt::format("{} of {} bytes", pass.pass.job.suite, sum.count);
    });
}

std::string start_of(const MeasuredMedium& medium) {
    return local_time_text(medium.campaign->campaign.started, TimePrecision::minute);
}

/// Returns the reader or port of the medium.
std::string reader_of(const MeasuredMedium& medium) {
    const media::Medium& identity = medium.device->device.identity;
    if (!identity.usb) return identity.transport == media::Transport::image ? "an image" : identity.sysfs_path;
    return fmt::format("USB port {}", identity.usb->port_path);
}

struct Condition {
    std::string_view name;
    std::string (*value)(const MeasuredMedium&);
};
constexpr Condition conditions[] = {
    {"The version of mediarig", [](const MeasuredMedium& m) { return m.campaign->campaign.origin.mediarig_version; }},
    {"The station", [](const MeasuredMedium& m) { return m.campaign->campaign.origin.host_name; }},
    {"The kernel", [](const MeasuredMedium& m) { return m.campaign->campaign.origin.kernel; }},
    {"The processor", [](const MeasuredMedium& m) { return m.campaign->campaign.origin.cpu; }},
    {"The connection to the agent", [](const MeasuredMedium& m) { return m.campaign->campaign.origin.agent; }},
    {"The start of the campaign", start_of},
    {"The place", reader_of},
    {"The driver", drivers_of},
    {"The formatter", tools_of},
    {"The volume of a pass", volumes_of},
};

/// Returns the titles of the media `who`. In a comparison of many media, the name of a campaign replaces its media if
/// `who` contains them all.
std::string whom(const std::vector<std::size_t>& who, const std::vector<MeasuredMedium>& media,
                 const std::vector<std::string>& titles) {
    constexpr std::size_t few_media = 4;
    const auto of_campaign = [&](std::size_t like) {
        return [&media, like](std::size_t i) { return media[i].campaign == media[like].campaign; };
    };
    std::vector<std::size_t> everybody(media.size());
    std::iota(everybody.begin(), everybody.end(), std::size_t{});
    std::string text;
    std::set<const store::CampaignView*> told;
    for (const std::size_t i : who) {
        const auto here = std::ranges::count_if(who, of_campaign(i));
        const bool whole =
            media.size() > few_media && here > 1 && here == std::ranges::count_if(everybody, of_campaign(i));
        if (whole && !told.insert(media[i].campaign).second) continue;
        text += (text.empty() ? "" : ", ") + (whole ? "campaign " + campaign_of(media[i]) : titles[i]);
    }
    return text;
}

} // namespace

std::string campaign_of(const MeasuredMedium& medium) {
    return medium.number == 0 ? medium.campaign->campaign.id : std::to_string(medium.number);
}

std::vector<std::string> media_titles(const std::vector<MeasuredMedium>& media) {
    std::map<std::string, int> seen;
    for (const MeasuredMedium& medium : media) ++seen[medium.device->device.name];
    std::vector<std::string> titles;
    for (const MeasuredMedium& medium : media) {
        const std::string& name = medium.device->device.name;
        const std::string campaign = (medium.number == 0 ? "" : "campaign ") + campaign_of(medium);
        titles.push_back(seen[name] > 1 ? fmt::format("{} ({})", name, campaign) : name);
    }
    return titles;
}

std::string type_of(const store::DeviceView& device) {
    if (!device.device.lot.empty()) return device.device.lot;
    const media::Medium& identity = device.device.identity;
    const std::string name = identity.vendor + (identity.vendor.empty() ? "" : " ") + identity.model;
    return name.empty() ? "of unknown type" : name;
}

std::vector<std::string> conditions_that_differ(const std::vector<MeasuredMedium>& media,
                                                const std::vector<std::string>& titles) {
    std::vector<std::string> lines;
    for (const Condition& condition : conditions) {
        std::map<std::string, std::vector<std::size_t>> of; ///< media by value
        for (std::size_t i = 0; i < media.size(); ++i) of[condition.value(media[i])].push_back(i);
        if (of.size() < 2) continue;
        std::string values;
        for (const auto& [value, who] : of)
            values += fmt::format("{}{} ({})", values.empty() ? "" : "; ", value.empty() ? "unknown" : value,
                                  whom(who, media, titles));
        lines.push_back(fmt::format("{} differs: {}.", condition.name, values));
    }
    return lines;
}

} // namespace mediarig::comparison_campaign
