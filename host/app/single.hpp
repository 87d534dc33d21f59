// SPDX-License-Identifier: GPL-3.0-or-later
/// One suite on one target, as a campaign of its own: what `bench` and `verify` run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/plan/plan.hpp"
#include "host/result.hpp"

namespace mediarig::app {

struct SingleRequest {
    std::string target;      ///< block device, image file or directory
    bool elsewhere{};        ///< a block device of the machine that the agent is on: it is not looked for here
    std::string confirm;     ///< needed where the suite works on the bare device
    bool contents_unknown{}; ///< see plan::MediumRef; only where the suite works on the bare device
    bool use_unknown{};      ///< see plan::MediumRef
    std::optional<std::uint32_t> partition; ///< which one of the target's holds the file system; unset: the first
    plan::SuiteEntry suite;
    std::vector<plan::SuiteEntry> before; ///< run first, in this order; on the bare device where `suite` is
};

/// A device or image that holds a file system is mounted and measured as it is; nothing is formatted.
/// Fails with bad_request: no such target, raw on a directory, raw without a confirmation, a suite that cannot run
/// there or takes no such options.
[[nodiscard]] Result<plan::Plan> single_plan(const SingleRequest& request);

} // namespace mediarig::app
