// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figures/caveats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "host/base/text.hpp"
#include "host/plan/names.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

/// Driver and caches of one format, over all devices.
struct FormatSetup {
    std::string format;
    std::string driver;
    bool limited{}; ///< has a limit that is worth a warning
    std::set<workload::CachePolicy> caches;
};

bool is_limited(const media::MountReport& mount) {
    return std::any_of(mount.limits.begin(), mount.limits.end(),
                       [](const measure::Finding& limit) { return limit.severity != measure::Severity::note; });
}

std::vector<Subject> of_devices_with_two_formats(const std::vector<Subject>& compared) {
    std::map<std::size_t, std::set<std::string>> formats;
    for (const Subject& subject : compared) formats[subject.device].insert(subject.format);
    std::vector<Subject> result;
    for (const Subject& subject : compared)
        if (formats[subject.device].size() > 1) result.push_back(subject);
    return result;
}

void learn(FormatSetup& way, const store::PassView& pass) {
    if (const auto& mount = pass.pass.mounted) {
        way.driver = mount->driver;
        way.limited = way.limited || is_limited(*mount);
    }
    for (const workload::CellResult& cell : pass.cells) way.caches.insert(cell.evidence.used);
}

std::vector<FormatSetup> ways_of(const store::CampaignView& campaign, const std::vector<Subject>& compared) {
    std::vector<FormatSetup> ways;
    for (const Subject& subject : of_devices_with_two_formats(compared)) {
        auto way =
            std::find_if(ways.begin(), ways.end(), [&](const FormatSetup& w) { return w.format == subject.format; });
        if (way == ways.end())
            way = ways.insert(ways.end(), FormatSetup{.format = subject.format, .driver = {}, .caches = {}});
        for (const store::PassView& pass : campaign.devices[subject.device].passes)
            if (pass.pass.format == subject.format) learn(*way, pass);
    }
    return ways;
}

/// If some formats bypassed the page cache, the figures of the other formats are not comparable with them.
std::string cache_text(const FormatSetup& way, bool some_went_direct) {
    if (way.caches.contains(workload::CachePolicy::cached)) return ", from the page cache";
    if (some_went_direct && way.caches.contains(workload::CachePolicy::dropped))
        return ", through the page cache without O_DIRECT";
    return {};
}

/// A property that all formats share does not affect their difference.
bool reached_alike(const std::vector<FormatSetup>& ways) {
    return std::all_of(ways.begin(), ways.end(), [&](const FormatSetup& way) {
        return way.driver == ways.front().driver && way.caches == ways.front().caches;
    });
}

} // namespace

std::string caveat_about(const store::CampaignView& campaign, const std::vector<Subject>& compared) {
    const std::vector<FormatSetup> ways = ways_of(campaign, compared);
    if (!ways.empty() && !ways.front().driver.empty() && reached_alike(ways)) {
        if (std::none_of(ways.begin(), ways.end(), [](const FormatSetup& way) { return way.limited; })) return {};
        return fmt::format("All compared formats used the driver {}, whose limits are part of every number.",
                           ways.front().driver);
    }
    const bool some_went_direct = std::any_of(ways.begin(), ways.end(), [](const FormatSetup& way) {
        return way.caches.contains(workload::CachePolicy::direct);
    });
    std::string list;
    for (const FormatSetup& way : ways) {
        const std::string cache = cache_text(way, some_went_direct);
        if (!way.limited && cache.empty()) continue;
        list += list.empty() ? "" : "; ";
        list += format_title(way.format) + (way.driver.empty() ? "" : " with the driver " + way.driver) + cache;
    }
    if (list.empty()) return {};
    return "Compare with care: the drivers differ, not only the formats: " + list + ".";
}

namespace {

std::string_view text_of(media::DiscardEffect effect) {
    switch (effect) {
        case media::DiscardEffect::none:
            return "it does not support discard, so that old data may affect the figures";
        case media::DiscardEffect::zeros:
            return "all of it was discarded, and read as zeros";
        case media::DiscardEffect::ones:
            return "all of it was discarded, and read as bytes of FF";
        case media::DiscardEffect::old_data:
            return "all of it was discarded, and old data was still read, which may affect the figures";
        case media::DiscardEffect::mixed:
            return "all of it was discarded, and different positions read differently, so that old data may affect the "
                   "figures";
        case media::DiscardEffect::unknown:
            return "all of it was discarded, and the effect could not be read back";
    }
    return {};
}

/// Returns the effects of the discards before the passes of the formats; each format of a block counts once.
std::map<media::DiscardEffect, std::size_t> discards_of(const store::DeviceView& device) {
    std::map<std::pair<std::uint32_t, std::string>, media::DiscardEffect> effects;
    for (const store::PassView& view : device.passes)
        if (view.pass.discarded) effects[{view.pass.repeat, view.pass.format}] = media::effect_of(*view.pass.discarded);
    std::map<media::DiscardEffect, std::size_t> counts;
    for (const auto& [pass, effect] : effects) ++counts[effect];
    return counts;
}

/// Returns the amount that was written before every pass; nothing if passes differ or one had no fill.
std::optional<Bytes> filled_before_all(const store::DeviceView& device) {
    std::optional<Bytes> all;
    for (const store::PassView& view : device.passes) {
        const auto& condition = view.pass.condition;
        if (!condition || !condition->filled) return std::nullopt;
        if (all && *all != condition->filled->length) return std::nullopt;
        all = condition->filled->length;
    }
    return all;
}

std::string discard_text(const plan::Plan& plan, const store::DeviceView& device) {
    if (!plan.compare->discard) return "it was not discarded, so that old data may affect the figures";
    const auto counts = discards_of(device);
    if (counts.empty()) return "whether it was discarded is not known";
    const bool none_taken = counts.size() == 1 && counts.begin()->first == media::DiscardEffect::none;
    if (const auto filled = none_taken ? filled_before_all(device) : std::nullopt)
        return fmt::format("it does not support discard, and its first {} were written sequentially instead",
                           size_text(*filled));
    if (counts.size() == 1) return std::string(text_of(counts.begin()->first));
    std::string all = "its passes began in different states:";
    for (const auto& [effect, passes] : counts)
        all +=
            fmt::format("{} before {} of them {}", effect == counts.begin()->first ? "" : ";", passes, text_of(effect));
    return all;
}

/// Each format of a block has one condition, for all its suites.
std::map<std::string, std::vector<const store::Condition*>> conditions_of(const store::DeviceView& device) {
    std::map<std::pair<std::uint32_t, std::string>, const store::Condition*> unique;
    for (const store::PassView& view : device.passes)
        if (view.pass.condition) unique[{view.pass.repeat, view.pass.format}] = &*view.pass.condition;
    std::map<std::string, std::vector<const store::Condition*>> of_format;
    for (const auto& [pass, condition] : unique) of_format[pass.second].push_back(condition);
    return of_format;
}

/// Returns "exFAT 3 of 8, HFS+ 1 of 8" for the passes that satisfy `which`; empty if no pass does.
template <class Which>
std::string counted(const std::map<std::string, std::vector<const store::Condition*>>& conditions,
                    const std::vector<std::string>& names, const std::vector<std::string>& titles, Which which) {
    std::string text;
    std::size_t all = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = conditions.find(names[i]);
        if (found == conditions.end()) continue;
        const auto such = static_cast<std::size_t>(
            std::ranges::count_if(found->second, [&](const store::Condition* each) { return which(*each); }));
        all += such;
        text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", titles[i], such, found->second.size());
    }
    return all == 0 ? "" : text;
}

std::string rest_text(const plan::Plan& plan) {
    if (plan.compare->rest.count() == 0 && plan.compare->longest_rest.count() == 0) return "formatted, without a rest";
    return fmt::format("left idle for {} s and formatted", plan.compare->rest.count());
}

} // namespace

std::vector<std::string> condition_notes(const plan::Plan& plan, const std::vector<std::string>& titles,
                                         const store::DeviceView& device) {
    std::vector<std::string> notes{
        fmt::format("Before each pass the medium was {}; {}.", rest_text(plan), discard_text(plan, device))};
    const auto conditions = conditions_of(device);
    const std::vector<std::string> names = plan::format_names(plan);
    const auto count = [&](auto which) { return counted(conditions, names, titles, which); };
    using store::Condition, store::RestUntil;
    if (const auto late = count([](const Condition& of) { return of.rested && !of.rested->reached; }); !late.empty())
        notes.push_back(fmt::format(
            "The rate or temperature of the medium had not returned to its first value after the longest rest of {} s: "
            "before passes of {}.",
            plan.compare->longest_rest.count(), late));
    else if (!count([](const Condition& of) { return of.rested && of.rested->until != RestUntil::time; }).empty())
        notes.emplace_back(
            "Before each pass the rate or temperature of the medium had returned to its value before the first pass.");
    if (const auto loud = count([](const Condition& of) { return of.idle && of.idle->counted && !of.idle->silent; });
        !loud.empty())
        notes.push_back("Internal work of the medium was in progress at the start of these passes: " + loud + ".");
    std::string own_work;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = conditions.find(names[i]);
        if (found == conditions.end()) continue;
        Bytes most{};
        for (const Condition* each : found->second)
            if (each->idle && each->idle->counted) most = std::max(most, each->idle->written);
        if (most > 0_B)
            own_work += fmt::format("{}{} up to {}", own_work.empty() ? "" : ", ", titles[i], size_text(most));
    }
    if (!own_work.empty())
        notes.push_back("Writes of the formats after mounting, awaited before measuring: " + own_work + ".");
    return notes;
}

} // namespace mediarig::report
