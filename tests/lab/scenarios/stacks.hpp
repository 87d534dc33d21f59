// SPDX-License-Identifier: GPL-3.0-or-later
/// Foreign uses of a medium, as scripts for the guest's real tools.
#pragma once

#include <span>
#include <string_view>

namespace mediarig::lab {

struct Stack {
    std::string_view name;
    /// Makes the stack on $T, with $A and $B for stacks of several media. Fails if the kernel or a tool refuses. Leaves
    /// test data (fill) if there is a writable layer.
    std::string_view script;
    /// Accepted kinds of refusal of the claim, separated by |.
    std::string_view refusals;
    /// The device that is requested instead of the medium: a shell expression. Empty: $T itself.
    std::string_view target{};
    /// A loop device opens its backing device without a claim, so that an exclusive open does not prevent it.
    bool unstoppable{};
    /// The stack is only data at rest: after it was made, the kernel does not hold the medium.
    bool at_rest{};
};

[[nodiscard]] std::span<const Stack> stacks();

} // namespace mediarig::lab
