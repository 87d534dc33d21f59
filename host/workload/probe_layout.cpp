// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/probe_layout.hpp"

#include <algorithm>

#include "common/split_mix.hpp"

namespace mediarig::workload {
namespace {

constexpr std::uint64_t evenly_spread = 128;
constexpr Bytes smallest_run = 1_MiB;
/// Small real capacities are looked for by doubling from here.
constexpr Bytes first_doubling = 1_MiB;

} // namespace

std::vector<std::uint64_t> looks_for(Extent run, Bytes block) {
    std::vector<std::uint64_t> looks;
    const std::uint64_t length = run.end - run.begin;
    // Nearer together than the run is long, by enough that a block in the run is met whole.
    const std::uint64_t step = align_down({length - length / 4}, block).count;
    for (std::uint64_t at = align_down({run.begin}, block).count; at >= step;) {
        at -= step;
        looks.push_back(at);
    }
    // Of a capacity that ends within the run only a short piece lies below, beginning at 0.
    for (std::uint64_t at = block.count; at < step; at *= 2) looks.push_back(at);
    looks.push_back(0);
    return looks;
}

void lengthen_run(ProbeLayout& layout, Bytes size, Bytes block, Bytes wanted) {
    const Bytes length = align_down(std::clamp(wanted, smallest_run, Bytes{size.count / 4}), block);
    layout.run = {(size - block - length).count, (size - block).count};
    std::erase_if(layout.samples, [&](std::uint64_t at) { return layout.run.holds(at); });
    layout.looks = looks_for(layout.run, block);
}

ProbeLayout probe_layout(Bytes size, Bytes block, Bytes assumed_cache, std::uint64_t seed) {
    ProbeLayout layout;
    std::vector<std::uint64_t>& samples = layout.samples;
    samples = {0, (size - block).count};
    SplitMix numbers(seed);
    const Bytes cell{size.count / evenly_spread};
    for (std::uint64_t i = 0; i < evenly_spread; ++i)
        samples.push_back(align_down({i * cell.count + numbers.next() % cell.count}, block).count);
    for (std::uint64_t at = first_doubling.count; at < size.count / 2; at *= 2)
        samples.push_back(align_down({at + numbers.next() % at}, block).count);
    std::sort(samples.begin(), samples.end());
    samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
    lengthen_run(layout, size, block, assumed_cache);
    return layout;
}

Bytes run_that_fits(Bytes written, std::chrono::nanoseconds took, std::chrono::nanoseconds time, Bytes most) {
    const double times = static_cast<double>(time.count()) / std::max(static_cast<double>(took.count()), 1.0);
    const double length = static_cast<double>(written.count) * std::max(times, 1.0);
    return length < static_cast<double>(most.count) ? Bytes{static_cast<std::uint64_t>(length)}
                                                    : std::max(most, written);
}

Extent run_beside(const ProbeLayout& layout, Bytes size, Bytes block, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t length = layout.run.end - layout.run.begin;
    if (layout.run.begin >= to) return layout.run;
    const std::uint64_t above = align_up({to}, block).count;
    if (above + length <= size.count) return {above, above + length};
    const std::uint64_t below = align_down({from}, block).count;
    return {below - std::min(below, length), below};
}

} // namespace mediarig::workload
