// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a target of the command line into a medium of a plan.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

struct Target {
    std::string name;        ///< block device, image file or directory
    bool elsewhere{};        ///< a block device of the agent's machine: not looked up here
    std::string confirm;     ///< may be empty
    bool contents_unknown{}; ///< see plan::MediumRef; not for a directory
    bool use_unknown{};      ///< see plan::MediumRef; not for a directory
    bool keeps_data{};       ///< the test restores the contents; only for messages
};

/// Absolute path of an image file, with links resolved now; other files and paths below /dev are returned as typed. The
/// confirmation names the file at the time of confirming: the agent compares the exact text, so a link that is changed
/// later, or that replaces the file, leads to a refusal.
[[nodiscard]] std::string canonical_path(const std::string& typed);

/// Error of a request that would destroy the contents of `target` without a confirmation.
[[nodiscard]] Error unconfirmed(const Target& target);

/// Fails with bad_request: the target does not exist or has the wrong kind.
[[nodiscard]] Result<plan::MediumRef> medium_of(const Target& target);

} // namespace mediarig::app
