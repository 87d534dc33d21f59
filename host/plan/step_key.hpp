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
                              load, ///< of a medium in a slot: connects it to the agent
                              identify, claim,
                              discard, ///< of the whole medium; also determines its effect
                              rest,    ///< leaves the medium idle, so that each pass finds it in the same state
                              format, mount, run, check, unmount, release, verdict,
                              unload ///< of a medium in a slot: sorts it by its verdict
)

struct StepTraits {
    StepKind kind;
    enum class StepScope : std::uint8_t {
        beginning,
        group,
        end
    } of;                ///< a group: one format of one repeat, or the raw suites
    bool transfers{};    ///< moves data that affects other media on the same uplink
    bool leaves_a_gap{}; ///< if skipped, something remains untested; a skipped check would hide damage
    bool is_cleanup{};   ///< part of the clean-up, not of the test: executed even if the campaign ends

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

/// Key of a step, a pass, a group of steps, or of a comparison's conclusion after a block. With two entries of one
/// suite (or format) in the plan the later ones are called "quickbench-2", "quickbench-3".
struct StepKey {
    std::size_t medium{};   ///< its index in the plan
    std::uint32_t repeat{}; ///< from 1; 0: for the medium as a whole
    std::string format;     ///< the object of its passes, see Ground in names.hpp; empty: no group
    std::string entry;      ///< of a pass, e.g. "quickbench-2"
    std::string what;       ///< name_of(StepKind), or `conclusion`; empty: a pass or a group
    bool operator==(const StepKey&) const = default;

    static constexpr std::string_view conclusion = "compare";
    /// E.g. "m0.identify", "m0.r1.exfat.format", "m0.r1.exfat.quickbench.run", "m0.r1.compare"; the pass
    /// "m0.r1.exfat.quickbench", the group "m0.r1.exfat".
    [[nodiscard]] std::string text() const;
    /// Nothing if text() cannot produce `text`.
    [[nodiscard]] static std::optional<StepKey> parse(std::string_view text);
};

/// E.g. "quickbench-2" for the pass "m0.r1.exfat.quickbench-2"; empty if `pass` is no key of a pass.
[[nodiscard]] std::string entry_of(std::string_view pass);

} // namespace mediarig::plan
