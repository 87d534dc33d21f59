// SPDX-License-Identifier: GPL-3.0-or-later
/// A session's events as JSON, for watchers in other processes: {"at_ns": …, "step_progress": {…}}. Nanoseconds,
/// bytes, counts. docs/reference/campaign-socket.md lists the members.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/campaign/event.hpp"

namespace mediarig::events {

/// Of a step: what it is, without the plan's entries of its format and suite; of a cell: without the histogram and the
/// series, which the store has.
[[nodiscard]] nlohmann::json to_json(const session::SessionEvent& event);
/// Fails with bad_format, naming the member's path.
[[nodiscard]] Result<session::SessionEvent> event_from_json(const nlohmann::json& json);

} // namespace mediarig::events
