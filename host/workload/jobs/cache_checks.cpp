// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/cache_checks.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace mediarig::workload {

using measure::Finding;
using measure::FindingKind;
using measure::Findings;
using measure::Severity;

Findings CacheChecks::path_findings() const {
    Findings findings;
    if (file_.direct_refused())
        findings.push_back({.kind = FindingKind::direct_refused,
                            .severity = Severity::warning,
                            .detail = "the file system refuses O_DIRECT; the page cache is used, written back and "
                                      "dropped before each reading cell",
                            .offset = {}});
    if (file_.served_by_user_space())
        findings.push_back(
            {.kind = FindingKind::driver_limit,
             .severity = device_.known() ? Severity::note : Severity::warning,
             .detail = !device_.known()
                           ? "the file system is served by a process (FUSE) and its device is unknown, so the device's "
                             "page cache cannot be emptied: reads may come from memory; name the backing device"
                           : "the file system is served by a process (FUSE), which buffers in the page cache of " +
                                 device_.node() +
                                 ": this cache is written back with each sync and emptied before each "
                                 "reading cell",
             .offset = {}});
    if (device_.host_caches()) findings.push_back(device_.finding_about_speed());
    if (auto finding = device_.finding_about_directory()) findings.push_back(std::move(*finding));
    return findings;
}

bool CacheChecks::drop_caches(Bytes span) const {
    if (file_.used() == CachePolicy::cached) return false;
    bool dropped = file_.drop_cache(span).verified();
    if (file_.served_by_user_space()) dropped = buffers_in_device() && device_.flush_and_drop() && dropped;
    return device_.drop_host_cache() && dropped; // last: the write-back of the other caches ends in the host's cache
}

int CacheChecks::flush() const {
    if (const int error = file_.flush(); error != 0) return error;
    return buffers_in_device() ? device_.flush() : 0;
}

Findings CacheChecks::weigh(CellResult& result, std::optional<BackingDevice::Totals> before, Bytes span,
                            Bytes repeated) const {
    const auto after = device_.totals();
    if (!before || !after || after->read < before->read || after->written < before->written) return {};
    result.evidence.device_read = after->read - before->read;
    result.evidence.device_written = after->written - before->written;

    const bool writing = writes(result.cell.access);
    // Unsynced data may still be in memory, and of two writes to one place the kernel may drop one.
    if (result.evidence.used == CachePolicy::cached || (writing && result.evidence.sync == SyncLevel::none)) return {};
    const Bytes once = result.moved - std::min(result.moved, repeated);
    const Bytes expected = writing ? std::min(once, span) : once;
    const Bytes seen = writing ? *result.evidence.device_written : *result.evidence.device_read;
    if (seen >= expected) return {};
    return {{.kind = FindingKind::cache_suspected,
             .severity = Severity::warning,
             .detail = "the device moved " + std::to_string(seen.count) + " bytes while the test " +
                       (writing ? "wrote " : "read ") + std::to_string(expected.count) +
                       ": a cache or a compressing file system served the rest",
             .offset = {},
             .length = {},
             .count = 1}};
}

Finding flush_failed(int error) {
    const bool unsupported = error == EINVAL || error == EOPNOTSUPP || error == ENOSYS;
    return {.kind = FindingKind::flush_unavailable,
            .severity = unsupported ? Severity::warning : Severity::fault,
            .detail = "writing back to the medium failed (" + std::generic_category().message(error) + "): " +
                      (unsupported ? "the driver cannot flush, so the last data may be in a cache"
                                   : "data that was accepted did not reach the medium"),
            .offset = {}};
}

} // namespace mediarig::workload
