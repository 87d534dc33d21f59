// SPDX-License-Identifier: GPL-3.0-or-later
/// One medium of a campaign, from its first step to its last. Inner part of host/campaign/run.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>

#include "host/campaign/run/campaign_context.hpp"
#include "host/campaign/run/step_actions.hpp"

namespace mediarig::session {

/// Leaves nothing of it claimed or loaded, whatever happens. What ends the whole campaign stands in context.ending
/// then.
[[nodiscard]] boost::asio::awaitable<void> test_medium(CampaignContext& context, StepActions& actions,
                                                       std::size_t index);

/// Ends the campaign: what other lanes have at work is cancelled, and each puts its medium away.
void end_all(CampaignContext& context, const Error& why, const boost::asio::any_io_executor& executor);

} // namespace mediarig::session
