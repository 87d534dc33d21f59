// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/json_fields.hpp"
#include "host/media/inspect/inspect.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

json volume_json(const InspectedVolume& volume) {
    return {{"start", volume.start.count},
            {"length", volume.length.count},
            {"file_system", volume.file_system},
            {"label", volume.label},
            {"parameters", detail::parameters_json(volume.parameters)},
            {"problem", volume.problem}};
}

Result<InspectedVolume> volume_from_json(const json& object) {
    detail::JsonFields fields(object, "volume");
    InspectedVolume volume{.start = {fields.number("start")},
                           .length = {fields.number("length")},
                           .file_system = fields.text_or_empty("file_system"),
                           .label = fields.text_or_empty("label"),
                           .parameters = fields.parameters("parameters"),
                           .problem = fields.text_or_empty("problem")};
    if (fields.fault()) return fail(*fields.fault());
    return volume;
}

} // namespace

json to_json(const InspectReport& report) {
    json volumes = json::array();
    for (const InspectedVolume& volume : report.volumes) volumes.push_back(volume_json(volume));
    return {{"size", report.size.count}, {"scheme", report.scheme}, {"volumes", std::move(volumes)}};
}

Result<InspectReport> inspect_report_from_json(const json& object) {
    detail::JsonFields fields(object, "inspect report");
    InspectReport report{.size = {fields.number("size")}, .scheme = fields.text("scheme"), .volumes = {}};
    for (const json& entry : fields.list("volumes")) {
        const auto volume = volume_from_json(entry);
        if (!volume) return fail(volume.error());
        report.volumes.push_back(*volume);
    }
    if (fields.fault()) return fail(*fields.fault());
    return report;
}

} // namespace mediarig::media
