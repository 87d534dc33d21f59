// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/history/earlier_use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "host/base/text.hpp"

namespace mediarig::media {
namespace {

// Limits above the values of published pages of new cards: at most 1 % of life, one erase per block on average, and 19
// power-ups by the tests of the factory.
constexpr double least_life_used = 2, least_mean_erases = 3;
constexpr std::uint64_t least_power_ups = 51, least_power_on_hours = 24;
/// A former format leaves its metadata in one or two of the sampled places.
constexpr std::uint32_t least_places_with_data = 4;

std::string words_of(std::string_view name) {
    std::string words(name);
    std::ranges::replace(words, '_', ' ');
    return words;
}

class Signs {
public:
    Signs(const Medium& medium, EarlierUse& use) : medium_(medium), use_(use) {}

    void of_card(const CardHealth& health) {
        if (health.state != HealthState::reported) return;
        examine(UseSource::counters);
        life(health.life_used, alarms_of_counters);
        if (health.erase_mean && *health.erase_mean >= least_mean_erases)
            add("erase_count", UseSource::counters,
                fmt::format("{:.6g} erases of a block on average", *health.erase_mean),
                "the tests of a factory erase each block about once", alarms_of_counters);
        power_ups(health.power_ups, alarms_of_counters);
        written(health.written, not_measured);
    }

    void of_disk(const SmartReport& smart) {
        const bool counts = smart.percentage_used || smart.power_cycles || smart.power_on_hours || smart.written;
        if (!counts) return;
        examine(UseSource::counters);
        if (smart.percentage_used) life(static_cast<double>(*smart.percentage_used), not_measured);
        power_ups(smart.power_cycles, not_measured);
        if (smart.power_on_hours && *smart.power_on_hours >= least_power_on_hours)
            add("power_on_time", UseSource::counters, fmt::format("{} h", *smart.power_on_hours),
                "the tests of a factory take hours, not days", not_measured);
        written(smart.written, not_measured);
    }

    void of_content(const InspectReport& content) {
        std::uint32_t places = 0, with_data = 0;
        for (const InspectedVolume& volume : content.volumes) {
            if (!volume.free_space || volume.free_space->sampled == 0) continue;
            examine(UseSource::free_space);
            places += volume.free_space->sampled;
            with_data += volume.free_space->with_data;
        }
        if (with_data >= least_places_with_data)
            add("data_in_free_space", UseSource::free_space, fmt::format("{} of {} places", with_data, places),
                "deleted files and earlier formats leave data there, a factory rarely does", alarms_of_free_space);
        if (content.volumes.empty()) return;
        examine(UseSource::earlier_format);
        // A signature inside a volume may be part of a file.
        std::set<std::string> names;
        for (const StaleSignature& stale : content.stale_signatures)
            if (!stale.in_volume) names.insert(stale.what);
        if (!names.empty())
            add("earlier_format", UseSource::earlier_format, fmt::format("{}", fmt::join(names, ", ")),
                "a factory formats once, but the first owner of a new medium may format it again",
                alarms_of_earlier_format);
    }

private:
    void examine(UseSource source) {
        if (std::ranges::find(use_.examined, source) == use_.examined.end()) use_.examined.push_back(source);
    }
    void add(const char* name, UseSource source, std::string found, const char* reason, FalseAlarms alarms) {
        use_.signs.push_back(
            {.name = name, .source = source, .found = std::move(found), .reason = reason, .false_alarms = alarms});
    }
    void life(const std::optional<double>& used, FalseAlarms alarms) {
        if (used && *used >= least_life_used)
            add("life_used", UseSource::counters, fmt::format("{:.6g} %", *used),
                "the tests of a factory use less than 2 % of the rated life", alarms);
    }
    void power_ups(const std::optional<std::uint64_t>& count, FalseAlarms alarms) {
        if (count && *count >= least_power_ups)
            add("power_ups", UseSource::counters, fmt::format("{}", *count),
                "new cards were switched on up to 19 times by published pages", alarms);
    }
    void written(const std::optional<Bytes>& amount, FalseAlarms alarms) {
        if (amount && medium_.size != 0_B && *amount >= medium_.size)
            add("written", UseSource::counters, fmt::format("{} B", amount->count),
                "this is at least the capacity of the medium", alarms);
    }

    const Medium& medium_;
    EarlierUse& use_;
};

std::string sources_text(const std::vector<UseSource>& sources) {
    std::vector<std::string> names;
    for (const UseSource source : sources) names.push_back(words_of(name_of(source)));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string signs_text(const EarlierUse& use) {
    std::vector<std::string> names;
    for (const UseSign& sign : use.signs) names.push_back(fmt::format("{} ({})", words_of(sign.name), sign.found));
    return fmt::format("{}", fmt::join(names, "; "));
}

} // namespace

EarlierUse earlier_use_of(const Medium& medium, const std::optional<InspectReport>& content,
                          std::optional<double> first_write) {
    EarlierUse use{.first_write = first_write};
    Signs signs(medium, use);
    if (medium.health) signs.of_card(*medium.health);
    if (medium.smart) signs.of_disk(*medium.smart);
    if (content) signs.of_content(*content);
    std::set<UseSource> sources;
    for (const UseSign& sign : use.signs) sources.insert(sign.source);
    use.verdict = sources.size() >= 2     ? UseVerdict::used
                  : sources.size() == 1   ? UseVerdict::not_sufficient
                  : !use.examined.empty() ? UseVerdict::no_sign
                                          : UseVerdict::unknown;
    return use;
}

std::string text_of(const FalseAlarms& alarms) {
    return alarms.media == 0 ? "not measured" : fmt::format("{} of {} new media", alarms.alarms, alarms.media);
}

std::string text_of(const UseSign& sign) {
    return fmt::format("{}: {}: {} (false alarms: {})", words_of(sign.name), sign.found, sign.reason,
                       text_of(sign.false_alarms));
}

std::string verdict_text(const EarlierUse& use) {
    std::string text;
    switch (use.verdict) {
        case UseVerdict::used:
            text = "used: " + signs_text(use);
            break;
        case UseVerdict::not_sufficient:
            text = fmt::format("signs of use: {}; not sufficient for a verdict", signs_text(use));
            break;
        case UseVerdict::no_sign:
            text = fmt::format("no sign of use in {}; this does not prove that the medium is new",
                               sources_text(use.examined));
            break;
        case UseVerdict::unknown:
            text = "not known: the medium has no counters, and its content has no free clusters to examine";
            break;
    }
    if (use.first_write)
        text += fmt::format("; the first write was {:.0f} % faster than the later ones, as on erased flash",
                            100 * std::expm1(*use.first_write));
    return text;
}

nlohmann::json to_json(const EarlierUse& use) {
    nlohmann::json object{{"verdict", name_of(use.verdict)},
                          {"text", verdict_text(use)},
                          {"examined", nlohmann::json::array()},
                          {"signs", nlohmann::json::array()}};
    for (const UseSource source : use.examined) object["examined"].push_back(name_of(source));
    for (const UseSign& sign : use.signs) {
        nlohmann::json entry{
            {"name", sign.name}, {"source", name_of(sign.source)}, {"found", sign.found}, {"reason", sign.reason}};
        if (sign.false_alarms.media != 0)
            entry["false_alarms"] = {{"alarms", sign.false_alarms.alarms}, {"media", sign.false_alarms.media}};
        object["signs"].push_back(std::move(entry));
    }
    if (use.first_write) object["first_write"] = *use.first_write;
    return object;
}

} // namespace mediarig::media
