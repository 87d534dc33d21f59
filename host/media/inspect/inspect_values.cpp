// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/json_fields.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

using Named = std::pair<Sureness, std::string_view>;
constexpr std::array sureness_names{Named{Sureness::unknown, "unknown"}, Named{Sureness::possible, "possible"},
                                    Named{Sureness::likely, "likely"}, Named{Sureness::stated, "stated"}};

/// Parameters with their places in one list: {"name", "value", "field", "unit", "at", "length", "hex"}.
json placed_json(const std::vector<std::pair<std::string, std::string>>& parameters, const Places& places) {
    json list = detail::parameters_json(parameters);
    for (std::size_t i = 0; i < list.size() && i < places.size(); ++i) {
        list[i]["field"] = places[i].field;
        list[i]["unit"] = places[i].unit;
        list[i]["at"] = places[i].at.count;
        list[i]["length"] = places[i].length.count;
        list[i]["hex"] = places[i].hex;
    }
    return list;
}

/// Reports from before places were kept have none.
Result<Places> places_from_json(const json& parameters) {
    Places places;
    for (const json& entry : parameters) {
        if (!entry.contains("field")) return Places{};
        detail::JsonFields fields(entry, "parameter");
        Place place{.name = fields.text("name"),
                    .field = fields.text_or_empty("field"),
                    .unit = fields.text_or_empty("unit"),
                    .at = {fields.number("at")},
                    .length = {fields.number("length")},
                    .hex = fields.text_or_empty("hex")};
        if (fields.fault()) return fail(*fields.fault());
        places.push_back(std::move(place));
    }
    return places;
}

json fingerprint_json(const Fingerprint& fingerprint) {
    return {{"formatter", fingerprint.formatter},
            {"sureness", name_of(fingerprint.sureness)},
            {"signs", fingerprint.signs}};
}

Result<Fingerprint> fingerprint_from_json(const json& volume) {
    if (!volume.contains("fingerprint")) return Fingerprint{};
    detail::JsonFields fields(volume["fingerprint"], "fingerprint");
    Fingerprint fingerprint{.formatter = fields.text_or_empty("formatter"), .signs = fields.texts("signs")};
    const auto sureness = sureness_from(fields.text("sureness"));
    if (fields.fault()) return fail(*fields.fault());
    if (!sureness) return fail(sureness.error());
    fingerprint.sureness = *sureness;
    return fingerprint;
}

json volume_json(const InspectedVolume& volume) {
    return {{"start", volume.start.count},
            {"length", volume.length.count},
            {"file_system", volume.file_system},
            {"label", volume.label},
            {"parameters", placed_json(volume.parameters, volume.places)},
            {"problem", volume.problem},
            {"usable", volume.usable.count},
            {"fingerprint", fingerprint_json(volume.fingerprint)}};
}

Result<InspectedVolume> volume_from_json(const json& object) {
    detail::JsonFields fields(object, "volume");
    InspectedVolume volume{.start = {fields.number("start")},
                           .length = {fields.number("length")},
                           .file_system = fields.text_or_empty("file_system"),
                           .label = fields.text_or_empty("label"),
                           .parameters = fields.parameters("parameters"),
                           .problem = fields.text_or_empty("problem"),
                           .usable = {fields.maybe_number("usable").value_or(0)}};
    const json& parameters = fields.list("parameters");
    if (fields.fault()) return fail(*fields.fault());
    auto places = places_from_json(parameters);
    if (!places) return fail(places.error());
    auto fingerprint = fingerprint_from_json(object);
    if (!fingerprint) return fail(fingerprint.error());
    volume.places = std::move(*places);
    volume.fingerprint = std::move(*fingerprint);
    return volume;
}

json unread_json(const Unread& unread) {
    return {{"at", unread.at.count}, {"length", unread.length.count}, {"why", unread.why}};
}

/// Reports from before it was told have none.
Result<std::vector<Unread>> unread_from_json(const json& report) {
    std::vector<Unread> unread;
    if (!report.contains("unread")) return unread;
    detail::JsonFields list(report, "inspect report");
    for (const json& entry : list.list("unread")) {
        detail::JsonFields fields(entry, "unread");
        unread.push_back(
            {.at = {fields.number("at")}, .length = {fields.number("length")}, .why = fields.text_or_empty("why")});
        if (fields.fault()) return fail(*fields.fault());
    }
    if (list.fault()) return fail(*list.fault());
    return unread;
}

json leftover_json(const Leftover& leftover) {
    return {{"what", leftover.what}, {"at", leftover.at.count}, {"in_volume", leftover.in_volume}};
}

} // namespace

std::string_view name_of(Sureness sureness) {
    return sureness_names[static_cast<std::size_t>(sureness)].second;
}

Result<Sureness> sureness_from(std::string_view name) {
    for (const auto& [sureness, known] : sureness_names)
        if (known == name) return sureness;
    return fail(Errc::bad_format, fmt::format("no such sureness: {}", name));
}

std::optional<std::string> parameter(const InspectedVolume& volume, std::string_view name) {
    for (const auto& [key, value] : volume.parameters)
        if (key == name) return value;
    return std::nullopt;
}

json to_json(const InspectReport& report) {
    json volumes = json::array(), leftovers = json::array(), unread = json::array();
    for (const InspectedVolume& volume : report.volumes) volumes.push_back(volume_json(volume));
    for (const Leftover& leftover : report.leftovers) leftovers.push_back(leftover_json(leftover));
    for (const Unread& place : report.unread) unread.push_back(unread_json(place));
    return {{"size", report.size.count},         {"sector_size", report.sector_size},
            {"scheme", report.scheme},           {"parameters", placed_json(report.parameters, report.places)},
            {"problem", report.problem},         {"volumes", std::move(volumes)},
            {"leftovers", std::move(leftovers)}, {"read", report.read.count},
            {"unread", std::move(unread)}};
}

Result<InspectReport> inspect_report_from_json(const json& object) {
    detail::JsonFields fields(object, "inspect report");
    InspectReport report{.size = {fields.number("size")},
                         .scheme = fields.text("scheme"),
                         .volumes = {},
                         .sector_size = static_cast<std::uint32_t>(fields.maybe_number("sector_size").value_or(512)),
                         .parameters = fields.parameters("parameters"),
                         .problem = fields.text_or_empty("problem"),
                         .read = {fields.maybe_number("read").value_or(0)}};
    const json& table = fields.list("parameters");
    if (fields.fault()) return fail(*fields.fault());
    auto places = places_from_json(table);
    if (!places) return fail(places.error());
    report.places = std::move(*places);
    auto unread = unread_from_json(object);
    if (!unread) return fail(unread.error());
    report.unread = std::move(*unread);
    for (const json& entry : fields.list("volumes")) {
        const auto volume = volume_from_json(entry);
        if (!volume) return fail(volume.error());
        report.volumes.push_back(*volume);
    }
    for (const json& entry : fields.list("leftovers")) {
        detail::JsonFields leftover(entry, "leftover");
        report.leftovers.push_back(
            {.what = leftover.text("what"), .at = {leftover.number("at")}, .in_volume = leftover.flag("in_volume")});
        if (leftover.fault()) return fail(*leftover.fault());
    }
    if (fields.fault()) return fail(*fields.fault());
    return report;
}

} // namespace mediarig::media
