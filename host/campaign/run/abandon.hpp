// SPDX-License-Identifier: GPL-3.0-or-later
/// Closes a campaign whose remaining work is no longer wanted.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/campaign/summary.hpp"
#include "host/store/store.hpp"

namespace mediarig::campaign {

/// Records each step of `campaign` that was not done as untested, gives the media with such steps their verdict, and
/// ends the campaign as finished, at the time of its last step. Accesses no medium. `campaign` is a complete id; no
/// other process may be running it. Fails with bad_request (no such campaign, no remaining step, a plan that this
/// program cannot read) and store_failed.
[[nodiscard]] Result<Summary> abandon(store::Store& store, const std::string& campaign);

} // namespace mediarig::campaign
