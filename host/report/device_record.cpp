// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/device_record.hpp"

#include <sha2.h>

#include <array>
#include <nlohmann/json.hpp>

#include "host/json/json_text.hpp"
#include "host/report/results_json.hpp"

namespace mediarig::report {

std::string device_record(const store::CampaignRecord& campaign, const store::DeviceView& device) {
    return codec::json_text(results_json({.campaign = campaign, .devices = {device}})) + '\n';
}

std::string sha256_of(std::string_view bytes) {
    std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
    SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), text.data());
    return text.data();
}

} // namespace mediarig::report
