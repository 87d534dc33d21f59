// SPDX-License-Identifier: GPL-3.0-or-later
/// A card with its own clock and one of the faults that mislead a benchmark, and the cells that a sweep makes of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "common/split_mix.hpp"
#include "host/measure/plausibility.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::tests {

/// A plain card: each operation costs a fixed time, and its bytes at a constant rate with some scatter.
struct TrapCardSpec {
    double read_mb{80}, write_mb{30}; ///< MB/s at large blocks
    double scatter{0.02};             ///< relative standard deviation of each operation and cell
    std::vector<measure::BusLink> links{measure::usb_link(5000)};

    Bytes host_cache_up_to{};     ///< writes up to this size are served by the host at 60 us each
    double payload_part{};        ///< time of payload generation, as a fraction of the write time
    Bytes fast_cache{};           ///< size written at 3 times the rate; empty at the beginning of a cell
    Bytes hot_after{};            ///< bytes without a pause of a second, after which everything takes twice as long
    double inner_loss{};          ///< fraction by which the rate at the end of the span is lower
    std::uint32_t spike_every{};  ///< number of operations, one of which takes 600 ms more
    double first_pass_gain{};     ///< fraction by which the first pass is faster
    double loss_of_each_pass{};   ///< fraction by which each pass is slower than the previous pass
    double zeros_gain{};          ///< fraction by which zeros are written faster
    std::uint32_t odd_block{};    ///< cells of this block size take three times as long
    std::uint32_t busy_percent{}; ///< random percentage of cells that take three times as long
};

class TrapCard {
public:
    TrapCard(TrapCardSpec spec, std::uint64_t seed) : spec_(spec), draws_(seed) {}

    /// Cells of `job` in order, as measured by the next pass over the card.
    [[nodiscard]] std::vector<workload::CellResult> pass(const workload::SweepJob& job,
                                                         workload::PayloadKind payload = {});

private:
    workload::CellResult measured(const workload::CellSpec& cell, Bytes span);
    [[nodiscard]] double seconds_for(const workload::CellSpec& cell, Bytes offset, Bytes span);
    double uniform() { return static_cast<double>(draws_.next() >> 11) * 0x1p-53; }
    double normal();

    TrapCardSpec spec_;
    SplitMix draws_;
    std::uint32_t passes_{};
    workload::PayloadKind payload_{}; ///< payload of the current pass
    std::uint64_t operations_{};
    Bytes in_fast_cache_, moved_in_cell_;
};

} // namespace mediarig::tests
