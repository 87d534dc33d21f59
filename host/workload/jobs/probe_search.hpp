// SPDX-License-Identifier: GPL-3.0-or-later
/// The quick probe: from samples to a verdict. It needs no operating system, only a medium.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/jobs/probe_sampler.hpp"

namespace mediarig::workload {

struct ProbeResult {
    VerifyOutcome outcome;
    std::string doubt;     ///< the reason if inconclusive; empty otherwise
    bool refuses_writes{}; ///< the medium refuses all writes, also where it accepted them before
};

struct ProbeRequest {
    Bytes assumed_cache;
    std::chrono::nanoseconds run_time{0}; ///< time limit for the run of step 1; see ProbeJob
    std::uint64_t seed{1};                ///< start value of the stamps
    std::uint32_t generation{1};
    std::uint64_t order_seed{1}; ///< start value of the random positions
    /// Not 0: refreshes the rest of the medium before the last look, for at most this time if a recorder measures it.
    std::chrono::nanoseconds widen_time{0};
};

/// Marks good places as slow whose read took more than ten times the median of all places, and at least 10 ms: random
/// reads of a healthy card take about a millisecond, the repeated reads of a weak page tens of them.
void mark_slow(std::vector<CheckedPlace>& places);

/// Samples the whole medium with some hundred blocks:
/// 1. Writes a block in each of 128 parts, at doubling distances, at boundary_places() and at both ends, then a run that
///    drives these blocks out of a cache. Reads the blocks back, and searches for the run at positions where it does not
///    belong.
/// 2. If all blocks are good, the run appears at no other position, and samples of the run are good, the medium is good.
/// 3. If data appears at another position, several addresses are the same memory. The distance gives the modulus; the
///    lowest place that a write at this distance changes shows whether the first address wraps, or a window of them.
/// 4. If blocks are lost from some position to the end, the boundary is found by a binary search, then
///    proved by new writes around it.
/// 5. If blocks are lost below good blocks, they are written and read again. Blocks that are lost again are damaged.
/// Results that contradict each other twice are inconclusive. A medium is called fake only after a second, independent
/// write. `recorder` times the run of step 1. Fails with bad_request (smaller than 8 MiB), cancelled, no_medium,
/// io_failed.
[[nodiscard]] Result<ProbeResult> probe(ProbedMedium& medium, const ProbeRequest& request, JobControl& control,
                                        Recorder* recorder = nullptr);

/// Searches the boundary between kept and lost data. Inner part of the quick probe.
struct Boundary {
    /// The first lost byte; empty if the samples contradict each other.
    std::optional<Bytes> at;
    std::vector<Sample> beyond; ///< samples past the boundary: the contents found instead of the written ones
};

class BoundarySearch {
public:
    /// `modulus`: the capacity at which the addresses of the medium wrap; 0: they do not wrap. A block that was
    /// overwritten from a distance that is a multiple of the modulus counts as kept.
    BoundarySearch(ProbeSampler& sampler, const ProbeLayout& layout, std::uint64_t modulus)
        : sampler_(sampler), layout_(layout), modulus_(modulus) {}

    /// Requires that the block at `bad` was lost and that all samples below `good` were kept.
    [[nodiscard]] Result<Boundary> between(std::uint64_t good, std::uint64_t bad);

    [[nodiscard]] static bool kept(const Sample& sample, std::uint64_t modulus) {
        return sample.good() ||
               (modulus != 0 && sample.state == Sample::State::overwritten && sample.distance % modulus == 0);
    }

private:
    /// through_the_cache: a cache may still contain data that the medium cannot keep, so each step drives that data out
    /// of the cache before it reads.
    enum class Mode : std::uint8_t { at_once, through_the_cache };
    struct NarrowedRange {
        std::uint64_t good{}, bad{};
        std::uint64_t bad_prefix{}; ///< number of kept bytes at the start of the block at `bad`
        enum class SearchResult : std::uint8_t { narrower, cached, contradiction } told{};
    };
    [[nodiscard]] Result<NarrowedRange> narrow(std::uint64_t good, std::uint64_t bad, Mode mode);
    [[nodiscard]] Result<Boundary> search(std::uint64_t good, std::uint64_t bad, Mode mode);
    [[nodiscard]] Result<std::vector<Sample>> round(const std::vector<std::uint64_t>& offsets, Mode mode,
                                                    std::uint64_t from, std::uint64_t to);
    /// Result of new writes around a boundary at `at`, after the cache was driven out.
    struct Proof {
        bool kept_below{}, lost_above{};
        std::uint64_t first_lost{}; ///< offset of the first loss below the boundary; `at` if there was no loss
        std::vector<Sample> beyond;
    };
    [[nodiscard]] Result<Proof> prove(std::uint64_t at);

    ProbeSampler& sampler_;
    const ProbeLayout& layout_;
    std::uint64_t modulus_;
};

/// Data found at `at` that was written to `written_at`, a higher offset.
struct Alias {
    std::uint64_t at{}, written_at{};
    /// Distance from `at` to the nearest known place of the same memory.
    std::uint64_t distance{};
};

/// Searches for the run of `layout`, the last write, at places where it does not belong; empty if it is at no other
/// place. A found position is read twice.
[[nodiscard]] Result<std::optional<Alias>> find_alias(ProbeSampler& sampler, const ProbeLayout& layout);

/// Of the samples with data of a higher place, the one whose memory has the lowest second address; empty without one.
/// Requires ascending samples. Pure.
[[nodiscard]] std::optional<Alias> nearest_alias(std::span<const Sample> samples);

/// The distance at which addresses repeat.
struct Modulus {
    Bytes length; ///< exact to the sector
    /// A place that a write at this distance changed at once; empty if a cache hid the change.
    std::optional<std::uint64_t> changed_at;
};

/// The modulus of an alias; empty if a second write does not confirm it. The distance between the two places is a
/// multiple of the modulus. For each prime factor of the distance, reads test whether the distance without this factor
/// is also a multiple: places at that distance are then the same memory.
[[nodiscard]] Result<std::optional<Modulus>> modulus_of(ProbeSampler& sampler, const ProbeLayout& layout, Alias alias);

/// The lowest place that a write at the distance `modulus` above it changes, exact to the sector: 0 if all addresses
/// wrap, otherwise the start of the window into which the upper addresses are folded. `changed_at`: such a place.
[[nodiscard]] Result<std::uint64_t> first_changed(ProbeSampler& sampler, Bytes modulus, std::uint64_t changed_at);

} // namespace mediarig::workload
