// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/log_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "host/base/json/json_text.hpp"
#include "host/measure/encoding.hpp"
#include "host/rig/port/detachment_json.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store::log_line {
namespace {

using nlohmann::json;

/// Builds a line: members that users search for come first, followed by the record.
std::string line(std::string_view type, const std::string& campaign, const std::string& data) {
    return fmt::format(R"({{"v":{},"type":"{}","campaign":{},"data":{}}})", version, type,
                       codec::json_line(json(campaign)), data);
}
std::string line_of_pass(const char* type, const std::string& campaign, const std::string& pass,
                         const std::string& data) {
    return fmt::format(R"({{"v":{},"type":"{}","campaign":{},"pass":{},"data":{}}})", version, type,
                       codec::json_line(json(campaign)), codec::json_line(json(pass)), data);
}

} // namespace

std::string campaign(const CampaignRecord& campaign) {
    return line("campaign", campaign.id, codec::json_line(to_json(campaign)));
}

std::string campaign_end(const std::string& campaign, CampaignState state, TimePoint at) {
    const json data = {{"state", name_of(state)}, {"ended_ns", at.time_since_epoch().count()}};
    return line("campaign_end", campaign, codec::json_line(data));
}

std::string device(const std::string& campaign, const DeviceRecord& device) {
    return line("device", campaign, codec::json_line(to_json(device)));
}

std::string format(const std::string& campaign, const FormatRecord& made) {
    return line("format", campaign, codec::json_line(to_json(made)));
}

std::string pass(const std::string& campaign, const PassRecord& pass) {
    return line("pass", campaign, codec::json_line(to_json(pass)));
}

std::vector<std::string> cell(const std::string& campaign, const std::string& pass, const workload::CellResult& cell) {
    std::vector<std::string> lines;
    std::span<const std::uint32_t> rest = cell.raw_log;
    std::vector<std::uint8_t> bytes;
    while (!rest.empty()) {
        const auto chunk = rest.first(std::min(measure::samples_per_chunk, rest.size()));
        bytes.clear();
        measure::encode_varints(chunk, bytes);
        // The line is built as text: base64 needs no escapes, and a JSON value would be copied three times.
        std::string data = fmt::format(R"({{"cell":{},"first":{},"encoding":"varint-base64","samples":")",
                                       codec::json_line(json(cell.cell.id)), cell.raw_log.size() - rest.size());
        measure::encode_base64(bytes, data);
        data += "\"}";
        lines.push_back(line_of_pass("samples", campaign, pass, data));
        rest = rest.subspan(chunk.size());
    }
    lines.push_back(line_of_pass("cell", campaign, pass, codec::json_line(workload::to_json(cell))));
    return lines;
}

std::string pass_end(const std::string& campaign, const std::string& pass, const PassEnd& end) {
    return line_of_pass("end", campaign, pass, codec::json_line(to_json(end)));
}

std::string entry(const std::string& campaign, const DeviceEntry& entry) {
    return line(kind_of(entry), campaign, codec::json_line(to_json(entry)));
}

std::string torn() {
    return fmt::format(R"({{"v":{},"type":"torn"}})", version);
}

} // namespace mediarig::store::log_line
