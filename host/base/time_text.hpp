// SPDX-License-Identifier: GPL-3.0-or-later
/// Points in time as text. Records and JSON contain UTC; displayed times are local, with their zone.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace mediarig {

enum class TimePrecision : std::uint8_t { day, minute, second };

/// For display: "2026-11-20 22:04:05 CET", in the zone of this machine (TZ); with the precision of a day without the
/// zone: "2026-11-20". Returns "@SECONDS" for a year that no calendar contains.
[[nodiscard]] std::string local_time_text(std::chrono::sys_seconds time,
                                          TimePrecision precision = TimePrecision::second);
/// For records and programs: "2026-11-20 21:04:05 UTC".
[[nodiscard]] std::string utc_time_text(std::chrono::sys_seconds time);

/// Overload for finer clocks.
template <class Duration>
[[nodiscard]] std::string local_time_text(std::chrono::sys_time<Duration> time,
                                          TimePrecision precision = TimePrecision::second) {
    return local_time_text(std::chrono::floor<std::chrono::seconds>(time), precision);
}
template <class Duration>
[[nodiscard]] std::string utc_time_text(std::chrono::sys_time<Duration> time) {
    return utc_time_text(std::chrono::floor<std::chrono::seconds>(time));
}

} // namespace mediarig
