// SPDX-License-Identifier: GPL-3.0-or-later
/// The offsets of the transfers of a cell. Pure and repeatable: the same arguments give the same offsets on every
/// machine.
#pragma once

#include <cstdint>
#include <span>

#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Sequential: 0, block, 2 * block, … and again from 0 at the end of the span. Random: every block of the span once, in
/// an order derived from `seed`, then every block again in another order, so no transfer accesses a block that the same
/// cell has just accessed. The order is a full-period linear congruential sequence (Hull and Dobell, 1962) over the
/// next power of two, scrambled by an invertible mix; numbers beyond the span are skipped.
class OffsetStream {
public:
    /// Requires 0 < block <= span. `from` is added to each offset.
    OffsetStream(Access access, Bytes block, Bytes span, std::uint64_t seed, Bytes from = {});

    void fill(std::span<std::uint64_t> offsets);

private:
    void start_round();
    void fill_sequential(std::span<std::uint64_t> offsets);
    void fill_random(std::span<std::uint64_t> offsets);
    void fill_from_round(std::span<std::uint64_t> offsets);

    std::uint64_t block_;
    std::uint64_t blocks_; ///< whole blocks in the span
    std::uint64_t from_;
    std::uint64_t seed_;
    bool random_;
    std::uint64_t served_{}; ///< offsets returned in the current round
    std::uint64_t round_{};
    // The sequence of one round: state -> state * multiplier + increment, modulo mask + 1.
    std::uint64_t mask_;
    unsigned shift_;
    std::uint64_t state_{};
    std::uint64_t multiplier_{};
    std::uint64_t increment_{};
    std::uint64_t mixer_{};
};

} // namespace mediarig::workload
