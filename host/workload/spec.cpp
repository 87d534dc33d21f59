// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/spec.hpp"

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
    return traffic;
}

} // namespace mediarig::workload
