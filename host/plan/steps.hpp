// SPDX-License-Identifier: GPL-3.0-or-later
/// Unrolls a plan into the steps of a session. Pure, deterministic: a resumed campaign gets the same keys again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/measure/verdict.hpp"
#include "host/plan/plan.hpp"
#include "host/plan/step_key.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::plan {

struct Step {
    std::string key; ///< StepKey::text()
    StepKind kind{};
    std::size_t medium{}; ///< index into Plan::media
    std::uint32_t repeat{1};
    std::optional<FormatEntry>
        format; ///< for discard, rest, format, mount, run, check and unmount; unset for raw and directories
    std::string format_name;         ///< see PassTarget in names.hpp
    std::optional<SuiteEntry> suite; ///< set for a run
    std::chrono::seconds rest{};     ///< minimum duration of a rest
    std::string entry;               ///< for run: StepKey::entry, e.g. "quickbench-2"
    std::string pass;                ///< for run: PassRecord::id, e.g. "m0.r1.exfat.quickbench-2"
};

/// The finding for a step that was not executed. The key of a pass represents all steps of the pass.
[[nodiscard]] measure::Untested untested(const Step& step, std::string why);

/// E.g. "m0.r1.exfat" for "m0.r1.exfat.quickbench.run".
[[nodiscard]] std::string group_key(const Step& step);

/// Steps that succeed or fail together. A group is one format of one repeat with its passes, the raw suites of one
/// repeat, or the suites of one repeat in a directory.
struct StepGroup {
    std::string key; ///< prefix of the keys of its steps, e.g. "m0.r1.exfat"
    std::vector<Step> steps;
};

/// The steps before the groups: loading, identifying and claiming a medium.
[[nodiscard]] std::vector<Step> beginning_of(const Plan& plan, std::size_t medium);
/// The groups in the order of the plan. Raw suites come first in each repeat (they destroy the contents of the medium),
/// then the formats in the plan's order.
[[nodiscard]] std::vector<StepGroup> groups_of(const Plan& plan, std::size_t medium);
/// Returns the steps of one format in block `number` of a comparison. `format`: index into Plan::formats.
[[nodiscard]] StepGroup group_of_block(const Plan& plan, std::size_t medium, std::uint32_t number, std::size_t format);
/// The steps after the groups: releasing, judging and unloading a medium.
[[nodiscard]] std::vector<Step> end_of(const Plan& plan, std::size_t medium);

/// All steps of every medium.
[[nodiscard]] std::vector<Step> unroll(const Plan& plan);

/// Equals a year of ten-minute steps; prevents a mistyped "repeats" from exhausting the memory.
inline constexpr std::uint64_t most_steps = 50'000;
/// unroll(plan).size(), computed without unrolling.
[[nodiscard]] std::uint64_t step_count(const Plan& plan);

/// Indexes into plan.formats in the order of each repeat (outer: repeat).
[[nodiscard]] std::vector<std::vector<std::size_t>> format_order(const Plan& plan);

struct StepEstimate {
    Bytes written, read;
    std::chrono::seconds time; ///< computed from the traffic and an assumed rate, limited by the time limits of cells
    bool known{true};          ///< false: the amount of data depends on the size of the medium, which is not known yet
};
/// `size`: size of the medium (0: not known yet); `rate`: assumed rate (a card reader's 20 MB/s unless a better value
/// is known).
[[nodiscard]] Result<StepEstimate> estimate(const Step& step, Bytes size, Rate rate);
/// Returns the rate with which estimate() would have been correct for these cells, with the same model of small
/// transfers; nothing if no cell took any time.
[[nodiscard]] std::optional<Rate> rate_seen(std::span<const workload::CellResult> cells);

/// Displayed text of a step, e.g. "format exfat", "quickbench on exfat", "verify raw", "mount the present volume",
/// "check apfs, repeat 2". Keys of steps are for the journal, the store and programs.
[[nodiscard]] std::string text_of(const Step& step);
/// The text for the key of a step or pass in a record. A text that is not a key is returned unchanged.
[[nodiscard]] std::string text_of_key(std::string_view key);
/// E.g. "verify raw: no such medium"
[[nodiscard]] std::string untested_text(const measure::Untested& untested);

} // namespace mediarig::plan
