// SPDX-License-Identifier: GPL-3.0-or-later
/// Kinds of steps, and the keys of steps and passes in the journal, the store and programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig::plan {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(StepKind, std::uint8_t,
                              load, ///< for a medium in a slot: connects the medium to the agent
                              identify, claim,
                              discard, ///< discards the whole medium, and determines the effect of the discard
                              rest,    ///< leaves the medium idle, so that each pass finds it in the same state
                              format, mount, run, check, unmount, release, verdict,
                              unload ///< for a medium in a slot: sorts the medium by its verdict
)

struct StepTraits {
    StepKind kind;
    enum class StepScope : std::uint8_t {
        beginning,
        group,
        end
    } of;                ///< the step's scope; a group is one format of one repeat, or the raw suites
    bool transfers{};    ///< moves data that affects other media on the same uplink
    bool leaves_a_gap{}; ///< if the step is skipped, the report must list it as untested, e.g. because a check could
                         ///< have found damage
    bool is_cleanup{};   ///< part of the clean-up, not of the test: executed even if the campaign is ending

    [[nodiscard]] constexpr bool of_group() const { return of == StepScope::group; }
};
inline constexpr std::array<StepTraits, 13> step_traits{{
    {.kind = StepKind::load, .of = StepTraits::StepScope::beginning},
    {.kind = StepKind::identify, .of = StepTraits::StepScope::beginning},
    {.kind = StepKind::claim, .of = StepTraits::StepScope::beginning},
    {.kind = StepKind::discard, .of = StepTraits::StepScope::group, .transfers = true},
    {.kind = StepKind::rest, .of = StepTraits::StepScope::group},
    {.kind = StepKind::format, .of = StepTraits::StepScope::group, .transfers = true, .leaves_a_gap = true},
    {.kind = StepKind::mount, .of = StepTraits::StepScope::group},
    {.kind = StepKind::run, .of = StepTraits::StepScope::group, .transfers = true, .leaves_a_gap = true},
    {.kind = StepKind::check, .of = StepTraits::StepScope::group, .transfers = true, .leaves_a_gap = true},
    {.kind = StepKind::unmount, .of = StepTraits::StepScope::group, .is_cleanup = true},
    {.kind = StepKind::release, .of = StepTraits::StepScope::end, .is_cleanup = true},
    {.kind = StepKind::verdict, .of = StepTraits::StepScope::end},
    {.kind = StepKind::unload, .of = StepTraits::StepScope::end, .is_cleanup = true},
}};
[[nodiscard]] constexpr const StepTraits& traits_of(StepKind kind) {
    return step_traits[static_cast<std::size_t>(kind)];
}

/// Identifies a step, a pass, a group of steps, or a comparison's conclusion after a block. If the plan contains a
/// suite (or format) several times, the later entries are called "quickbench-2", "quickbench-3".
struct StepKey {
    std::size_t medium{};   ///< index of the medium in the plan
    std::uint32_t repeat{}; ///< from 1; 0: for the medium as a whole
    std::string format;     ///< the object that its passes measure, see PassTarget in names.hpp; empty: no group
    std::string entry;      ///< entry of the plan for a pass, e.g. "quickbench-2"
    std::string what;       ///< name_of(StepKind), or `conclusion`; empty: a pass or a group
    bool operator==(const StepKey&) const = default;

    static constexpr std::string_view conclusion = "compare";
    /// E.g. "m0.identify", "m0.r1.exfat.format", "m0.r1.exfat.quickbench.run" or "m0.r1.compare" for a step;
    /// "m0.r1.exfat.quickbench" for a pass; "m0.r1.exfat" for a group.
    [[nodiscard]] std::string text() const;
    /// Returns nothing if text() cannot produce `text`.
    [[nodiscard]] static std::optional<StepKey> parse(std::string_view text);
};

/// E.g. "quickbench-2" for the pass "m0.r1.exfat.quickbench-2"; empty if `pass` is not the key of a pass.
[[nodiscard]] std::string entry_of(std::string_view pass);

} // namespace mediarig::plan
