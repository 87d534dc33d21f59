// SPDX-License-Identifier: GPL-3.0-or-later
/// What an uplink carries while several media use it at once, from how far each medium's job has come. Pure.
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
    /// A medium's job began, or another one did: nothing was moved since the last report.
    void begin(const std::string& medium, std::chrono::nanoseconds now);
    /// It has moved `done` bytes since begin(). `now` never goes back.
    void moved(const std::string& medium, const std::vector<std::string>& uplinks, std::chrono::nanoseconds now,
               Bytes done);

    /// Of each uplink on which at least two media were at work for `window` whole seconds on end: the highest mean of
    /// all such windows. Shorter, and bursts of caches and of the report itself would count.
    [[nodiscard]] std::vector<MeasuredCeiling> ceilings(std::uint64_t window = 5) const;

private:
    struct Report {
        std::chrono::nanoseconds at{};
        std::uint64_t done{};
    };
    /// One medium within one second.
    struct Share {
        double bytes{}, seconds{};
    };
    using Second = std::map<std::string, Share>; ///< by medium
    std::map<std::string, Report> last_;
    std::map<std::string, std::map<std::uint64_t, Second>> seconds_; ///< by uplink
};

} // namespace mediarig::uplink
