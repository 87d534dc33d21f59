// SPDX-License-Identifier: GPL-3.0-or-later
/// With whose rights each method of the protocol works: what a caller who may start the agent can make it do.
#pragma once

#include <span>
#include <string_view>

namespace mediarig::agent {

enum class RightsOf {
    nobody, ///< it needs none
    agent,  ///< what the agent may, which is root where it was started so
    caller, ///< what the user may for whom the agent runs
    claim,  ///< what was granted when the claim was made
};

struct MethodRight {
    std::string_view method;
    std::string_view acts_on; ///< where a method has several kinds of target; else empty
    RightsOf rights{};
    std::string_view reaches; ///< the same words as the table in docs/reference/safety.md
};

/// Every method has a row at least; one without is not carried out.
[[nodiscard]] std::span<const MethodRight> method_rights();
[[nodiscard]] bool has_right(std::string_view method);
[[nodiscard]] std::string_view name_of(RightsOf rights);

} // namespace mediarig::agent
