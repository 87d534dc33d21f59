// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests one medium of a campaign, from its first step to its last. Internal to host/campaign/run.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>

#include "host/campaign/run/campaign_context.hpp"
#include "host/campaign/run/step_actions.hpp"

namespace mediarig::campaign {

/// Releases and unloads the medium in every case. Sets context.ending if the whole campaign has to end.
[[nodiscard]] boost::asio::awaitable<void> test_medium(CampaignContext& context, StepActions& actions,
                                                       std::size_t index);

/// Ends the campaign: cancels the running steps of other lanes, which then release their media.
void end_all(CampaignContext& context, const Error& why, const boost::asio::any_io_executor& executor);

} // namespace mediarig::campaign
