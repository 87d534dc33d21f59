// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/spec.hpp"

#include <algorithm>
#include <numeric>

namespace mediarig::workload {
namespace {

Traffic traffic_of_kind(const SweepJob& sweep, Bytes) {
    // The test file is filled once before the first cell, unless there is no layout.
    Traffic traffic{.written = sweep.no_layout ? 0_B : sweep.span, .read = {}};
    for (const CellSpec& cell : sweep.cells) (writes(cell.access) ? traffic.written : traffic.read) += cell.volume;
    return traffic;
}

Traffic traffic_of_kind(const VerifyJob& verify, Bytes medium_size) {
    const Bytes span = verify.span.count == 0 ? medium_size : verify.span;
    return {.written = span, .read = span};
}

Traffic traffic_of_kind(const MixJob& mix, Bytes) {
    Traffic traffic{.written = mix.file_size * mix.files, .read = {}};
    const std::uint64_t times = mix.rounds ? mix.rounds->most : 1;
    if (mix.rounds) traffic.written += mix.rounds->precondition;
    for (const MixCell& cell : mix.cells) {
        const Bytes reads{cell.cell.volume.count / (cell.reads + cell.writes) * cell.reads};
        traffic.read += reads * times;
        traffic.written += (cell.cell.volume - reads) * times;
    }
    return traffic;
}

Traffic traffic_of_kind(const FilesJob& files, Bytes) {
    Traffic traffic;
    for (const FileStep& step : files.steps) {
        const bool both = step.work == FileWork::rewrite || step.work == FileWork::copy;
        if (both || writes(step.cell.access)) traffic.written += step.cell.volume;
        if (both || !writes(step.cell.access)) traffic.read += step.cell.volume;
    }
    return traffic;
}

Traffic traffic_of_kind(const BlogJob& blog, Bytes) {
    return {.written = blog.space, .read = {}}; // most reads are served from the page cache
}

Traffic traffic_of_kind(const ProbeJob& probe, Bytes medium_size) {
    // The proof of a fake needs a second round; the samples themselves are at most some megabytes. The shorter the
    // contiguous range (ProbeLayout::run), the more positions are searched for its wrapped copy.
    constexpr std::uint64_t samples = 512, block = 4096;
    const Bytes round = std::min(probe.assumed_cache, Bytes{medium_size.count / 2});
    const std::uint64_t shortest = std::max<std::uint64_t>(
        probe.run_time.count() > 0 ? std::min(round, ProbeJob::least_run).count : round.count, 1);
    const std::uint64_t looks = medium_size.count / (shortest - shortest / 4) + 1;
    Traffic traffic{.written = round * 2 + Bytes{std::uint64_t{8} << 20}, .read = {(2 * looks + samples) * block}};
    if (probe.keeps_data) {
        // Each written place is read before, then written and read once more.
        traffic.read += traffic.written * 2;
        traffic.written += traffic.written;
        if (probe.widen_time.count() > 0) {
            traffic.read += medium_size;
            traffic.written += medium_size;
        }
    }
    return traffic;
}

std::size_t parts_of_kind(const SweepJob& sweep) {
    return sweep.cells.size();
}
std::size_t parts_of_kind(const VerifyJob&) {
    return 2;
}
std::size_t parts_of_kind(const ProbeJob&) {
    return 1;
}
std::size_t parts_of_kind(const MixJob& mix) {
    return mix.cells.size();
}
std::size_t parts_of_kind(const BlogJob&) {
    return 1;
}
std::size_t parts_of_kind(const FilesJob& files) {
    return files.steps.size();
}

struct JobTraits {
    bool measures_rates, made_as_a_whole, makes_files{};
};

JobTraits traits_of_kind(const SweepJob&) {
    return {.measures_rates = true, .made_as_a_whole = false};
}
JobTraits traits_of_kind(const VerifyJob&) {
    return {.measures_rates = false, .made_as_a_whole = false};
}
JobTraits traits_of_kind(const ProbeJob&) {
    return {.measures_rates = false, .made_as_a_whole = true};
}
JobTraits traits_of_kind(const MixJob&) {
    return {.measures_rates = true, .made_as_a_whole = false};
}
JobTraits traits_of_kind(const BlogJob&) {
    return {.measures_rates = true, .made_as_a_whole = true, .makes_files = true};
}
JobTraits traits_of_kind(const FilesJob&) {
    return {.measures_rates = true, .made_as_a_whole = true, .makes_files = true};
}

Bytes test_size_of_kind(const SweepJob& sweep) {
    return sweep.span;
}
Bytes test_size_of_kind(const MixJob& mix) {
    return mix.file_size * mix.files;
}
Bytes test_size_of_kind(const FilesJob& files) {
    Bytes most;
    for (const FileSet& set : files.sets)
        most = std::max(most, std::accumulate(set.sizes.begin(), set.sizes.end(), Bytes{}));
    return most;
}
Bytes test_size_of_kind(const VerifyJob&) {
    return {};
}
Bytes test_size_of_kind(const ProbeJob&) {
    return {};
}
Bytes test_size_of_kind(const BlogJob&) {
    return {};
}

void set_generation_of_kind(VerifyJob& verify, std::uint32_t generation) {
    verify.generation = generation;
}
void set_generation_of_kind(ProbeJob& probe, std::uint32_t generation) {
    probe.generation = generation;
}
// The other kinds of jobs do not check a generation when they read.
void set_generation_of_kind(SweepJob&, std::uint32_t) {}
void set_generation_of_kind(MixJob&, std::uint32_t) {}
void set_generation_of_kind(BlogJob&, std::uint32_t) {}
void set_generation_of_kind(FilesJob&, std::uint32_t) {}

} // namespace

bool holds(const std::vector<PreviousCell>& done, std::string_view finished) {
    return std::ranges::any_of(done, [&](const PreviousCell& cell) { return cell.id == finished && !cell.up_to; });
}

std::uint32_t parts_of(const JobSpec& job) {
    return static_cast<std::uint32_t>(std::visit([](const auto& kind) { return parts_of_kind(kind); }, job.kind));
}

bool measures_rates(const JobSpec& job) {
    return std::visit([](const auto& kind) { return traits_of_kind(kind).measures_rates; }, job.kind);
}

bool makes_files(const JobSpec& job) {
    return std::visit([](const auto& kind) { return traits_of_kind(kind).makes_files; }, job.kind);
}

Bytes test_size_of(const JobSpec& job) {
    return std::visit([](const auto& kind) { return test_size_of_kind(kind); }, job.kind);
}

Disturbance disturbance_of(const JobSpec& job) {
    if (!measures_rates(job)) return Disturbance::by_nothing;
    const auto* sweep = job.as<SweepJob>();
    const bool in_long_transfers = sweep != nullptr && !sweep->pace && !syncs_each_io(job.sync) &&
                                   std::ranges::all_of(sweep->cells, [](const CellSpec& cell) {
                                       return !random(cell.access) && cell.block >= long_transfer;
                                   });
    return in_long_transfers ? Disturbance::by_lack_of_bytes : Disturbance::by_anything;
}

bool made_as_a_whole(const JobSpec& job) {
    return std::visit([](const auto& kind) { return traits_of_kind(kind).made_as_a_whole; }, job.kind);
}

void set_date(JobSpec& job, std::uint64_t seconds) {
    if (auto* const verify = job.as<VerifyJob>()) verify->written_at = seconds;
}

void set_generation(JobSpec& job, std::uint32_t generation) {
    std::visit([&](auto& kind) { set_generation_of_kind(kind, generation); }, job.kind);
}

bool fills(const JobSpec& job, Bytes free) {
    const Bytes hardly_all{free.count - free.count / 16};
    if (const auto* const verify = job.as<VerifyJob>()) return verify->span == Bytes{} || verify->span > hardly_all;
    const auto* const sweep = job.as<SweepJob>();
    return sweep != nullptr && sweep->no_layout && sweep->span > hardly_all;
}

Traffic traffic_of(const JobSpec& job, Bytes medium_size) {
    return std::visit([&](const auto& kind) { return traffic_of_kind(kind, medium_size); }, job.kind);
}

} // namespace mediarig::workload
