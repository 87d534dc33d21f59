// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/inspection_view.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/base/text.hpp"
#include "host/gui/models/json_member.hpp"

namespace mediarig::gui {
namespace {

std::string shown_text(const nlohmann::json& object, const char* name) {
    return printable(text_in(object, name));
}

/// Sort key of the severity, the worst first.
std::size_t rank_of(const ShownDeviation& deviation) {
    constexpr std::array worst_first{"error", "warning", "note"};
    return static_cast<std::size_t>(std::ranges::find(worst_first, deviation.severity) - worst_first.begin());
}

} // namespace

Result<InspectionView> inspected_from_json(std::string_view text) {
    const auto json = codec::read_json(text);
    if (!json.is_object() || !json.contains("mediarig_inspect") || !json.contains("content"))
        return fail(Errc::bad_format, "mediarig inspect --json gave no inspection");
    auto content = media::inspect_report_from_json(json["content"]);
    if (!content) return fail(content.error());
    InspectionView result{.deviations = {}, .compared = false, .content = std::move(*content)};
    const auto deviations = json.find("deviations");
    if (deviations == json.end() || !deviations->is_array()) return result;
    result.compared = true;
    for (const nlohmann::json& each : *deviations) {
        if (!each.is_object()) return fail(Errc::bad_format, "mediarig inspect --json gave an invalid deviation");
        result.deviations.push_back({.severity = shown_text(each, "severity"),
                                     .subject = shown_text(each, "subject"),
                                     .name = shown_text(each, "name"),
                                     .found = shown_text(each, "found"),
                                     .expected = shown_text(each, "expected"),
                                     .reason = shown_text(each, "reason"),
                                     .source = shown_text(each, "source")});
    }
    std::ranges::stable_sort(result.deviations, {}, rank_of);
    return result;
}

std::vector<ShownParameter> shown_parameters(const std::vector<std::pair<std::string, std::string>>& parameters,
                                             const media::Places& places) {
    std::vector<ShownParameter> result;
    for (const auto& [name, value] : parameters) {
        ShownParameter shown{.name = printable(name), .value = printable(value), .at = {}, .hex = {}};
        if (const auto place = std::ranges::find(places, name, &media::FieldLocation::name); place != places.end()) {
            if (!place->unit.empty()) shown.value += ' ' + printable(place->unit);
            if (place->length.count > 0) shown.at = place->at;
            shown.hex = printable(place->hex);
        }
        result.push_back(std::move(shown));
    }
    return result;
}

std::vector<ShownParameter> parameters_at(const media::InspectReport& content, Bytes start, Bytes length) {
    std::vector<ShownParameter> result;
    const auto add = [&](const auto& parameters, const media::Places& places) {
        for (ShownParameter& each : shown_parameters(parameters, places))
            if (each.at && *each.at >= start && *each.at < start + length) result.push_back(std::move(each));
    };
    add(content.parameters, content.places);
    for (const media::InspectedVolume& volume : content.volumes) add(volume.parameters, volume.places);
    std::ranges::stable_sort(result, {}, &ShownParameter::at);
    return result;
}

} // namespace mediarig::gui
