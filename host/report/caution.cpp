// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/caution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/report/display_text.hpp"

namespace mediarig::report {
namespace {

/// How one format was reached, on all devices together.
struct Way {
    std::string format;
    std::string driver;
    bool limited{}; ///< by something worth a warning
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

void learn(Way& way, const store::PassView& pass) {
    if (const auto& mount = pass.pass.mounted) {
        way.driver = mount->driver;
        way.limited = way.limited || is_limited(*mount);
    }
    for (const workload::CellResult& cell : pass.cells) way.caches.insert(cell.evidence.used);
}

std::vector<Way> ways_of(const store::CampaignView& campaign, const std::vector<Subject>& compared) {
    std::vector<Way> ways;
    for (const Subject& subject : of_devices_with_two_formats(compared)) {
        auto way = std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return w.format == subject.format; });
        if (way == ways.end()) way = ways.insert(ways.end(), Way{.format = subject.format, .driver = {}, .caches = {}});
        for (const store::PassView& pass : campaign.devices[subject.device].passes)
            if (pass.pass.format == subject.format) learn(*way, pass);
    }
    return ways;
}

/// Where some went around the page cache, those that did not are another measurement.
std::string cache_text(const Way& way, bool some_went_direct) {
    if (way.caches.contains(workload::CachePolicy::cached)) return ", from the page cache";
    if (some_went_direct && way.caches.contains(workload::CachePolicy::dropped))
        return ", through the page cache without O_DIRECT";
    return {};
}

/// What is the same for all of them makes no difference between them.
bool reached_alike(const std::vector<Way>& ways) {
    return std::all_of(ways.begin(), ways.end(), [&](const Way& way) {
        return way.driver == ways.front().driver && way.caches == ways.front().caches;
    });
}

} // namespace

std::string caution_about(const store::CampaignView& campaign, const std::vector<Subject>& compared) {
    const std::vector<Way> ways = ways_of(campaign, compared);
    if (!ways.empty() && !ways.front().driver.empty() && reached_alike(ways)) {
        if (std::none_of(ways.begin(), ways.end(), [](const Way& way) { return way.limited; })) return {};
        return fmt::format("All of them used the driver {}, whose limits are part of every number.",
                           ways.front().driver);
    }
    const bool some_went_direct = std::any_of(
        ways.begin(), ways.end(), [](const Way& way) { return way.caches.contains(workload::CachePolicy::direct); });
    std::string list;
    for (const Way& way : ways) {
        const std::string cache = cache_text(way, some_went_direct);
        if (!way.limited && cache.empty()) continue;
        list += list.empty() ? "" : "; ";
        list += format_title(way.format) + (way.driver.empty() ? "" : " with the driver " + way.driver) + cache;
    }
    if (list.empty()) return {};
    return "Compare with care: the drivers differ, not only the formats: " + list + ".";
}

} // namespace mediarig::report
