// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/spec.hpp"

#include <algorithm>

namespace mediarig::workload {

Traffic traffic_of(const JobSpec& job, Bytes medium_size) {
    Traffic traffic;
    if (job.sweep) {
        traffic.written += job.sweep->span; // the test file is filled once before the first cell
        for (const CellSpec& cell : job.sweep->cells)
            (writes(cell.access) ? traffic.written : traffic.read) += cell.volume;
    }
    if (job.verify) {
        const Bytes span = job.verify->span.count == 0 ? medium_size : job.verify->span;
        traffic.written += span;
        traffic.read += span;
    }
    if (job.probe) {
        // A fake takes a second round to prove; the samples themselves are some megabytes at most.
        const Bytes round = std::min(job.probe->assumed_cache, Bytes{medium_size.count / 4});
        traffic.written += round * 2 + Bytes{std::uint64_t{8} << 20};
        traffic.read += Bytes{std::uint64_t{64} << 20};
    }
    return traffic;
}

} // namespace mediarig::workload
