// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/spec.hpp"

#include <algorithm>

namespace mediarig::workload {
namespace {

Traffic traffic_of_kind(const SweepJob& sweep, Bytes) {
    // The test file is filled once before the first cell, if not by it.
    Traffic traffic{.written = sweep.first_cell_fills ? 0_B : sweep.span, .read = {}};
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
        const bool both = step.work == FileWork::rewrite;
        if (both || writes(step.cell.access)) traffic.written += step.cell.volume;
        if (both || !writes(step.cell.access)) traffic.read += step.cell.volume;
    }
    return traffic;
}

Traffic traffic_of_kind(const BlogJob& blog, Bytes) {
    return {.written = blog.room, .read = {}}; // reads come from the page cache for the most part
}

Traffic traffic_of_kind(const ProbeJob& probe, Bytes medium_size) {
    // A fake takes a second round to prove; the samples themselves are some megabytes at most.
    const Bytes round = std::min(probe.assumed_cache, Bytes{medium_size.count / 4});
    return {.written = round * 2 + Bytes{std::uint64_t{8} << 20}, .read = Bytes{std::uint64_t{64} << 20}};
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

} // namespace

std::uint32_t parts_of(const JobSpec& job) {
    return static_cast<std::uint32_t>(std::visit([](const auto& kind) { return parts_of_kind(kind); }, job.kind));
}

bool measures_rates(const JobSpec& job) {
    return job.as<VerifyJob>() == nullptr && job.as<ProbeJob>() == nullptr;
}

bool made_as_a_whole(const JobSpec& job) {
    return job.as<ProbeJob>() != nullptr || job.as<FilesJob>() != nullptr || job.as<BlogJob>() != nullptr;
}

Traffic traffic_of(const JobSpec& job, Bytes medium_size) {
    return std::visit([&](const auto& kind) { return traffic_of_kind(kind, medium_size); }, job.kind);
}

} // namespace mediarig::workload
