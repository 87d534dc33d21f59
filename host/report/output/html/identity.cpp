// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/rows.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/figures/fake_indications.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report::html {
namespace {

using media::Indication;

std::string list_of(const std::vector<Indication>& indications) {
    std::string items;
    for (const Indication& sign : indications)
        items += fmt::format("<li><code>{}</code> {}: {}; {} <small class=\"muted\">({}: {})</small></li>",
                             html_escaped(sign.name), html_escaped(sign.found), html_escaped(sign.reason),
                             html_escaped(media::others_text(sign)), media::name_of(sign.certainty),
                             html_escaped(sign.source));
    return "<ul class=\"deviations\">" + items + "</ul>";
}

std::string rows_of(const media::Medium& medium) {
    ListTable table({{"Section", ColumnKind::text},
                     {"Name", ColumnKind::head},
                     {"Value", ColumnKind::wide},
                     {"Unit", ColumnKind::text},
                     {"From", ColumnKind::text}});
    for (const media::IdentityRow& row : media::identity_rows(medium))
        table.add({html_escaped(row.section), html_escaped(row.name), html_escaped(row.value), html_escaped(row.unit),
                   "<small>" + html_escaped(row.source) + "</small>"});
    const std::string text = table.html();
    if (text.empty()) return {};
    return "<details><summary>Everything it reports about itself</summary>" + text + "</details>\n";
}

} // namespace

std::string identity_of(const store::CampaignView& view) {
    std::string text;
    for (std::size_t i = 0; i < view.devices.size(); ++i) {
        const store::DeviceView& device = view.devices[i];
        const media::Medium& medium = device.device.identity;
        std::string about;
        if (const auto notes = media::attachment_notes(medium); !notes.empty())
            about += "<p>How it is attached:</p>" + list_of(notes);
        const auto signs = fake_indications(view, i);
        if (!signs.empty() && is_of_lab(view.campaign))
            about +=
                "<p>What its emulator reports; on a real medium these values would be unusual:</p>" + list_of(signs);
        else if (!signs.empty())
            about += fmt::format("<p>{}:</p>", html_escaped(capitalised(media::indications_heading(signs)))) +
                     list_of(signs);
        about += rows_of(medium);
        if (about.empty()) continue;
        text += fmt::format("<h3>{} <small>{}</small></h3>\n{}", html_escaped(device.device.name),
                            html_escaped(device.device.key), about);
    }
    return text;
}

} // namespace mediarig::report::html
