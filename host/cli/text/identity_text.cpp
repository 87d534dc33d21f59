// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/identity_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/text.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/conformance/alignment.hpp"
#include "host/media/identity/rows.hpp"
#include "host/plan/names.hpp"

namespace mediarig::cli {
namespace {

using media::Indication;

std::string lines_of(const std::vector<Indication>& indications) {
    std::string text;
    for (const Indication& sign : indications) text += line_of(media::text_of(sign));
    return text;
}

std::vector<Indication> signs_of(const media::Medium& medium, std::span<const media::Medium> others,
                                 media::CalendarMonth now) {
    std::vector<Indication> signs = media::fake_indications(medium, now);
    for (Indication& twin : media::duplicate_indications(medium, others)) signs.push_back(std::move(twin));
    return signs;
}

std::optional<Bytes> unit_of(const media::Medium& medium) {
    return medium.sd ? medium.sd->allocation_unit : std::nullopt;
}

std::string unit_name(Bytes unit) {
    return "AU " + binary_size_text(unit);
}

const char* whole(Bytes at, Bytes unit) {
    return at % unit == 0_B ? "yes" : "no";
}

} // namespace

std::string identity_text(const media::Medium& medium, std::span<const media::Medium> others, media::CalendarMonth now,
                          const IdentityTextOptions& options) {
    std::string text = "\nidentity\n";
    TextTable table({"SECTION", "NAME", "VALUE", "UNIT", "FROM"});
    for (const media::IdentityRow& row : media::identity_rows(medium))
        table.add({row.section, row.name, row.value, row.unit, row.source});
    text += table.text(options.columns);
    if (const auto notes = media::attachment_notes(medium); !notes.empty()) text += "\nnotes\n" + lines_of(notes);
    if (const auto signs = signs_of(medium, others, now); !signs.empty() && options.emulated)
        text += fmt::format("\nan {}\n", media::emulated_is_not_judged);
    else if (!signs.empty())
        text += fmt::format("\n{}\n", media::indications_heading(signs)) + lines_of(signs);
    return text + '\n';
}

std::vector<std::string> contents_of(const media::Medium& medium) {
    std::vector<std::string> result;
    if (!medium.file_system.empty()) result.push_back(printable(plan::title_of_format(medium.file_system)));
    for (const media::Partition& each : medium.partitions) {
        const std::string label = each.label.empty() ? "" : "“" + each.label + "”";
        const std::string what =
            joined({each.file_system.empty() ? "?" : plan::title_of_format(each.file_system), label});
        result.push_back(printable(fmt::format("{}, {}", what, size_text(each.size))));
    }
    return result;
}

void add_identity(nlohmann::json& object, const media::Medium& medium, std::span<const media::Medium> others,
                  media::CalendarMonth now) {
    for (const char* list : {"identity_rows", "notes", "indications"}) object[list] = nlohmann::json::array();
    for (const media::IdentityRow& row : media::identity_rows(medium))
        object["identity_rows"].push_back(media::to_json(row));
    for (const Indication& note : media::attachment_notes(medium)) object["notes"].push_back(media::to_json(note));
    for (const Indication& sign : signs_of(medium, others, now)) object["indications"].push_back(media::to_json(sign));
}

std::string alignment_text(const media::InspectReport& content, const media::Medium& medium, std::size_t columns) {
    const auto points = media::alignment_points(content);
    if (points.empty()) return {};
    const auto unit = unit_of(medium);
    std::vector<std::string> header{"OF", "PLACE", "AT BYTE", "1 MiB", "4 MiB", "16 MiB", "32 MiB", "64 MiB"};
    if (unit) header.push_back(unit_name(*unit));
    TextTable table(header);
    for (const media::AlignmentPoint& point : points) {
        std::vector<std::string> cells{point.subject, point.name, std::to_string(point.at.count)};
        for (const Bytes usual : media::usual_units) cells.emplace_back(whole(point.at, usual));
        if (unit) cells.emplace_back(whole(point.at, *unit));
        table.add(cells);
    }
    std::string text = "\non a whole multiple of\n" + table.text(columns);
    if (!unit)
        text += medium.sd ? "the card's registers contain no allocation unit\n"
                          : "the allocation unit of the card is not known: only its registers contain it\n";
    return text;
}

void add_alignment(nlohmann::json& object, const media::InspectReport& content, const media::Medium& medium) {
    const auto unit = unit_of(medium);
    nlohmann::json list = nlohmann::json::array();
    for (const media::AlignmentPoint& point : media::alignment_points(content)) {
        nlohmann::json row{{"subject", point.subject}, {"name", point.name}, {"at", point.at.count}};
        row["whole"] = nlohmann::json::array();
        for (const Bytes usual : media::usual_units)
            if (point.at % usual == 0_B) row["whole"].push_back(usual.count);
        if (unit) {
            row["allocation_unit"] = unit->count;
            row["on_allocation_unit"] = point.at % *unit == 0_B;
        }
        list.push_back(std::move(row));
    }
    object["alignment"] = std::move(list);
}

} // namespace mediarig::cli
