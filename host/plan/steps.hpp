// SPDX-License-Identifier: GPL-3.0-or-later
/// A plan unrolled into the steps that a session walks through. Pure, deterministic: a resumed campaign unrolls the
/// same keys again.
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
        format;              ///< of discard, rest, format, mount, run, check and unmount; unset for raw and directories
    std::string format_name; ///< as in format_name.hpp
    std::optional<SuiteEntry> suite; ///< of run
    std::chrono::seconds rest{};     ///< of rest
    std::string entry;               ///< of run: StepKey::entry, "quickbench-2"
    std::string pass;                ///< of run: PassRecord::id, "m0.r1.exfat.quickbench-2"
};

/// A pass stands for all its steps.
[[nodiscard]] measure::Untested untested(const Step& step, std::string why);

/// "m0.r1.exfat" of "m0.r1.exfat.quickbench.run".
[[nodiscard]] std::string group_key(const Step& step);

/// Steps that stand and fall together: one format of one repeat, with its passes; the raw suites of one repeat; the
/// suites of one repeat in a directory.
struct StepGroup {
    std::string key; ///< "m0.r1.exfat", what the keys of its steps begin with
    std::vector<Step> steps;
};

/// What a medium is put there, looked at and held by; before its groups.
[[nodiscard]] std::vector<Step> beginning_of(const Plan& plan, std::size_t medium);
/// As the plan lists them. Raw suites come first in each repeat (they destroy what is on the medium), then the formats
/// in the plan's order.
[[nodiscard]] std::vector<StepGroup> groups_of(const Plan& plan, std::size_t medium);
/// Of a plan that compares: one format, an index into Plan::formats, in block `number`.
[[nodiscard]] StepGroup group_of_block(const Plan& plan, std::size_t medium, std::uint32_t number, std::size_t format);
/// What it is let go, judged and put away by; behind its groups.
[[nodiscard]] std::vector<Step> end_of(const Plan& plan, std::size_t medium);

/// All of these, of every medium.
[[nodiscard]] std::vector<Step> unroll(const Plan& plan);

/// A year of ten-minute steps; keeps a mistyped "repeats" from filling the memory.
inline constexpr std::uint64_t most_steps = 50'000;
/// unroll(plan).size(), told without unrolling it.
[[nodiscard]] std::uint64_t step_count(const Plan& plan);

/// Indexes into plan.formats in the order of each repeat (outer: repeat).
[[nodiscard]] std::vector<std::vector<std::size_t>> format_order(const Plan& plan);

struct Estimate {
    Bytes written, read;
    std::chrono::seconds time; ///< from the traffic and an assumed rate; time limits of cells cap it
    bool known{true};          ///< false: what is moved follows from the size of the medium, which nobody knows yet
};
/// `size` of the medium (0: not known yet), `rate` assumed (a card reader's 20 MB/s unless something better is known).
[[nodiscard]] Result<Estimate> estimate(const Step& step, Bytes size, Rate rate);
/// The rate that estimate() would have needed to be right about these cells: a small transfer counts as in its model.
/// Nothing where none of them took any time.
[[nodiscard]] std::optional<Rate> rate_seen(std::span<const workload::CellResult> cells);

/// Steps as people read them. Pure. Keys of steps are for the journal, the store and programs.

/// "format exfat", "quickbench on exfat", "verify raw", "mount the present volume", "check apfs, repeat 2".
[[nodiscard]] std::string text_of(const Step& step);
/// The same from the key of a step or pass, as in a record. What is no key stays as it is.
[[nodiscard]] std::string text_of_key(std::string_view key);
/// "verify raw: no such medium"
[[nodiscard]] std::string untested_text(const measure::Untested& untested);

} // namespace mediarig::plan
