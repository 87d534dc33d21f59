// SPDX-License-Identifier: GPL-3.0-or-later
/// The user's nicknames, in "names.json" next to the default store.
#pragma once

#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/app/files/nicknames.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::app {

/// Returns no nicknames if the file is missing. Fails with bad_request if the file cannot be read; the error names the
/// position.
[[nodiscard]] Result<Nicknames> read_nicknames();
/// Reads the nicknames for display: a broken file gives no nicknames instead of an error.
[[nodiscard]] Nicknames nicknames_to_show();

/// `medium` as in 'mediarig devices': a serial, or the path of a device or image, whose confirmation text the agent
/// then provides. Returns the name with its medium. Fails with bad_request, the agent's errors, and io_failed (the file
/// cannot be written).
[[nodiscard]] Result<Nickname> give_nickname(const AgentChoice& choice, const std::string& medium,
                                             const std::string& name);
/// Removes a nickname; `word` is a name or a medium. Fails with bad_request, io_failed.
[[nodiscard]] Result<Nickname> forget_nickname(const std::string& word);

/// Returns the node of the medium with the nickname `word`, or `word` itself if it is a path or not a nickname. Fails
/// with bad_request if the medium is not attached, and with the agent's errors.
[[nodiscard]] Result<std::string> target_called(const AgentChoice& choice, const std::string& word);

} // namespace mediarig::app
