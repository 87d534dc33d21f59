// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds the slow regions of a pass over a medium and its longest single transfers. Pure.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

class PassPace {
public:
    static constexpr std::size_t most_regions = 1024, fewest_regions = 8, most_stalls = 10;
    static constexpr Bytes smallest_region{std::uint64_t{16} << 20};

    /// `span` bytes in transfers of `chunk`: regions of at least 16 MiB, at most 1024 of them.
    PassPace(Access access, Bytes span, Bytes chunk);

    /// Records that a transfer of `amount` at `offset`, within the span, took `length`.
    void moved(std::uint64_t offset, Bytes amount, std::chrono::nanoseconds length);

    /// A region is slow if its rate is below half of the median of all regions. The rate of a rotating disk falls to
    /// about half from the outer to the inner tracks, i.e. to two thirds of the median, so this slope is not reported.
    /// The longest transfer of a region is excluded: a single long transfer is a stall, not a slow region. With fewer
    /// than 8 regions there is no comparison.
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

/// Returns one note if the pass has slow regions. `busy`: the load of the host during the pass in words; empty if it was
/// not busy. On a busy host a region counts only below a quarter of the median, and if it took a second longer than at
/// the median.
[[nodiscard]] measure::Findings slow_findings(const PassSpeed& speed, std::string_view busy = {});

} // namespace mediarig::workload
