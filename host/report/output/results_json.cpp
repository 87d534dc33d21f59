// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/results_json.hpp"

#include <sha2.h>

#include <array>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/text/display_text.hpp"
#include "host/rig/port/detachment_json.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::report {
namespace {

using nlohmann::json;

json cell_json(const workload::CellResult& cell, Detail detail) {
    json out = workload::to_json(cell);
    if (detail == Detail::full && !cell.raw_log.empty()) out["raw_log_ns"] = cell.raw_log;
    json& latency = out["latency"];
    latency["count"] = cell.latency.count();
    if (!cell.latency.empty()) {
        latency["mean_ns"] = cell.latency.mean()->count();
        for (const measure::Percentile& each : measure::percentiles)
            latency[std::string(each.column)] = cell.latency.quantile(each.fraction)->count();
    }
    if (detail == Detail::summary) {
        out.erase("series");
        latency.erase("buckets");
    }
    return out;
}

/// Returns the list of the results of to_json().
template <class T>
json list_of(const std::vector<T>& records) {
    json out = json::array();
    for (const T& record : records) out.push_back(to_json(record));
    return out;
}

json pass_json(const store::PassView& view, Detail detail) {
    json out = store::to_json(view.pass);
    out["end"] = view.end ? store::to_json(*view.end) : json();
    json cells = json::array();
    for (const workload::CellResult& cell : view.cells) cells.push_back(cell_json(cell, detail));
    out["cells"] = std::move(cells);
    out["findings"] = list_of(view.findings);
    return out;
}

json device_json(const store::DeviceView& view, Detail detail) {
    json out = store::to_json(view.device);
    json passes = json::array();
    for (const store::PassView& pass : view.passes) passes.push_back(pass_json(pass, detail));
    out["passes"] = std::move(passes);
    out["made"] = list_of(view.made);
    out["checks"] = list_of(view.checks);
    out["detachments"] = list_of(view.detachments);
    out["findings"] = list_of(view.findings);
    out["untested"] = list_of(view.untested);
    out["verdict"] = view.verdict ? measure::to_json(*view.verdict) : json();
    return out;
}

/// Names from a medium may be invalid UTF-8.
void make_valid(json& value) {
    if (value.is_string())
        value = valid_utf8(value.get_ref<const std::string&>());
    else if (value.is_structured())
        for (json& element : value) make_valid(element);
}

json devices_json(const store::CampaignView& campaign, Detail detail) {
    json devices = json::array();
    for (const store::DeviceView& device : campaign.devices) devices.push_back(device_json(device, detail));
    if (const auto comparison = comparison_of(campaign))
        for (const DeviceComparison& device : comparison->devices)
            devices[device.device]["comparison"] = to_json(device, *comparison);
    return devices;
}

json whole_of(const store::CampaignRecord& campaign, json devices) {
    json out = {{"schema", "mediarig.results"},
                {"version", 1},
                {"campaign", store::to_json(campaign)},
                {"devices", std::move(devices)}};
    make_valid(out);
    return out;
}

/// Formats an element of a list in the outermost object. Line ends within strings are escaped, so these are between
/// members.
std::string element_text(json element) {
    make_valid(element);
    std::string text = "\n    ";
    for (const char c : codec::json_text(element)) {
        text += c;
        if (c == '\n') text += "    ";
    }
    return text;
}

} // namespace

json results_json(const store::CampaignView& campaign, Detail detail) {
    return whole_of(campaign.campaign, devices_json(campaign, detail));
}

Result<void> write_results_json(store::CampaignView&& outline, const LoadDevice& load, const TextSink& take) {
    const std::string frame = codec::json_text(whole_of(outline.campaign, json::array())) + '\n';
    if (outline.devices.empty()) return take(frame);
    // Only members of the outermost object have this indentation.
    constexpr std::string_view no_devices = "\n  \"devices\": []";
    const std::size_t list = frame.find(no_devices) + no_devices.size() - 1;
    if (auto taken = take(std::string_view(frame).substr(0, list)); !taken) return taken;
    store::CampaignView one{.campaign = std::move(outline.campaign), .devices = {}};
    std::string_view separator;
    for (store::DeviceView& device : outline.devices) {
        if (auto loaded = load(device); !loaded) return fail(loaded.error());
        one.devices.clear();
        one.devices.push_back(std::move(device));
        const std::string text = element_text(devices_json(one, Detail::full).front());
        for (const std::string_view part : {separator, std::string_view(text)})
            if (auto taken = take(part); !taken) return taken;
        separator = ",";
    }
    return take("\n  " + frame.substr(list));
}

std::string device_record(const store::CampaignRecord& campaign, const store::DeviceView& device) {
    return codec::json_text(results_json({.campaign = campaign, .devices = {device}})) + '\n';
}

std::string sha256_of(std::string_view bytes) {
    std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
    SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), text.data());
    return text.data();
}

} // namespace mediarig::report
