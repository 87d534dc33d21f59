// SPDX-License-Identifier: GPL-3.0-or-later
/// The one line that tells what is going on right now. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/units.hpp"

namespace mediarig::cli {

struct ProgressLine {
    std::size_t step{}, steps{};    ///< "[5/24]"; step from 1
    std::string medium, what;       ///< "fast", "quickbench on exfat"
    std::string phase;              ///< "layout", "random_write 4KB"; empty where there is none
    std::uint32_t cell{}, cells{};  ///< cell from 1; cells == 0: none
    std::optional<double> fraction; ///< 0 … 1
    Bytes done;
    std::optional<Rate> rate;
    std::optional<std::chrono::seconds> left;
    /// How far apart two ways to reckon it are: by the step so far, and by the rate of the last seconds.
    std::optional<std::chrono::seconds> left_within{};
};

/// In at most `columns`, without line breaks or control characters. What matters least is left out first, and the bar
/// takes what is over.
[[nodiscard]] std::string render(const ProgressLine& line, std::size_t columns);

/// "31.1 MB/s"
[[nodiscard]] std::string readable_rate(Rate rate);

} // namespace mediarig::cli
