// SPDX-License-Identifier: GPL-3.0-or-later
/// How evenly a pass over a medium goes: slow regions and the longest single transfers. Pure.
#pragma once

#include <chrono>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

class PassPace {
public:
    static constexpr std::size_t most_regions = 1024, fewest_regions = 8, most_stalls = 10;
    static constexpr Bytes smallest_region{std::uint64_t{16} << 20};

    /// Over `span` bytes in transfers of `chunk`: regions of at least 16 MiB, at most 1024 of them.
    PassPace(Access access, Bytes span, Bytes chunk);

    /// A transfer of `amount` at `offset`, within the span, took `length`.
    void moved(std::uint64_t offset, Bytes amount, std::chrono::nanoseconds length);

    /// A region is slow below half of the median of all regions. A rotating disk falls to about half of its outer rate
    /// on its inner tracks and so to two thirds of its median; what is slower than half the median is no such slope.
    /// The longest transfer of a region does not count there: alone it is a stall, not a slow region. With fewer than 8
    /// regions nothing is compared.
    [[nodiscard]] PassSpeed speed() const;

private:
    struct Region {
        Bytes bytes;
        std::chrono::nanoseconds time{};
        Bytes worst_bytes;
        std::chrono::nanoseconds worst{};
    };
    Access access_;
    Bytes length_;
    std::vector<Region> regions_;
    std::vector<Stall> stalls_; ///< longest first
};

/// One note where anything is slow.
[[nodiscard]] measure::Findings slow_findings(const PassSpeed& speed);

} // namespace mediarig::workload
