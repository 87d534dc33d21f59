// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>

#include "host/report/display_text.hpp"
#include "host/report/html/parts.hpp"
#include "host/report/text.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::report::html {
namespace {

using measure::Grade;

struct GradeLook {
    Grade grade;
    const char* css;
    const char* sign; ///< says the same as the colour
};
constexpr std::array looks{
    GradeLook{Grade::pass, "pass", "✓"},
    GradeLook{Grade::marginal, "marginal", "≈"},
    GradeLook{Grade::fail, "fail", "✗"},
    GradeLook{Grade::fake, "fake", "⚠"},
    GradeLook{Grade::inconclusive, "inconclusive", "?"},
};

const GradeLook& look_of(Grade grade) {
    for (const GradeLook& look : looks)
        if (look.grade == grade) return look;
    return looks.back();
}

std::string tally(const store::CampaignView& view) {
    std::string text;
    std::size_t without = 0;
    for (const store::DeviceView& device : view.devices)
        if (!device.verdict) ++without;
    for (const GradeLook& look : looks) {
        std::size_t count = 0;
        for (const store::DeviceView& device : view.devices)
            if (device.verdict && device.verdict->grade == look.grade) ++count;
        if (count > 0) text += fmt::format("<li>{} <b>{}</b></li>", badge(look.grade), count);
    }
    if (without > 0) text += fmt::format("<li>no verdict <b>{}</b></li>", without);
    return text;
}

std::string operator_text(const store::DeviceRecord& device) {
    std::string text;
    const auto add = [&](const char* name, const std::string& value) {
        if (value.empty()) return;
        if (!text.empty()) text += " · ";
        text += fmt::format("{} {}", name, html_escaped(value));
    };
    add("lot", device.lot);
    add("label", device.label);
    add("slot", device.slot);
    add("serial", device.identity.serial);
    return text;
}

std::string list_of(const std::vector<std::string>& lines, std::size_t first, std::size_t last) {
    std::string text = "<ul>";
    for (std::size_t i = first; i < last; ++i) text += fmt::format("<li>{}</li>", html_escaped(lines[i]));
    return text + "</ul>";
}

std::string reasons(const std::vector<std::string>& lines) {
    constexpr std::size_t shown = 3;
    if (lines.size() <= shown) return list_of(lines, 0, lines.size());
    return list_of(lines, 0, shown) + fmt::format("<details><summary>{} more</summary>{}</details>",
                                                  lines.size() - shown, list_of(lines, shown, lines.size()));
}

std::string bounds_of(const measure::Limit& limit) {
    std::string text;
    if (limit.min) text = fmt::format("≥ {:.6g}", *limit.min);
    if (limit.max) text += fmt::format("{}≤ {:.6g}", text.empty() ? "" : ", ", *limit.max);
    return text;
}

} // namespace

std::string badge(Grade grade) {
    const GradeLook& look = look_of(grade);
    return fmt::format("<span class=\"badge {}\"><span aria-hidden=\"true\">{}</span> {}</span>", look.css, look.sign,
                       measure::name_of(grade));
}

std::string head_of(const store::CampaignView& view) {
    const store::CampaignRecord& campaign = view.campaign;
    std::string when = time_text(campaign.started);
    if (campaign.ended) when += ", " + duration_text(*campaign.ended - campaign.started);
    return fmt::format(
        "<header><p class=\"kicker\">mediarig report</p><h1>{}</h1>"
        "<p class=\"muted\">{} · {} · {} {}</p><p class=\"muted\">{} · {} · {} · mediarig {} · agent {}</p>"
        "<ul class=\"tally\">{}</ul></header>\n",
        html_escaped(campaign.name.empty() ? campaign.id : campaign.name), when, store::name_of(campaign.state),
        view.devices.size(), view.devices.size() == 1 ? "device" : "devices", html_escaped(campaign.origin.host_name),
        html_escaped(campaign.origin.cpu), html_escaped(campaign.origin.kernel),
        html_escaped(campaign.origin.mediarig_version), html_escaped(campaign.origin.agent), tally(view));
}

std::string verdicts_of(const store::CampaignView& view) {
    std::string text = "<div class=\"cards\">";
    for (const store::DeviceView& device : view.devices) {
        const bool judged = device.verdict.has_value();
        text += fmt::format(
            "<article class=\"card {}\"><h3>{}{}</h3><p>{}</p><p class=\"muted\">{}</p>{}</article>\n",
            judged ? look_of(device.verdict->grade).css : "inconclusive",
            judged ? badge(device.verdict->grade) : "<span class=\"badge inconclusive\">no verdict</span>",
            html_escaped(device.device.name), html_escaped(identity_text(device.device.identity)),
            operator_text(device.device), judged ? reasons(device.verdict->reasons) : reasons(device.untested));
    }
    return text + "</div>\n";
}

std::string limits_of(const store::CampaignView& view) {
    std::string rows;
    for (const store::DeviceView& device : view.devices) {
        if (!device.verdict) continue;
        for (const measure::LimitResult& result : device.verdict->limits) {
            std::string measured = "–";
            if (result.mean) measured = fmt::format("{:.6g}", *result.mean);
            if (result.uncertainty) measured += fmt::format(" <small>±{:.3g}</small>", *result.uncertainty);
            rows += fmt::format(
                "<tr><th scope=\"row\">{}</th><td class=\"text\">{}</td><td class=\"text\"><code>{}</code></td>"
                "<td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{:g}%</td><td class=\"text\">{}</td></tr>\n",
                html_escaped(device.device.name), html_escaped(result.limit.suite), html_escaped(result.limit.metric),
                html_escaped(format_title(result.format)), bounds_of(result.limit), measured,
                result.limit.guard_percent, badge(result.grade));
        }
    }
    if (rows.empty()) return {};
    return "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Device</th><th scope=\"col\" "
           "class=\"text\">Suite</th>"
           "<th scope=\"col\" class=\"text\">Metric</th><th scope=\"col\" class=\"text\">Format</th><th "
           "scope=\"col\">Limit</th>"
           "<th scope=\"col\">Measured</th><th scope=\"col\">Guard</th><th "
           "scope=\"col\">Grade</th></tr></thead><tbody>" +
           rows +
           "</tbody></table></div><p class=\"note\">± is half the 95 % interval of the mean over the passes (Student's "
           "t); one pass has none. A value nearer to its limit than the guard, or than its ±, is MARGINAL.</p>\n";
}

} // namespace mediarig::report::html
