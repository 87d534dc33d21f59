// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {

extern const Suite capacity;

namespace {

/// A card of 20 MB/s saves and writes 120 MB in this time, and restores and compares them in as much again.
constexpr std::chrono::seconds run_time{12};
constexpr Bytes assumed_cache = 512_MiB;
constexpr Bytes quick_assumed_cache = 32_MiB;

Result<workload::JobKind> check_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    SuiteRequest of_probe = request;
    of_probe.time_limit.reset();
    auto kind = capacity.kind_of(suite, of_probe, available);
    if (!kind) return kind;
    auto& probe = std::get<workload::ProbeJob>(*kind);
    probe.keeps_data = true;
    probe.widen_time = request.time_limit.value_or(std::chrono::nanoseconds(0));
    if (request.assumed_cache) return kind;
    probe.assumed_cache = request.quick ? quick_assumed_cache : assumed_cache;
    probe.run_time = run_time;
    return kind;
}

constexpr std::array tables{SuiteTable{.name = "verify", .shape = Shape::capacity, .names = MetricNaming::direction}};

} // namespace

extern const Suite check;
constexpr Suite check{.name = "check",
                      .title = "check",
                      .tables = tables,
                      .instead_on_files = "verify",
                      .takes_assumed_cache = true,
                      .kind_of = check_of};

} // namespace mediarig::suites
