// SPDX-License-Identifier: GPL-3.0-or-later
/// How a campaign uses the uplinks that its media share.
#pragma once

#include <map>
#include <string>

namespace mediarig::session {

struct UplinkUse {
    /// What each uplink of the agent's machine was seen to carry, in bytes a second. Of one that is not among them
    /// nothing is known, and one medium at a time is measured there.
    std::map<std::string, double> ceilings{};
    /// Find out: passes of long transfers are made side by side, and Summary::uplinks tells what was carried.
    bool measure{false};
    double audited{0.05}; ///< of the passes beside others: so many are repeated alone
};

} // namespace mediarig::session
