// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/requests.hpp"

#include <array>

#include "host/media/format_options.hpp"
#include "host/workload/json.hpp"
#include "tests/json.hpp"

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;
using enum RequestKind;

struct RequestName {
    const char* shown;
    const char* method;
};
constexpr std::array<RequestName, request_kinds> request_names{{{"claim", "claim"},
                                                                {"discard", "discard"},
                                                                {"format hfs+", "format"},
                                                                {"format exfat", "format"},
                                                                {"format hfs+ in an MBR partition", "format"},
                                                                {"check hfs+", "check"},
                                                                {"check exfat", "check"},
                                                                {"mount", "mount"},
                                                                {"raw run", "run"},
                                                                {"run in the folder", "run"},
                                                                {"unmount", "unmount"},
                                                                {"release", "release"}}};

workload::SweepJob small_sweep(Bytes span) {
    workload::CellSpec cell;
    cell.id = "scenarios.seq_write.4096";
    cell.table = "standard";
    cell.access = workload::Access::sequential_write;
    cell.block = Bytes{4096};
    cell.volume = span;
    workload::SweepJob sweep;
    sweep.cells.push_back(cell);
    sweep.span = span;
    return sweep;
}

workload::JobSpec job_for(const PlannedRequest& request, std::uint64_t size) {
    Rng rng(request.seed);
    workload::JobSpec job;
    job.suite = "scenarios";
    job.payload.seed = rng.next() >> 1;
    const Bytes span{std::uint64_t{64 * 1024} << rng.below(3)};
    if (request.kind == run_folder) {
        job.kind = small_sweep(span);
        return job;
    }
    switch (rng.weighted({55, 30, 15})) {
        case 0:
            job.kind = workload::VerifyJob{};
            job.as<workload::VerifyJob>()->span = size <= (std::uint64_t{4} << 20) && rng.chance(40) ? Bytes{} : span;
            job.as<workload::VerifyJob>()->chunk = Bytes{64 * 1024};
            break;
        case 1:
            job.kind = small_sweep(span);
            break;
        default:
            job.kind = workload::ProbeJob{};
            job.as<workload::ProbeJob>()->assumed_cache = Bytes{64 * 1024};
    }
    return job;
}

const std::vector<std::vector<RequestKind>>& courses() {
    static const std::vector<std::vector<RequestKind>> all{
        {claim, run_raw, release},
        {claim, format_hfs, release},
        {claim, format_hfs, check_hfs, run_raw, release},
        {claim, run_raw, run_raw, format_hfs, release},
        {claim, format_hfs, release, claim, run_raw, release},
        {claim, format_exfat, mount, run_folder, unmount, run_raw, release},
        {claim, format_exfat, mount, run_folder, unmount, mount, run_folder, unmount, check_exfat, release},
        {claim, format_with_table, release},
        {claim, discard, format_hfs, run_raw, release},
        {claim, run_raw, discard, release},
    };
    return all;
}

} // namespace

const char* name_of(RequestKind kind) {
    return request_names[static_cast<std::size_t>(kind)].shown;
}
const char* name_of_method(RequestKind kind) {
    return request_names[static_cast<std::size_t>(kind)].method;
}

std::vector<PlannedRequest> plan_requests(Rng& rng, bool two_subjects) {
    std::vector<PlannedRequest> plan;
    for (const RequestKind kind : courses()[rng.weighted({30, 22, 14, 12, 10, 5, 4, 3, 8, 5})])
        plan.push_back({0, kind, rng.next()});
    if (!two_subjects) return plan;
    // The requests of the second subject are inserted at random positions between those of the first, in the same
    // order.
    std::size_t at = 1;
    for (const RequestKind kind : courses()[rng.weighted({45, 35, 10, 10})]) {
        at += rng.below(plan.size() - at + 1);
        plan.insert(plan.begin() + static_cast<std::ptrdiff_t>(at), {1, kind, rng.next()});
        ++at;
        at = at > plan.size() ? plan.size() : at;
    }
    return plan;
}

json params_of(const PlannedRequest& request, std::uint64_t claim, std::uint64_t size) {
    json params{{"claim", claim}};
    media::FormatSpec spec{.fs = media::FileSystem::hfs_plus};
    switch (request.kind) {
        case format_exfat:
            spec.fs = media::FileSystem::exfat;
            break;
        case format_with_table:
            spec.partition = media::PartitionSpec{};
            break;
        case check_hfs:
            params["fs"] = "hfs+";
            break;
        case check_exfat:
        case mount:
            params["fs"] = "exfat";
            break;
        case run_raw:
        case run_folder:
            params["raw"] = request.kind == run_raw;
            params["job"] = workload::to_json(job_for(request, size));
            params["done"] = json::array();
            break;
        default:
            break;
    }
    if (request.kind == format_hfs || request.kind == format_exfat || request.kind == format_with_table)
        params["format"] = media::to_json(spec);
    return params;
}

} // namespace mediarig::claim_scenarios
