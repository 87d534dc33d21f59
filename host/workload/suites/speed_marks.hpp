// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements of the speed marks on cards. A measurement is at most consistent with a mark: the association measures
/// at a fixed bus speed and updates the FAT between the units. Pure. Source: SD Physical Layer Simplified Specification
/// 4.10, section 4.13; tables of the SD Association.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

#include "common/units.hpp"

namespace mediarig::suites {

/// Minimum sustained rate in MB/s of 10^6 bytes.
struct SpeedMark {
    std::string_view names;
    double megabytes{};
};
/// Ascending.
inline constexpr std::array speed_marks{
    SpeedMark{"C2", 2},       SpeedMark{"C4", 4},   SpeedMark{"C6, V6", 6}, SpeedMark{"C10, U1, V10", 10},
    SpeedMark{"U3, V30", 30}, SpeedMark{"V60", 60}, SpeedMark{"V90", 90}};

/// A byte of a transfer that extends over two seconds is counted in one of them, and times have rounding errors. A rate
/// within this fraction of a mark is the rate of the mark.
inline constexpr double resolution_of_rates = 1e-6;
[[nodiscard]] inline double at_mark(double rate, double mark) {
    return std::abs(rate - mark) <= resolution_of_rates * mark ? mark : rate;
}

/// The unit of recording, and the longest time for which a card may be busy with the write of one unit. A write of the
/// FAT may take 750 ms.
inline constexpr Bytes recording_unit = 512_KiB;
inline constexpr std::chrono::milliseconds longest_unit{250};

} // namespace mediarig::suites
