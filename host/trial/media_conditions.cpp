// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/trial/media_conditions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace mediarig::trial {
namespace {

/// What `value` gives for the passes of a medium, each once, in one line.
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

std::string day_of(const MeasuredMedium& medium) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(medium.campaign->campaign.started);
    return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

/// Where it was plugged in, and at what speed it was reached.
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
    {"The way to the agent", [](const MeasuredMedium& m) { return m.campaign->campaign.origin.agent; }},
    {"The start of the campaign (UTC)", day_of},
    {"The place", reader_of},
    {"The driver", drivers_of},
    {"The formatter", tools_of},
    {"The volume of a pass", volumes_of},
};

/// Their titles; of many media a campaign whose media all are among them stands for those.
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

} // namespace mediarig::trial
