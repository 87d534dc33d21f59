// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts events of a session to JSON for observers in other processes, and back: {"at_ns": …, "step_progress": {…}}.
/// The units are nanoseconds, bytes and counts. docs/reference/campaign-socket.md lists the members.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/campaign/event.hpp"

namespace mediarig::events {

/// Writes a step without the plan's entries for its format and suite. Writes a cell without the histogram and the
/// series, which are in the store.
[[nodiscard]] nlohmann::json to_json(const campaign::SessionEvent& event);
/// Fails with bad_format; the error contains the path of the member.
[[nodiscard]] Result<campaign::SessionEvent> event_from_json(const nlohmann::json& json);

} // namespace mediarig::events
