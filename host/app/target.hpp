// SPDX-License-Identifier: GPL-3.0-or-later
/// What a user names on the command line, as a medium of a plan.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

struct Target {
    std::string name;        ///< block device, image file or directory
    bool elsewhere{};        ///< a block device of the machine that the agent is on: it is not looked for here
    std::string confirm;     ///< may be empty
    bool contents_unknown{}; ///< see plan::MediumRef; not of a directory
    bool use_unknown{};      ///< the same
};

/// The absolute path of an image file without links, as it leads now; what is no file, or below /dev, stays as typed. A
/// medium is confirmed by what stood there when it was confirmed: the agent compares to the letter, so that a link that
/// is turned meanwhile, or put in the place of the file, leads to a refusal.
[[nodiscard]] std::string settled_path(const std::string& typed);

/// The error of a request that would destroy what is on `target`, and does not confirm it.
[[nodiscard]] Error unconfirmed(const Target& target);

/// Fails with bad_request: no such thing, or a thing of another kind.
[[nodiscard]] Result<plan::MediumRef> medium_of(const Target& target);

} // namespace mediarig::app
