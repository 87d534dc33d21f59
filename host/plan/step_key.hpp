// SPDX-License-Identifier: GPL-3.0-or-later
/// Kinds of steps, and the names by which the journal, the store and programs know steps and passes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig::plan {

enum class StepKind : std::uint8_t {
    load, ///< of a medium in a slot: it is put before the agent
    identify,
    claim,
    discard, ///< all of the medium, and what that does to it is found out
    rest,    ///< the medium is left alone, so that each pass meets it in the same state
    format,
    mount,
    run,
    check,
    unmount,
    release,
    verdict,
    unload ///< of a medium in a slot: sorted by its verdict
};

struct StepTraits {
    StepKind kind;
    std::string_view name;
    enum class Of : std::uint8_t { beginning, group, end } of; ///< a group: one format of one repeat, or the raw suites
    bool transfers{};                                          ///< moves data that others on the same uplink feel
    bool leaves_a_gap{}; ///< left out, it leaves something untested; a check that is left out would hide damage
    bool is_cleanup{};   ///< part of ending, not of what was tested: done even where the campaign ends

    [[nodiscard]] constexpr bool of_group() const { return of == Of::group; }
};
inline constexpr std::array<StepTraits, 13> step_traits{{
    {.kind = StepKind::load, .name = "load", .of = StepTraits::Of::beginning},
    {.kind = StepKind::identify, .name = "identify", .of = StepTraits::Of::beginning},
    {.kind = StepKind::claim, .name = "claim", .of = StepTraits::Of::beginning},
    {.kind = StepKind::discard, .name = "discard", .of = StepTraits::Of::group, .transfers = true},
    {.kind = StepKind::rest, .name = "rest", .of = StepTraits::Of::group},
    {.kind = StepKind::format, .name = "format", .of = StepTraits::Of::group, .transfers = true, .leaves_a_gap = true},
    {.kind = StepKind::mount, .name = "mount", .of = StepTraits::Of::group},
    {.kind = StepKind::run, .name = "run", .of = StepTraits::Of::group, .transfers = true, .leaves_a_gap = true},
    {.kind = StepKind::check, .name = "check", .of = StepTraits::Of::group, .transfers = true, .leaves_a_gap = true},
    {.kind = StepKind::unmount, .name = "unmount", .of = StepTraits::Of::group, .is_cleanup = true},
    {.kind = StepKind::release, .name = "release", .of = StepTraits::Of::end, .is_cleanup = true},
    {.kind = StepKind::verdict, .name = "verdict", .of = StepTraits::Of::end},
    {.kind = StepKind::unload, .name = "unload", .of = StepTraits::Of::end, .is_cleanup = true},
}};
[[nodiscard]] constexpr const StepTraits& traits_of(StepKind kind) {
    return step_traits[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view name_of(StepKind kind) {
    return traits_of(kind).name;
}
[[nodiscard]] std::optional<StepKind> step_kind_named(std::string_view name);

/// Of a step, a pass, a group of steps, or of what a comparison concluded from a block. With two entries of one suite
/// (or format) in the plan the later ones are called "quickbench-2", "quickbench-3".
struct StepKey {
    std::size_t medium{};   ///< its index in the plan
    std::uint32_t repeat{}; ///< from 1; 0: of the medium as a whole
    std::string format;     ///< what its passes work on, see format_name.hpp; empty: of no group
    std::string entry;      ///< of a pass: "quickbench-2"
    std::string what;       ///< name_of(StepKind), or `conclusion`; empty: of a pass or a group
    bool operator==(const StepKey&) const = default;

    static constexpr std::string_view conclusion = "compare";
    /// "m0.identify", "m0.r1.exfat.format", "m0.r1.exfat.quickbench.run", "m0.r1.compare"; the pass
    /// "m0.r1.exfat.quickbench", the group "m0.r1.exfat".
    [[nodiscard]] std::string text() const;
    /// Nothing where text() does not write such.
    [[nodiscard]] static std::optional<StepKey> parse(std::string_view text);
};

/// "quickbench-2" of the pass "m0.r1.exfat.quickbench-2"; empty where `pass` is no key of one.
[[nodiscard]] std::string entry_of(std::string_view pass);

} // namespace mediarig::plan
