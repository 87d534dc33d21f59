// SPDX-License-Identifier: GPL-3.0-or-later
/// Rights with which each method of the protocol works, and thus the power of a caller who may start the agent.
#pragma once

#include <span>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig::agent {

using mediarig::name_of;

BOOST_DEFINE_ENUM_CLASS(RequiredRights,
                        none,   ///< needs no rights
                        agent,  ///< the agent's rights: root if it was started as root
                        caller, ///< the rights of the user for whom the agent works
                        claim   ///< the rights granted by the claim
)

struct MethodRight {
    std::string_view method;
    std::string_view acts_on; ///< kind of target if the method has several kinds; else empty
    RequiredRights rights{};
    std::string_view reaches; ///< reach of the method, in the words of the table in docs/reference/safety.md
};

/// Every method has at least one row; a method without a row is not executed.
[[nodiscard]] std::span<const MethodRight> method_rights();
[[nodiscard]] bool has_right(std::string_view method);

} // namespace mediarig::agent
