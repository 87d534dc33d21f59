// SPDX-License-Identifier: GPL-3.0-or-later
/// Derives a comparison from its record: the blocks measured on one medium, the decision of the rule after each block,
/// and the formats to be measured next. Running, resuming, replaying and reporting all use this code, so they reach the
/// same decision at the same block. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/measure/comparison/comparison.hpp"
#include "host/plan/plan.hpp"
#include "host/store/record.hpp"

namespace mediarig::comparison_campaign {

/// The records of one medium.
struct MediumRecords {
    const std::vector<store::PassView>& passes;     ///< passes without an end were interrupted or failed
    const std::vector<measure::Untested>& untested; ///< identifies the failed passes
    bool closed{};                                  ///< no further records will follow
    std::vector<std::string> cut_off{};             ///< ids of passes without an end that are not among `passes`
    std::optional<std::uint32_t> last{};            ///< last block to be evaluated; unset: all
};

/// A figure that each pass measures.
struct Cell {
    std::string key; ///< the same in each pass of the campaign: "quickbench-2.standard.random_write.65536"
    workload::Access access{};
    Bytes block;
    bool operator==(const Cell&) const = default;
};
struct CellRate {
    Cell cell;
    double bytes_per_second{}; ///< > 0
};

/// The pass of one format in one block.
struct FormatPass {
    std::size_t format{};
    std::vector<std::optional<double>> headlines; ///< bytes per second, geometric mean over the cells of an operation
    std::vector<CellRate> cells;                  ///< cells with a figure
    std::optional<store::TimePoint> started;
    std::string limited_driver; ///< driver that mounted the format, if its limits affect rates; otherwise empty
    bool around_cache{};        ///< every cell bypassed the page cache
    /// `cached`: operations with a cell that a cache of this host answered. `processor_bound`: operations whose time
    /// was spent on generating payload.
    std::vector<workload::Access> cached, processor_bound;
    bool whole{};       ///< every suite finished
    bool failed{};      ///< the format could not be made or measured
    std::string reason; ///< reason of the failure, one line
};

struct Block {
    std::uint32_t number{};         ///< from 1
    bool whole{};                   ///< each wanted format was measured or failed; otherwise the block does not count
    std::vector<FormatPass> passes; ///< in the order of measurement
    /// State of the rule after this block: Comparison::pair_results().
    std::vector<measure::comparison::PairResult> pair_results{};
};

struct Course {
    measure::comparison::Comparison comparison;
    std::vector<Block> blocks;
    std::uint32_t next{};            ///< number of the next block
    std::vector<std::size_t> wanted; ///< indexes into Plan::formats, in measuring order; empty: no format is left
};

/// Returns the plan of a campaign that compares formats; nothing for other campaigns.
[[nodiscard]] std::optional<plan::Plan> compared_plan(const store::CampaignRecord& campaign);

/// Requires `plan.compare`.
[[nodiscard]] measure::comparison::Design design_of(const plan::Plan& plan);
/// Returns the highest possible number of a block. An interrupted block uses no budget, and the next block takes over
/// its order; this limit bounds such repetitions.
[[nodiscard]] std::uint32_t most_numbered(const plan::Plan& plan);
[[nodiscard]] Course course_of(const plan::Plan& plan, const MediumRecords& recorded);

/// Fills in the reservations about a pass, from the passes of one format in one block: FormatPass::limited_driver and
/// the members after it (drivers with limits, answers from caches, a processor that was too slow).
void take_reservations(FormatPass& pass, const std::vector<const store::PassView*>& from);

/// Returns the reservations about one operation of these formats: "; with reservations: HFS+ through the driver hfsplus
/// (journal not used), exFAT answered by a cache of this host in 3 of 12 passes". Empty without reservations.
[[nodiscard]] std::string reservations_of(const Course& course, const std::vector<std::size_t>& formats,
                                          workload::Access operation, const std::vector<std::string>& titles);

} // namespace mediarig::comparison_campaign
