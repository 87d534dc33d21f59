// SPDX-License-Identifier: GPL-3.0-or-later
/// Asked before anything is kept: would it read back? Readers refuse what is out of range, and one record that cannot
/// be read would take its whole campaign with it.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/result.hpp"
#include "host/store/record_json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store {

namespace detail {
template <class From>
Result<void> reads_back(const nlohmann::json& json, From from) {
    if (const auto record = from(json); !record)
        return fail(Errc::bad_request,
                    fmt::format("not kept, because it would not read back: {}", record.error().detail));
    return {};
}
} // namespace detail

/// Each fails with bad_request, naming the member.
[[nodiscard]] inline Result<void> readable(const DeviceRecord& device) {
    return detail::reads_back(to_json(device), device_from_json);
}
[[nodiscard]] inline Result<void> readable(const MadeFormat& made) {
    return detail::reads_back(to_json(made), made_format_from_json);
}
[[nodiscard]] inline Result<void> readable(const PassRecord& pass) {
    return detail::reads_back(to_json(pass), pass_from_json);
}
[[nodiscard]] inline Result<void> readable(const workload::CellResult& cell) {
    return detail::reads_back(workload::to_json(cell), workload::cell_result_from_json);
}
[[nodiscard]] inline Result<void> readable(const PassEnd& end) {
    return detail::reads_back(to_json(end), pass_end_from_json);
}
[[nodiscard]] inline Result<void> readable(const FindingRecord& finding) {
    return detail::reads_back(to_json(finding), finding_record_from_json);
}
[[nodiscard]] inline Result<void> readable(const media::CheckReport& check) {
    return detail::reads_back(media::to_json(check), media::check_report_from_json);
}

} // namespace mediarig::store
