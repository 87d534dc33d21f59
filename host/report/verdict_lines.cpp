// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/verdict_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "host/report/card.hpp"
#include "host/report/card_parts.hpp"
#include "host/report/lot.hpp"
#include "host/text.hpp"

namespace mediarig::report {
namespace {

/// Why it has not the best grade; empty where it has.
std::string reason_of(const store::CampaignView& campaign, std::size_t device) {
    const auto& verdict = campaign.devices[device].verdict;
    if (verdict && verdict->grade == measure::Grade::pass) return {};
    std::string reason = verdict_text(campaign.devices[device], campaign.campaign.state);
    const Capacity capacity = capacity_of(campaign.devices[device]);
    if (!verdict && capacity.what != Genuineness::untested)
        reason += " Genuine? " + genuine_lines(campaign, device, capacity).front();
    return reason;
}

/// "20 media: 18 PASS, 2 FAIL", "3 of 4 media judged: 3 PASS"
std::string sum_of(const store::CampaignView& campaign, std::size_t media) {
    std::vector<std::string> counts;
    std::size_t judged = 0;
    for (const GradeCount& count : counts_of(campaign)) {
        if (!count.grade) continue;
        judged += count.devices;
        counts.insert(counts.begin(), fmt::format("{} {}", count.devices, grade_text(count.grade)));
    }
    std::string text =
        judged == media ? fmt::format("{} media", media) : fmt::format("{} of {} media judged", judged, media);
    if (!counts.empty()) text += fmt::format(": {}", fmt::join(counts, ", "));
    return text + "\n";
}

} // namespace

Result<std::string> render_verdicts(store::CampaignView&& outline, const LoadDevice& load,
                                    const VerdictOptions& options) {
    std::vector<std::size_t> shown = worst_first(outline);
    const std::size_t all = shown.size();
    shown.resize(std::min(all, options.most.value_or(all)));
    std::ranges::sort(shown);
    std::string out;
    for (const std::size_t index : shown) {
        store::DeviceView& device = outline.devices[index];
        if (!device.verdict)
            if (auto loaded = load(device); !loaded) return fail(loaded.error());
        const auto grade = device.verdict ? std::optional(device.verdict->grade) : std::nullopt;
        const std::string reason = reason_of(outline, index);
        out += printable(device.device.name) + ": " + coloured_grade(grade, options.colour) +
               (reason.empty() ? "" : ": " + printable(reason)) + "\n";
        if (!grade) forget(device);
    }
    if (shown.size() < all) out += fmt::format("and {} more\n", all - shown.size());
    const std::size_t media = std::max(options.media, all);
    return media > 1 ? out + sum_of(outline, media) : out;
}

} // namespace mediarig::report
