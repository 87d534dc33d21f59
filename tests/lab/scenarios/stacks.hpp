// SPDX-License-Identifier: GPL-3.0-or-later
/// Ways in which somebody else uses a medium, as scripts for the guest's real tools.
#pragma once

#include <span>
#include <string_view>

namespace mediarig::lab {

struct Stack {
    std::string_view name;
    /// Makes it on $T, with $A and $B for stacks of several media; fails where the kernel or a tool refuses. Leaves
    /// something to lose (fill) where there is a layer to write through.
    std::string_view script;
    /// Kinds of refusal of which the claim has to name one, with | between them.
    std::string_view refusals;
    /// What is asked for instead of the medium: a shell expression; empty: $T itself.
    std::string_view target{};
    /// A loop device opens what is below it without claiming it, so that no exclusive open keeps it out.
    bool unstoppable{};
    /// All of it is data at rest: once it stands nothing in the kernel holds the medium any more.
    bool at_rest{};
};

[[nodiscard]] std::span<const Stack> stacks();

} // namespace mediarig::lab
