// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/nest_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/cli/text/text.hpp"
#include "host/media/identity/rows.hpp"
#include "host/media/identity/sd_fields.hpp"

namespace mediarig::cli {
namespace {

/// A medium of which only the registers are known.
media::Medium card_of(const media::SdIdentity& sd) {
    media::Medium card;
    card.sd = sd;
    return card;
}

} // namespace

std::string nest_text(const rig::NestReading& reading, media::CalendarMonth now) {
    std::string text;
    if (const auto why = rig::explain(reading.report); !why.empty()) return line_of(why);
    for (const rig::NestRegister& one : rig::registers_of(reading.report))
        if (const auto why = rig::explain(one); !why.empty()) text += line_of(why);
    if (const auto why = rig::explain(reading.report.supply); !why.empty()) text += line_of(why);
    const media::SdIdentity sd = rig::sd_identity(reading);
    TextTable table({"SECTION", "NAME", "VALUE", "UNIT", "FROM"});
    for (const media::IdentityRow& row : media::sd_rows(sd))
        table.add({row.section, row.name, row.value, row.unit, row.source});
    text += table.text();
    const auto signs = media::fake_indications(card_of(sd), now);
    if (!signs.empty()) text += fmt::format("\n{}\n", media::indications_heading(signs));
    for (const media::Indication& sign : signs) text += line_of(media::text_of(sign));
    return text;
}

nlohmann::json nest_json(const rig::NestReading& reading, media::CalendarMonth now) {
    using nlohmann::json;
    const auto& report = reading.report;
    const media::SdIdentity sd = rig::sd_identity(reading);
    json object{{"mediarig_rig_nest", 1},
                {"source", "the rig's nest"},
                {"job", report.job},
                {"end", rig::name_of(report.end)},
                {"command", report.command},
                {"registers", {{"cid", sd.cid}, {"csd", sd.csd}, {"scr", sd.scr}, {"ssr", sd.ssr}, {"ocr", sd.ocr}}}};
    for (const rig::NestRegister& one : rig::registers_of(report))
        object["states"][std::string(one.name)] = rig::name_of(one.state);
    object["supply"] = {{"state", rig::name_of(report.supply)}};
    if (report.supply == rigproto::NestSupply::measured) {
        object["supply"]["rest_ua"] = report.rest_ua;
        object["supply"]["most_ua"] = report.most_ua;
    }
    object["identity_rows"] = json::array();
    object["indications"] = json::array();
    for (const media::IdentityRow& row : media::sd_rows(sd)) object["identity_rows"].push_back(media::to_json(row));
    for (const media::Indication& sign : media::fake_indications(card_of(sd), now))
        object["indications"].push_back(media::to_json(sign));
    return object;
}

} // namespace mediarig::cli
