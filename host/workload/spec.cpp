// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/spec.hpp"

#include <algorithm>

namespace mediarig::workload {
namespace {

Traffic traffic_of_kind(const SweepJob& sweep, Bytes) {
    Traffic traffic{.written = sweep.span, .read = {}}; // the test file is filled once before the first cell
    for (const CellSpec& cell : sweep.cells) (writes(cell.access) ? traffic.written : traffic.read) += cell.volume;
    return traffic;
}

Traffic traffic_of_kind(const VerifyJob& verify, Bytes medium_size) {
    const Bytes span = verify.span.count == 0 ? medium_size : verify.span;
    return {.written = span, .read = span};
}

Traffic traffic_of_kind(const ProbeJob& probe, Bytes medium_size) {
    // A fake takes a second round to prove; the samples themselves are some megabytes at most.
    const Bytes round = std::min(probe.assumed_cache, Bytes{medium_size.count / 4});
    return {.written = round * 2 + Bytes{std::uint64_t{8} << 20}, .read = Bytes{std::uint64_t{64} << 20}};
}

} // namespace

Traffic traffic_of(const JobSpec& job, Bytes medium_size) {
    return std::visit([&](const auto& kind) { return traffic_of_kind(kind, medium_size); }, job.kind);
}

} // namespace mediarig::workload
