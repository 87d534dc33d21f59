// SPDX-License-Identifier: GPL-3.0-or-later
/// Closes a campaign whose remaining work nobody wants any more.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/campaign/summary.hpp"
#include "host/store/store.hpp"

namespace mediarig::session {

/// Records each step of `campaign` that was not done as untested, gives the media that have such steps their verdict,
/// and ends the campaign as finished, at the time at which the last of it was done. Touches no medium. `campaign` is a
/// whole id; nobody else may be running it. Fails with bad_request (no such campaign, nothing is left of it, a plan
/// that this program does not read) and store_failed.
[[nodiscard]] Result<Summary> give_up(store::Store& store, const std::string& campaign);

} // namespace mediarig::session
