// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/json_fields.hpp"
#include "host/media/mount/mount.hpp"
#include "host/workload/json.hpp"

namespace mediarig::media {

using nlohmann::json;

json to_json(const MountReport& report) {
    json limits = json::array();
    for (const measure::Finding& limit : report.limits) limits.push_back(workload::to_json(limit));
    json object{
        {"mount_point", report.mount_point}, {"driver", report.driver},     {"driver_version", report.driver_version},
        {"options", report.options},         {"total", report.total.count}, {"free", report.free.count},
        {"limits", std::move(limits)}};
    if (report.volume) {
        object["partition"] = report.volume->partition;
        object["start"] = report.volume->start.count;
        object["length"] = report.volume->length.count;
        object["through_loop"] = report.through_loop;
    }
    return object;
}

Result<MountReport> mount_report_from_json(const json& object) {
    detail::JsonFields fields(object, "mount report");
    MountReport report{.mount_point = fields.text("mount_point"),
                       .driver = fields.text("driver"),
                       .driver_version = fields.text_or_empty("driver_version"),
                       .options = fields.text_or_empty("options"),
                       .total = {fields.number("total")},
                       .free = {fields.number("free")},
                       .limits = {}};
    if (const auto partition = fields.maybe_number("partition")) {
        report.volume = VolumeSpan{.start = {fields.number("start")},
                                   .length = {fields.number("length")},
                                   .partition = static_cast<std::uint32_t>(*partition)};
        report.through_loop = fields.flag("through_loop");
    }
    for (const json& entry : fields.list("limits")) {
        auto limit = workload::finding_from_json(entry);
        if (!limit) return fail(limit.error());
        report.limits.push_back(std::move(*limit));
    }
    if (fields.fault()) return fail(*fields.fault());
    return report;
}

} // namespace mediarig::media
