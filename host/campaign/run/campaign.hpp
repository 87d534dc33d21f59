// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a plan and records its results: one coroutine per lane, which tests one medium after another.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "host/base/result.hpp"
#include "host/campaign/run/campaign_ports.hpp"
#include "host/campaign/stop_signal.hpp"
#include "host/campaign/summary.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::campaign {

/// Runs, for each medium of the plan, the steps that its schedule requests. A failed step is reported, journaled and
/// handled as the plan defines; the campaign continues if possible. The rig loads and unloads media in slots. If
/// neither plan nor campaign sets the number of lanes, it is the number of the rig's independent slots if all media are
/// in slots, otherwise one. required_resources.hpp defines the use of shared resources. Fails only if nothing could be
/// begun or nothing more can be stored: store_failed, or bad_request for a resumed campaign whose medium was exchanged.
/// In every case, claims are released and all results so far are in the store.
[[nodiscard]] boost::asio::awaitable<Result<Summary>> run_campaign(const plan::Plan& plan, const Campaign& campaign,
                                                                   CampaignPorts ports, StopSignal& stop);

} // namespace mediarig::campaign
