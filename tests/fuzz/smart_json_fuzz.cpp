// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any text as the output of smartctl. The resulting report survives a round trip.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/media/identity/smart/smart_json.hpp"

using namespace mediarig::media;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const SmartReport report =
        smart_report_from(std::string_view(reinterpret_cast<const char*>(data + 1), size - 1), data[0]);
    const bool verdict = report.state == SmartState::passed || report.state == SmartState::failing;
    if (verdict != report.detail.empty()) std::abort();
    const auto back = smart_report_from_json(nlohmann::json::parse(to_json(report).dump()));
    if (!back || *back != report) std::abort();
    return 0;
}
