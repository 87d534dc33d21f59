// SPDX-License-Identifier: GPL-3.0-or-later
/// A comparison as its record has it: the blocks that were measured on one medium, what the rule says after each of
/// them, and what it wants measured next. Whoever runs, resumes, replays or reports one asks here, so that all of them
/// come to the same decision at the same block. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/measure/comparison/comparison.hpp"
#include "host/plan/plan.hpp"
#include "host/store/record.hpp"

namespace mediarig::trial {

/// What is recorded of one medium.
struct Recorded {
    const std::vector<store::PassView>& passes;     ///< those without an end were cut off, or failed
    const std::vector<measure::Untested>& untested; ///< says which of them failed
    bool closed{};                                  ///< nothing more will come
    std::vector<std::string> cut_off{};             ///< ids of passes without an end that are not among `passes`
    std::optional<std::uint32_t> last{};            ///< the block up to which it is looked at; unset: all
};

/// A number that each pass measures.
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

/// One format in one block.
struct FormatPass {
    std::size_t format{};
    std::vector<std::optional<double>> headlines; ///< bytes a second, the geometric mean over the cells of an operation
    std::vector<CellRate> cells;                  ///< those that gave a number
    std::optional<store::TimePoint> started;
    std::string limited_driver; ///< the driver that mounted it, where it has a limit that bears on rates; else empty
    bool around_cache{};        ///< every cell went around the page cache
    /// Operations of which a cell was answered by a cache of this host, or spent its time on making payload.
    std::vector<workload::Access> cached, processor_bound;
    bool whole{};       ///< every suite came to its end
    bool failed{};      ///< the format could not do it
    std::string reason; ///< of the failure, one line
};

struct Block {
    std::uint32_t number{};         ///< from 1
    bool whole{};                   ///< each format that was wanted was measured, or failed; else it does not count
    std::vector<FormatPass> passes; ///< in the order in which they were made
    /// What the rule said when it had this block: Comparison::standings().
    std::vector<measure::comparison::Standing> standings{};
};

struct Course {
    measure::comparison::Comparison comparison;
    std::vector<Block> blocks;
    std::uint32_t next{};            ///< the number of the block that comes now
    std::vector<std::size_t> wanted; ///< indexes into Plan::formats, in its order; empty: nothing more is measured
};

/// The plan of a campaign that compares formats; nothing of any other.
[[nodiscard]] std::optional<plan::Plan> compared_plan(const store::CampaignRecord& campaign);

/// `plan.compare` is there.
[[nodiscard]] measure::comparison::Design design_of(const plan::Plan& plan);
/// The highest number of a block: one that was cut off uses nothing of the budget up, and the next one takes its order
/// under the next number, but not for ever.
[[nodiscard]] std::uint32_t most_numbered(const plan::Plan& plan);
[[nodiscard]] Course course_of(const plan::Plan& plan, const Recorded& recorded);

/// What keeps a comparison's figures from being its formats' own: drivers with limits, caches that answered, a
/// processor that was too slow. It stands in the answer itself. Inner part of host/campaign/comparison. Pure.

/// Fills in FormatPass::limited_driver and what follows it, from the passes of one format in one block.
void take_reservations(FormatPass& pass, const std::vector<const store::PassView*>& from);

/// "; with reservations: HFS+ through the driver hfsplus (journal not used), exFAT answered by a cache of this host in
/// 3 of 12 passes": of one operation of these formats. Empty where there is none.
[[nodiscard]] std::string reservations_of(const Course& course, const std::vector<std::size_t>& formats,
                                          workload::Access operation, const std::vector<std::string>& titles);

} // namespace mediarig::trial
