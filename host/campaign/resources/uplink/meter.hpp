// SPDX-License-Identifier: GPL-3.0-or-later
/// Measures the capacity of an uplink under use by several media, from the progress of their jobs. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/units.hpp"

namespace mediarig::uplink {

struct MeasuredCeiling {
    std::string uplink;
    double bytes_per_second{};
    unsigned media{};
};

class Meter {
public:
    /// A job of the medium begins: its count of moved bytes starts at 0.
    void begin(const std::string& medium, std::chrono::nanoseconds now);
    /// The job has moved `done` bytes since begin(). `now` never decreases.
    void moved(const std::string& medium, const std::vector<std::string>& uplinks, std::chrono::nanoseconds now,
               Bytes done);

    /// Returns, for each uplink on which at least two media were active for `window` consecutive whole seconds, the
    /// highest mean of all such windows. Shorter windows would include bursts of caches and of the report itself.
    [[nodiscard]] std::vector<MeasuredCeiling> ceilings(std::uint64_t window = 5) const;

private:
    struct Report {
        std::chrono::nanoseconds at{};
        std::uint64_t done{};
    };
    /// The share of one medium in one second.
    struct Share {
        double bytes{}, seconds{};
    };
    using Second = std::map<std::string, Share>; ///< shares by medium
    std::map<std::string, Report> last_;
    std::map<std::string, std::map<std::uint64_t, Second>> seconds_; ///< seconds by uplink
};

} // namespace mediarig::uplink
