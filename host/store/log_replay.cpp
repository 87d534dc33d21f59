// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/log_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/measure/base64.hpp"
#include "host/measure/varint.hpp"
#include "host/store/log_lines.hpp"
#include "host/store/members.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store {
namespace {

using nlohmann::json;

/// The text member `name`; empty where there is none, which is the id of nothing.
std::string text_at(const json& line, const char* name) {
    const auto found = line.find(name);
    return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const json& data_of(const json& line) {
    static const json nothing;
    const auto found = line.find("data");
    return found == line.end() ? nothing : *found;
}

struct Chunk {
    std::string cell;
    std::uint32_t first{};
    std::vector<std::uint32_t> samples;
};

Result<Chunk> chunk_from(const json& data) {
    Members members("samples", data);
    Chunk chunk;
    std::string encoding, text;
    members.text("cell", chunk.cell);
    members.count("first", chunk.first);
    members.text("encoding", encoding);
    members.text("samples", text);
    if (auto fits = members.finish(0); !fits) return fail(std::move(fits.error()));
    if (encoding != "varint-base64")
        return fail(Errc::bad_format, fmt::format("samples: encoding '{}' is unknown", encoding));
    const auto bytes = measure::decode_base64(text);
    auto samples = bytes ? measure::decode_varints(*bytes) : std::nullopt;
    if (!samples) return fail(Errc::bad_format, "samples: the chunk does not read back");
    chunk.samples = std::move(*samples);
    return chunk;
}

} // namespace

Result<void> LogReplay::apply(const json& line) {
    using Handler = Result<void> (LogReplay::*)(const json&);
    static const std::map<std::string, Handler, std::less<>> handlers{
        {"campaign", &LogReplay::campaign}, {"campaign_end", &LogReplay::campaign_end}, {"device", &LogReplay::device},
        {"pass", &LogReplay::pass},         {"samples", &LogReplay::samples},           {"cell", &LogReplay::cell},
        {"end", &LogReplay::end},           {"finding", &LogReplay::finding},           {"check", &LogReplay::check},
        {"untested", &LogReplay::untested}, {"verdict", &LogReplay::verdict},           {"format", &LogReplay::format}};
    const auto handler = handlers.find(text_at(line, "type"));
    return handler == handlers.end() ? Result<void>{} : (this->*handler->second)(line);
}

CampaignView* LogReplay::find_campaign(const json& line) {
    const std::string id = text_at(line, "campaign");
    const auto found = std::find_if(history_.campaigns.begin(), history_.campaigns.end(),
                                    [&](const CampaignView& view) { return view.campaign.id == id; });
    return found == history_.campaigns.end() ? nullptr : &*found;
}

DeviceView* LogReplay::find_device(const json& line) {
    CampaignView* view = find_campaign(line);
    return view == nullptr || view->devices.empty() ? nullptr : &view->devices.front();
}

PassView* LogReplay::find_pass(DeviceView& device, const std::string& id) {
    const auto found = std::find_if(device.passes.begin(), device.passes.end(),
                                    [&](const PassView& view) { return view.pass.id == id; });
    return found == device.passes.end() ? nullptr : &*found;
}

PassView* LogReplay::find_pass(const json& line) {
    DeviceView* device = find_device(line);
    return device == nullptr ? nullptr : find_pass(*device, text_at(line, "pass"));
}

Result<void> LogReplay::stray() {
    ++history_.stray_lines;
    return {};
}

Result<void> LogReplay::campaign(const json& line) {
    auto record = campaign_from_json(data_of(line));
    if (!record) return fail(std::move(record.error()));
    if (CampaignView* known = find_campaign(line); known != nullptr)
        known->campaign = std::move(*record);
    else
        history_.campaigns.push_back({.campaign = std::move(*record), .devices = {}});
    return {};
}

Result<void> LogReplay::campaign_end(const json& line) {
    CampaignView* view = find_campaign(line);
    if (view == nullptr) return stray();
    Members members("end of a campaign", data_of(line));
    CampaignRecord ended = view->campaign;
    members.named("state", ended.state, campaign_state_from);
    members.time("ended_ns", ended.ended);
    auto fits = members.finish(std::move(ended));
    if (!fits) return fail(std::move(fits.error()));
    view->campaign = std::move(*fits);
    return {};
}

Result<void> LogReplay::device(const json& line) {
    CampaignView* view = find_campaign(line);
    if (view == nullptr) return stray();
    auto record = device_from_json(data_of(line));
    if (!record) return fail(std::move(record.error()));
    if (view->devices.empty()) {
        view->devices.emplace_back();
    } else {
        const DeviceRecord& earlier = view->devices.front().device;
        // Logs of versions that inspected again when a campaign was resumed tell what those had written themselves.
        if (earlier.found) record->found = earlier.found;
        view->devices.front().untested.clear();
        view->devices.front().verdict.reset();
    }
    view->devices.front().device = std::move(*record);
    return {};
}

Result<void> LogReplay::format(const json& line) {
    DeviceView* device = find_device(line);
    if (device == nullptr) return stray();
    auto record = made_format_from_json(data_of(line));
    if (!record) return fail(std::move(record.error()));
    const auto known = std::find_if(device->made.begin(), device->made.end(),
                                    [&](const MadeFormat& made) { return made.step == record->step; });
    if (known != device->made.end())
        *known = std::move(*record);
    else
        device->made.push_back(std::move(*record));
    return {};
}

Result<void> LogReplay::pass(const json& line) {
    DeviceView* device = find_device(line);
    if (device == nullptr) return stray();
    auto record = pass_from_json(data_of(line));
    if (!record) return fail(std::move(record.error()));
    PassView* view = find_pass(*device, record->id);
    if (view == nullptr) view = &device->passes.emplace_back();
    view->pass = std::move(*record);
    view->end.reset();
    return {};
}

Result<void> LogReplay::samples(const json& line) {
    if (find_pass(line) == nullptr) return stray();
    const json& data = data_of(line);
    if (!data.is_object()) return fail(Errc::bad_format, "samples: not a JSON object");
    if (wanted_ != CellKey{text_at(line, "campaign"), text_at(line, "pass"), text_at(data, "cell")}) return {};
    auto chunk = chunk_from(data);
    if (!chunk) return fail(std::move(chunk.error()));
    // The first chunk begins the log anew: what a crash left of an earlier attempt does not count.
    if (chunk->first == 0) collected_.clear();
    if (chunk->first != collected_.size()) return fail(Errc::bad_format, "samples: a chunk before this one is missing");
    collected_.insert(collected_.end(), chunk->samples.begin(), chunk->samples.end());
    return {};
}

Result<void> LogReplay::cell(const json& line) {
    PassView* pass = find_pass(line);
    if (pass == nullptr) return stray();
    auto result = workload::cell_result_from_json(data_of(line));
    if (!result) return fail(std::move(result.error()));
    if (wanted_ == CellKey{text_at(line, "campaign"), text_at(line, "pass"), result->cell.id})
        raw_log_ = std::exchange(collected_, {});

    const auto known = std::find_if(pass->cells.begin(), pass->cells.end(),
                                    [&](const workload::CellResult& cell) { return cell.cell.id == result->cell.id; });
    if (known != pass->cells.end())
        *known = std::move(*result);
    else
        pass->cells.push_back(std::move(*result));
    return {};
}

Result<void> LogReplay::end(const json& line) {
    PassView* pass = find_pass(line);
    if (pass == nullptr) return stray();
    auto end = pass_end_from_json(data_of(line));
    if (!end) return fail(std::move(end.error()));
    pass->pass.ended = end->ended;
    pass->end = std::move(*end);
    return {};
}

Result<void> LogReplay::finding(const json& line) {
    DeviceView* device = find_device(line);
    if (device == nullptr) return stray();
    auto record = finding_record_from_json(data_of(line));
    if (!record) return fail(std::move(record.error()));
    PassView* pass = record->pass.empty() ? nullptr : find_pass(*device, record->pass);
    if (pass == nullptr && !record->pass.empty()) return stray();
    auto& findings = pass == nullptr ? device->findings : pass->findings;
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const FindingRecord& each) {
        return each.cell == record->cell && each.finding == record->finding;
    });
    if (!known) findings.push_back(std::move(*record));
    return {};
}

Result<void> LogReplay::check(const json& line) {
    DeviceView* device = find_device(line);
    if (device == nullptr) return stray();
    auto report = media::check_report_from_json(data_of(line));
    if (!report) return fail(std::move(report.error()));
    device->checks.push_back(std::move(*report));
    return {};
}

Result<void> LogReplay::untested(const json& line) {
    DeviceView* device = find_device(line);
    if (device == nullptr) return stray();
    const json& what = data_of(line);
    if (!what.is_string()) return fail(Errc::bad_format, "untested: no text");
    auto& list = device->untested;
    if (std::find(list.begin(), list.end(), what.get_ref<const std::string&>()) == list.end())
        list.push_back(what.get<std::string>());
    return {};
}

Result<void> LogReplay::verdict(const json& line) {
    DeviceView* device = find_device(line);
    if (device == nullptr) return stray();
    auto verdict = verdict_from_json(data_of(line));
    if (!verdict) return fail(std::move(verdict.error()));
    device->verdict = std::move(*verdict);
    return {};
}

DeviceHistory LogReplay::finish() {
    // A crash can come between the line of a campaign and that of its device.
    std::erase_if(history_.campaigns, [](const CampaignView& campaign) { return campaign.devices.empty(); });
    for (CampaignView& campaign : history_.campaigns)
        for (DeviceView& device : campaign.devices)
            std::stable_sort(device.passes.begin(), device.passes.end(),
                             [](const PassView& a, const PassView& b) { return a.pass.position < b.pass.position; });
    return std::exchange(history_, {});
}

} // namespace mediarig::store
