// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/time_text.hpp"

#include <array>
#include <ctime>

namespace mediarig {
namespace {

std::string formatted(const std::tm& time, const char* format) {
    std::array<char, 100> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), format, &time);
    return {text.data(), length};
}

const char* format_for(TimePrecision precision) {
    switch (precision) {
        case TimePrecision::day:
            return "%Y-%m-%d";
        case TimePrecision::minute:
            return "%Y-%m-%d %H:%M %Z";
        case TimePrecision::second:
            break;
    }
    return "%Y-%m-%d %H:%M:%S %Z";
}

} // namespace

std::string local_time_text(std::chrono::sys_seconds time, TimePrecision precision) {
    const std::time_t seconds = time.time_since_epoch().count();
    std::tm local{};
    if (::localtime_r(&seconds, &local) == nullptr) return "@" + std::to_string(seconds);
    return formatted(local, format_for(precision));
}

std::string utc_time_text(std::chrono::sys_seconds time) {
    const std::time_t seconds = time.time_since_epoch().count();
    std::tm utc{};
    if (::gmtime_r(&seconds, &utc) == nullptr) return "@" + std::to_string(seconds);
    return formatted(utc, "%Y-%m-%d %H:%M:%S UTC");
}

} // namespace mediarig
