// SPDX-License-Identifier: GPL-3.0-or-later
/// The record of one device as bytes that anybody can make again, and their sum. Pure.
#pragma once

#include <string>
#include <string_view>

#include "host/store/record.hpp"

namespace mediarig::report {

/// The exact output of `mediarig results CAMPAIGN --device KEY --json`: the campaign with only this device, by
/// docs/schemas/results.schema.json; sorted members, indented by two blanks, with a final line feed.
[[nodiscard]] std::string device_record(const store::CampaignRecord& campaign, const store::DeviceView& device);

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits, as sha256sum prints it.
[[nodiscard]] std::string sha256_of(std::string_view bytes);

} // namespace mediarig::report
