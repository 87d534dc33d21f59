// SPDX-License-Identifier: GPL-3.0-or-later
/// The quick probe itself: from samples to a verdict. Needs no operating system, only a medium.
#pragma once

#include <optional>
#include <string>

#include "host/workload/io/job_control.hpp"
#include "host/workload/io/recorder.hpp"
#include "host/workload/jobs/probe_sampler.hpp"

namespace mediarig::workload {

struct ProbeResult {
    VerifyOutcome outcome;
    std::string doubt; ///< why it is inconclusive; empty otherwise
};

struct ProbeRequest {
    Bytes assumed_cache;
    std::chrono::nanoseconds run_time{0}; ///< of the run of step 1, where a recorder tells the time; see ProbeJob
    std::uint64_t seed{1};                ///< of the stamps
    std::uint32_t generation{1};
    std::uint64_t order_seed{1}; ///< of the places
};

/// Looks at the whole medium with some hundred blocks:
/// 1. Writes a block in each of 128 parts, at doubling distances and at both ends, then a run that drives them out of a
///    cache; reads them back, and looks for the run at places where it does not belong.
/// 2. All good, the run nowhere else: good.
/// 3. The run somewhere else: addresses wrap; the modulus from the distance.
/// 4. Blocks lost from some place to the end: the boundary by narrowing, then proved around it with fresh writes.
/// 5. Blocks lost with good ones above: written and read once more; lost again is damage.
/// What contradicts itself twice is inconclusive. A medium is called fake only after a second, independent write.
/// `recorder` times the run of step 1. Fails with bad_request (smaller than 8 MiB), cancelled, no_medium, io_failed.
[[nodiscard]] Result<ProbeResult> probe(ProbedMedium& medium, const ProbeRequest& request, JobControl& control,
                                        Recorder* recorder = nullptr);

/// Where what is kept ends and what is lost begins. Inner part of the quick probe.
struct Boundary {
    /// The first byte that is lost; nothing where what was seen contradicts itself.
    std::optional<Bytes> at;
    std::vector<Sample> beyond; ///< what was found where something should have been, past the boundary
};

class BoundarySearch {
public:
    /// `modulus`: of a medium whose addresses wrap; what was overwritten from a multiple of it away was kept. 0: none.
    BoundarySearch(ProbeSampler& sampler, const ProbeLayout& layout, std::uint64_t modulus)
        : sampler_(sampler), layout_(layout), modulus_(modulus) {}

    /// A block that begins at `bad` was lost; everything below `good` was kept as far as was looked.
    [[nodiscard]] Result<Boundary> between(std::uint64_t good, std::uint64_t bad);

    [[nodiscard]] static bool kept(const Sample& sample, std::uint64_t modulus) {
        return sample.good() ||
               (modulus != 0 && sample.state == Sample::State::overwritten && sample.distance % modulus == 0);
    }

private:
    /// Whether a medium may hold in a cache what it cannot keep: then each step drives that out before it looks.
    enum class Mode : std::uint8_t { at_once, through_the_cache };
    struct Narrowed {
        std::uint64_t good{}, bad{};
        std::uint64_t bad_prefix{}; ///< of the block at `bad` so much is kept
        enum class Told : std::uint8_t { narrower, cached, contradiction } told{};
    };
    [[nodiscard]] Result<Narrowed> narrow(std::uint64_t good, std::uint64_t bad, Mode mode);
    [[nodiscard]] Result<Boundary> search(std::uint64_t good, std::uint64_t bad, Mode mode);
    [[nodiscard]] Result<std::vector<Sample>> round(const std::vector<std::uint64_t>& offsets, Mode mode,
                                                    std::uint64_t from, std::uint64_t to);
    /// Around a boundary at `at`, written anew and driven out of the cache.
    struct Proof {
        bool kept_below{}, lost_above{};
        std::uint64_t first_lost{}; ///< below the boundary, where something was
        std::vector<Sample> beyond;
    };
    [[nodiscard]] Result<Proof> prove(std::uint64_t at);

    ProbeSampler& sampler_;
    const ProbeLayout& layout_;
    std::uint64_t modulus_;
};

/// After how many bytes a medium's addresses begin again. Inner part of the quick probe.

/// What was found at `at` was written to `written_at`, further up.
struct Alias {
    std::uint64_t at{}, written_at{};
};

/// Looks for the run of `layout`, which was written last, at places where it does not belong; nothing where it is
/// nowhere else. What is found is read twice.
[[nodiscard]] Result<std::optional<Alias>> find_alias(ProbeSampler& sampler, const ProbeLayout& layout);

/// The modulus behind an alias, exact to the sector; nothing where a second write does not confirm it.
/// The distance between the two places is a multiple of it. Of each prime factor of the distance it is tried whether
/// the modulus can do without it: what lies that much nearer is then the same memory, and reading it is enough to know.
[[nodiscard]] Result<std::optional<Bytes>> modulus_of(ProbeSampler& sampler, const ProbeLayout& layout, Alias alias);

} // namespace mediarig::workload
