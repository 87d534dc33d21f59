// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

namespace {

/// Empty if one of the counters is missing or went backwards.
template <class Count>
std::optional<Count> increase(const std::optional<Count>& before, const std::optional<Count>& after) {
    if (!before || !after || *after < *before) return std::nullopt;
    return *after - *before;
}

} // namespace

HostLoad load_between(const HostCounters& before, const HostCounters& after) {
    return {.over = after.at - before.at,
            .processor_waits = increase(before.processor_waits, after.processor_waits),
            .memory_waits = increase(before.memory_waits, after.memory_waits),
            .io_waits = increase(before.io_waits, after.io_waits),
            .stolen = increase(before.stolen, after.stolen),
            .involuntary_switches = increase(before.involuntary_switches, after.involuntary_switches)};
}

measure::Finding BackingDevice::finding_about_speed() const {
    return {.kind = measure::FindingKind::cache_suspected,
            .severity = measure::Severity::warning,
            .detail = host_cache_ == HostCache::of_file
                          ? "the device is backed by " + host_path_ +
                                ", which this host caches: that cache is emptied before data is read back, but it "
                                "buffers writes and reads ahead, so speeds are partly those of this host"
                          : "a cache of this host below the device may have buffered writes and answered reads, so "
                            "speeds may be those of this host; test the medium on its own device node",
            .offset = {}};
}

measure::Finding BackingDevice::finding_about_read_back() const {
    return {.kind = measure::FindingKind::capacity_unclear,
            .severity = measure::Severity::warning,
            .detail = host_cache_ == HostCache::of_file
                          ? "this host's cache of " + host_path_ +
                                ", which backs the device, could not be emptied, so data that was read back may come "
                                "from memory; close the other users of that file, or name the device below it"
                          : "the storage below the device is unknown, so data that was read back may come from a cache "
                            "of this host; test the medium on its own device node",
            .offset = {}};
}

} // namespace mediarig::workload
