// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/sweep_suite.hpp"

#include "host/base/text.hpp"

namespace mediarig::suites {
namespace {

constexpr Bytes quick_assumed_cache = 32_MiB;
/// Limits the time of the run: the user waits for the probe, and slow media have small caches.
constexpr std::chrono::seconds run_time{8};
constexpr Bytes smallest_probed = 8_MiB;
constexpr Bytes largest_assumed_cache = 16_GiB;

Result<workload::JobKind> probe_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    const std::string name = "suite " + std::string(suite.name);
    if (!request.tables.empty() || !request.accesses.empty() || !request.blocks.empty() || request.span ||
        request.volume || request.time_limit || request.queue_depth.value_or(1) > 1)
        return fail(Errc::bad_request,
                    name +
                        " takes an assumed cache and a payload's start value; it has no tables, accesses, "
                        "blocks, spans, volumes, time limits or queues");
    if (request.payload && request.payload->kind != workload::PayloadKind::incompressible)
        return fail(Errc::bad_request, name + " needs the incompressible payload, which differs between positions");
    if (request.cache.value_or(workload::CachePolicy::direct) != workload::CachePolicy::direct)
        return fail(
            Errc::bad_request,
            name + " works with direct access only: reads could come from the page cache instead of the medium");
    workload::ProbeJob probe;
    if (request.quick) probe.assumed_cache = quick_assumed_cache;
    if (request.assumed_cache)
        probe.assumed_cache = *request.assumed_cache;
    else
        probe.run_time = run_time;
    if (probe.assumed_cache > largest_assumed_cache)
        return fail(Errc::bad_request, "an assumed cache of " + size_text(probe.assumed_cache) + " is more than " +
                                           size_text(largest_assumed_cache) +
                                           "; run verify instead, which writes everything");
    if (request.assumed_cache && available >= smallest_probed && probe.assumed_cache.count > available.count / 2)
        return fail(Errc::bad_request, "an assumed cache of " + size_text(probe.assumed_cache) +
                                           " is more than half of the " + size_text(available) +
                                           " of the medium: run verify instead, which writes everything");
    if (available < smallest_probed)
        return fail(Errc::bad_request,
                    shortage(name, smallest_probed, available) + ": run verify, which is quick there");
    return probe;
}

// The long write that empties the cache gives a rate, which has the same name as in a verify pass.
constexpr std::array tables{SuiteTable{.name = "verify", .shape = Shape::capacity, .names = MetricNaming::direction}};

} // namespace

extern const Suite capacity;
constexpr Suite capacity{.name = "capacity",
                         .title = "capacity",
                         .tables = tables,
                         .instead_on_files = "verify",
                         .takes_assumed_cache = true,
                         .kind_of = probe_of};

} // namespace mediarig::suites
