// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <utility>

#include "host/base/json/reader.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::plan {
namespace {

using workload::CellSpec;

/// The block size at which a card reaches half of its full rate: a transfer takes as long as its own bytes plus this
/// number of bytes at the full rate. The rates of QuickBench tables of two SD cards for 4 KB to 1024 KB, scaled to the
/// last row of each table, agree within a factor of two for 142 of 144 values.
constexpr Bytes half_rate_read = 32_KiB, half_rate_write = 128_KiB;

// Durations of the other steps on cards and sticks, in seconds: observed values, not guaranteed.
constexpr double load_seconds = 2, discard_seconds = 2, format_seconds = 2, mount_seconds = 1, check_seconds = 2;

/// Returns the number of bytes that take as long at the full rate as `moved` in transfers of `block`.
double full_rate_bytes(Bytes moved, Bytes block, bool writing) {
    const Bytes overhead = writing ? half_rate_write : half_rate_read;
    // No transfer to a medium is smaller than a sector: the host combines smaller writes, at least into pages.
    if (block < 512_B) block = 4_KiB;
    const double transfers = static_cast<double>(moved.count) / static_cast<double>(block.count);
    return static_cast<double>(moved.count) + transfers * static_cast<double>(overhead.count);
}

double seconds_for(Bytes moved, Bytes block, bool writing, Rate rate) {
    return full_rate_bytes(moved, block, writing) / rate.bytes_per_second;
}

double seconds_for(const CellSpec& cell, Rate rate) {
    const bool writing = workload::writes(cell.access);
    const double needed = seconds_for(cell.volume, cell.block, writing, rate);
    if (!cell.time_limit) return needed;
    const double limited = std::min(needed, std::chrono::duration<double>(*cell.time_limit).count());
    if (!cell.minimum) return limited;
    const workload::CellMinimum& minimum = *cell.minimum;
    const double least = std::max(seconds_for(cell.block * minimum.operations, cell.block, writing, rate),
                                  std::chrono::duration<double>(minimum.time).count());
    return std::max(limited, std::min(least, std::chrono::duration<double>(minimum.longest).count()));
}

/// Returns the idle time of a paced cell, which does not depend on the medium.
double pauses_of(const workload::SweepJob& sweep, const CellSpec& cell) {
    if (!sweep.pace) return 0;
    const double requests = static_cast<double>(cell.volume / cell.block + sweep.pace->warm_up);
    const double pauses = std::chrono::duration<double>(sweep.pace->interval).count() * (requests - 1);
    return cell.time_limit ? std::min(pauses, std::chrono::duration<double>(*cell.time_limit).count()) : pauses;
}

double seconds_for_kind(const workload::SweepJob& sweep, const workload::Traffic&, Rate rate) {
    double seconds = sweep.no_layout ? 0 : seconds_for(sweep.span, 1_MiB, true, rate); // layout of the test file
    for (const CellSpec& cell : sweep.cells) seconds += std::max(seconds_for(cell, rate), pauses_of(sweep, cell));
    return seconds;
}

double seconds_for_kind(const workload::VerifyJob& verify, const workload::Traffic& traffic, Rate rate) {
    return seconds_for(traffic.written, verify.chunk, true, rate) +
           seconds_for(traffic.read, verify.chunk, false, rate);
}

double seconds_for_kind(const workload::MixJob& mix, const workload::Traffic&, Rate rate) {
    const double times = mix.rounds ? mix.rounds->most : 1;
    double seconds = seconds_for(mix.file_size * mix.files, 1_MiB, true, rate);
    if (mix.rounds) seconds += seconds_for(mix.rounds->precondition, 128_KiB, true, rate);
    for (const workload::MixCell& cell : mix.cells) seconds += times * seconds_for(cell.cell, rate);
    return seconds;
}

double seconds_for_kind(const workload::FilesJob& files, const workload::Traffic&, Rate rate) {
    double seconds = 0;
    for (const workload::FileStep& step : files.steps) {
        seconds += seconds_for(step.cell.volume, step.cell.block, workload::writes(step.cell.access), rate);
        // Each file needs some additional transfers: an entry, clusters, a bitmap.
        if (step.work != workload::FileWork::seek && step.work != workload::FileWork::walk)
            seconds +=
                seconds_for(4_KiB * files.sets[step.set].files, 4_KiB, workload::writes(step.cell.access), rate) *
                (step.work == workload::FileWork::replace ? step.part : 1);
    }
    return seconds;
}

double seconds_for_kind(const workload::BlogJob& blog, const workload::Traffic&, Rate) {
    return std::chrono::duration<double>(blog.interval).count() * blog.intervals;
}

double seconds_for_kind(const workload::ProbeJob&, const workload::Traffic& traffic, Rate rate) {
    return seconds_for(traffic.written, 1_MiB, true, rate) + seconds_for(traffic.read, 4_KiB, false, rate);
}

double seconds_for(const workload::JobSpec& job, const workload::Traffic& traffic, Rate rate) {
    return std::visit([&](const auto& kind) { return seconds_for_kind(kind, traffic, rate); }, job.kind);
}

/// Returns the job with the amounts of work that a medium of this rate executes.
workload::JobSpec at_rate(workload::JobSpec job, Rate rate) {
    auto* const probe = job.as<workload::ProbeJob>();
    if (probe == nullptr || probe->run_time.count() == 0) return job;
    const double fits = std::chrono::duration<double>(probe->run_time).count() * rate.bytes_per_second;
    const Bytes least = std::min(workload::ProbeJob::least_run, probe->assumed_cache);
    if (fits < static_cast<double>(probe->assumed_cache.count))
        probe->assumed_cache = std::max(least, Bytes{static_cast<std::uint64_t>(fits)});
    probe->run_time = {};
    return job;
}

/// True if the job, or the data that it moves, depends on the size of the medium.
bool follows_from_size(const Step& step, const workload::JobSpec& on_largest) {
    const Bytes largest = strict_json::largest_size, half{largest.count / 2};
    const auto on_half = suites::expand(step.suite->request, half);
    const auto moved = [&](Bytes size) {
        const workload::Traffic traffic = workload::traffic_of(on_largest, size);
        return std::pair(traffic.written, traffic.read);
    };
    return !on_half || *on_half != on_largest || moved(largest) != moved(half);
}

} // namespace

std::optional<Rate> rate_seen(std::span<const workload::CellResult> cells) {
    double bytes = 0, seconds = 0;
    for (const workload::CellResult& cell : cells) {
        // Walks and renames move no data, so they give no rate.
        if (cell.cell.block == 0_B || cell.moved == 0_B) continue;
        // Most files are smaller than the transfer size of their step.
        const Bytes each = cell.operations == 0 ? cell.cell.block : Bytes{cell.moved.count / cell.operations};
        bytes += full_rate_bytes(cell.moved, std::min(cell.cell.block, each), workload::writes(cell.cell.access));
        seconds += std::chrono::duration<double>(cell.elapsed).count();
    }
    if (bytes <= 0 || seconds <= 0) return std::nullopt;
    return Rate{bytes / seconds};
}

Result<StepEstimate> estimate(const Step& step, Bytes size, Rate rate) {
    if (!(rate.bytes_per_second > 0)) return fail(Errc::bad_request, "an estimate needs a rate above 0");
    StepEstimate result;
    double seconds = 0;
    switch (step.kind) {
        case StepKind::load:
        case StepKind::unload:
            seconds = load_seconds;
            break;
        case StepKind::discard:
            seconds = discard_seconds;
            break;
        case StepKind::rest:
            seconds = static_cast<double>(step.rest.count());
            break;
        case StepKind::format:
            seconds = format_seconds;
            break;
        case StepKind::mount:
        case StepKind::unmount:
            seconds = mount_seconds;
            break;
        case StepKind::check:
            seconds = check_seconds;
            break;
        case StepKind::run: {
            const auto job = suites::expand(step.suite->request, size.count == 0 ? strict_json::largest_size : size);
            if (!job) return fail(job.error());
            if (size.count == 0 && follows_from_size(step, *job)) return StepEstimate{.known = false};
            const workload::Traffic traffic = workload::traffic_of(*job, size);
            result.written = traffic.written;
            result.read = traffic.read;
            const workload::JobSpec here = at_rate(*job, rate);
            seconds = seconds_for(here, workload::traffic_of(here, size), rate);
            break;
        }
        case StepKind::identify:
        case StepKind::claim:
        case StepKind::release:
        case StepKind::verdict:
            break;
    }
    // A century is practically unlimited, and fits into the type.
    constexpr double longest = 100.0 * 366 * 24 * 3600;
    result.time = std::chrono::seconds(static_cast<std::int64_t>(std::ceil(std::min(seconds, longest))));
    return result;
}

} // namespace mediarig::plan
