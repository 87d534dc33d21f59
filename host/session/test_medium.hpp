// SPDX-License-Identifier: GPL-3.0-or-later
/// One medium of a campaign, from its first step to its last. Inner part of host/session.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>

#include "host/session/step_actions.hpp"
#include "host/session/walk.hpp"

namespace mediarig::session {

/// Leaves nothing of it claimed or loaded, whatever happens. What ends the whole campaign stands in walk.ending then.
[[nodiscard]] boost::asio::awaitable<void> test_medium(Walk& walk, StepActions& actions, std::size_t index);

/// Ends the campaign: what other lanes have at work is cancelled, and each puts its medium away.
void end_all(Walk& walk, const Error& why, const boost::asio::any_io_executor& executor);

} // namespace mediarig::session
