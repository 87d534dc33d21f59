// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <chrono>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/rows.hpp"
#include "host/report/html/parts.hpp"
#include "host/report/text.hpp"

namespace mediarig::report::html {
namespace {

using media::Indication;

/// The month in which the media were looked at: a date of manufacture behind it is a sign.
media::CalendarMonth month_of(store::TimePoint time) {
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
    return {.year = static_cast<std::uint16_t>(static_cast<int>(day.year())),
            .month = static_cast<std::uint8_t>(static_cast<unsigned>(day.month()))};
}

std::string list_of(const std::vector<Indication>& indications) {
    std::string items;
    for (const Indication& sign : indications)
        items += fmt::format("<li><code>{}</code> {}: {} <small class=\"muted\">({}: {})</small></li>",
                             html_escaped(sign.name), html_escaped(sign.found), html_escaped(sign.reason),
                             media::name_of(sign.certainty), html_escaped(sign.source));
    return "<ul class=\"deviations\">" + items + "</ul>";
}

std::string rows_of(const media::Medium& medium) {
    std::string rows;
    for (const media::IdentityRow& row : media::identity_rows(medium))
        rows += fmt::format(
            "<tr><td class=\"text\">{}</td><th scope=\"row\">{}</th><td class=\"text wide\">{}</td><td "
            "class=\"text\">{}</td><td class=\"text\"><small>{}</small></td></tr>\n",
            html_escaped(row.section), html_escaped(row.name), html_escaped(row.value), html_escaped(row.unit),
            html_escaped(row.source));
    if (rows.empty()) return {};
    return "<details><summary>Everything it says of itself</summary><div class=\"scroll\"><table><thead><tr><th "
           "scope=\"col\" class=\"text\">Section</th><th scope=\"col\" class=\"text\">Name</th><th scope=\"col\" "
           "class=\"text\">Value</th><th scope=\"col\" class=\"text\">Unit</th><th scope=\"col\" "
           "class=\"text\">From</th></tr></thead><tbody>" +
           rows + "</tbody></table></div></details>\n";
}

std::vector<media::Medium> others_than(const store::CampaignView& view, const store::DeviceView& device) {
    std::vector<media::Medium> others;
    for (const store::DeviceView& other : view.devices)
        if (&other != &device) others.push_back(other.device.identity);
    return others;
}

} // namespace

std::string identity_of(const store::CampaignView& view) {
    std::string text;
    for (const store::DeviceView& device : view.devices) {
        const media::Medium& medium = device.device.identity;
        std::string about;
        if (const auto notes = media::attachment_notes(medium); !notes.empty())
            about += "<p>How it is attached:</p>" + list_of(notes);
        auto signs = media::fake_indications(medium, month_of(view.campaign.started));
        for (Indication& twin : media::duplicate_indications(medium, others_than(view, device)))
            signs.push_back(std::move(twin));
        if (!signs.empty())
            about += fmt::format("<p>Signs of a fake ({}):</p>", html_escaped(media::indications_are_no_proof)) +
                     list_of(signs);
        about += rows_of(medium);
        if (about.empty()) continue;
        text += fmt::format("<h3>{} <small>{}</small></h3>\n{}", html_escaped(device.device.name),
                            html_escaped(device.device.key), about);
    }
    return text;
}

} // namespace mediarig::report::html
