// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/pass_pace.hpp"

#include <algorithm>
#include <string>

#include "host/base/text.hpp"
#include "host/measure/plausibility.hpp"

namespace mediarig::workload {
namespace {

std::uint64_t per_second(Bytes bytes, std::chrono::nanoseconds time) {
    if (time.count() <= 0) return 0;
    return static_cast<std::uint64_t>(rate_of(bytes, time).bytes_per_second);
}

} // namespace

PassPace::PassPace(Access access, Bytes span, Bytes chunk)
    : access_(access),
      length_(
          align_up(std::max({smallest_region, chunk, Bytes{(span.count + most_regions - 1) / most_regions}}), chunk)),
      regions_((span.count + length_.count - 1) / length_.count) {}

void PassPace::moved(std::uint64_t offset, Bytes amount, std::chrono::nanoseconds length) {
    Region& region = regions_[static_cast<std::size_t>(offset / length_.count)];
    region.bytes += amount;
    region.time += length;
    if (length > region.worst) {
        region.worst = length;
        region.worst_bytes = amount;
    }
    if (stalls_.size() == most_stalls && length <= stalls_.back().length) return;
    const Stall stall{{offset}, length};
    stalls_.insert(std::upper_bound(stalls_.begin(), stalls_.end(), stall,
                                    [](const Stall& a, const Stall& b) { return a.length > b.length; }),
                   stall);
    if (stalls_.size() > most_stalls) stalls_.pop_back();
}

PassSpeed PassPace::speed() const {
    PassSpeed speed{.access = access_,
                    .region = length_,
                    .median_bytes_per_second = 0,
                    .slow_below = 0,
                    .slow = {},
                    .stalls = stalls_};
    std::vector<std::uint64_t> rates;
    for (const Region& region : regions_)
        // A region with a single transfer has no bytes left when its longest transfer is excluded.
        rates.push_back(per_second(region.bytes - region.worst_bytes, region.time - region.worst));
    std::vector<std::uint64_t> known = rates;
    std::erase(known, 0u);
    if (known.size() < fewest_regions) return speed;
    const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
    std::nth_element(known.begin(), middle, known.end());
    speed.median_bytes_per_second = *middle;
    speed.slow_below = *middle / 2;

    Region run;
    std::uint64_t begin = 0;
    const auto close = [&] {
        if (run.bytes.count > 0) speed.slow.push_back({{begin}, run.bytes, per_second(run.bytes, run.time)});
        run = {};
    };
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        if (rates[i] == 0 || rates[i] >= speed.slow_below) {
            close();
            continue;
        }
        if (run.bytes.count == 0) begin = i * length_.count;
        run.bytes += regions_[i].bytes;
        run.time += regions_[i].time;
    }
    close();
    return speed;
}

measure::Findings slow_findings(const PassSpeed& speed, std::string_view busy) {
    std::vector<SlowRegion> slow = speed.slow;
    const std::uint64_t below = busy.empty() ? speed.slow_below : speed.slow_below / 2;
    // Other processes delay a region by parts of a second.
    if (!busy.empty())
        std::erase_if(slow, [&](const SlowRegion& region) {
            const double length = static_cast<double>(region.length.count);
            const double longer = length / std::max(static_cast<double>(region.bytes_per_second), 1.0) -
                                  length / static_cast<double>(speed.median_bytes_per_second);
            return region.bytes_per_second >= below ||
                   longer < std::chrono::duration<double>(measure::busy_least_spike).count();
        });
    if (slow.empty()) return {};
    Bytes length;
    for (const SlowRegion& region : slow) length += region.length;
    return {{.kind = measure::FindingKind::slow_region,
             .severity = measure::Severity::note,
             .detail = size_text(length) + " in " + std::to_string(slow.size()) +
                       (slow.size() == 1 ? " place " : " places ") + (writes(speed.access) ? "written" : "read") +
                       " at less than " + size_text(Bytes{below}) + "/s, " + (busy.empty() ? "half" : "a quarter") +
                       " of the median of all regions of " + size_text(speed.region) + ": " +
                       (busy.empty() ? std::string("worn cells, or another program used the medium")
                                     : "probably the busy host (" + std::string(busy) + "), otherwise worn cells"),
             .offset = slow.front().offset,
             .length = length,
             .end = slow.back().offset + slow.back().length,
             .count = slow.size()}};
}

} // namespace mediarig::workload
