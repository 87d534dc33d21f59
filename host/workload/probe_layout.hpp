// SPDX-License-Identifier: GPL-3.0-or-later
/// Where the quick probe looks. Pure.
///
/// A run is a contiguous stretch that is written for two reasons. It drives older data out of a volatile cache. And on
/// a medium whose addresses wrap, a run at the very top lands somewhere below as a whole, so that reading one block in
/// every run's length finds it: of the modulus nothing need be known before.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "host/workload/probe_sampler.hpp"

namespace mediarig::workload {

struct ProbeLayout {
    Extent run;                         ///< just below the last block; at most a quarter of the medium
    std::vector<std::uint64_t> samples; ///< ascending; the first and the last block are among them; none in the run
    std::vector<std::uint64_t> looks;   ///< where the run would show up again: from the top down, then near 0
};

/// Needs size >= 8 MiB, in whole blocks. `seed` moves the samples about, so that no medium can know them.
[[nodiscard]] ProbeLayout probe_layout(Bytes size, Bytes block, Bytes assumed_cache, std::uint64_t seed);

/// The same with a run of `length` or a quarter of the medium, whichever is less; it ends where it did. Samples that
/// are now within the run are gone.
void lengthen_run(ProbeLayout& layout, Bytes size, Bytes block, Bytes length);

/// How long a run takes `time` on a medium that took `took` for the first `written` of it: between those and `most`.
[[nodiscard]] Bytes run_that_fits(Bytes written, std::chrono::nanoseconds took, std::chrono::nanoseconds time,
                                  Bytes most);

/// Where a run would show up again if the addresses of the medium wrap; see ProbeLayout::looks.
[[nodiscard]] std::vector<std::uint64_t> looks_for(Extent run, Bytes block);

/// A run of the length of `layout.run` that touches nothing in [from, to); above it where there is room, because a
/// medium may cache only what it cannot keep.
[[nodiscard]] Extent run_beside(const ProbeLayout& layout, Bytes size, Bytes block, std::uint64_t from,
                                std::uint64_t to);

} // namespace mediarig::workload
