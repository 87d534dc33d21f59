// SPDX-License-Identifier: GPL-3.0-or-later
/// Where what is kept ends and what is lost begins. Inner part of the quick probe.
#pragma once

#include <optional>

#include "host/workload/probe_layout.hpp"
#include "host/workload/probe_sampler.hpp"

namespace mediarig::workload {

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

} // namespace mediarig::workload
