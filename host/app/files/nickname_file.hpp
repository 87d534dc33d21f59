// SPDX-License-Identifier: GPL-3.0-or-later
/// The user's nicknames, in "names.json" beside the store that is used where none is named.
#pragma once

#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/app/files/nicknames.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::app {

/// Empty where there is no file. Fails with bad_request: a file that cannot be read, naming the place in it.
[[nodiscard]] Result<Nicknames> read_nicknames();
/// As read_nicknames(), but for what is only shown: a broken file takes nothing from what was measured.
[[nodiscard]] Nicknames nicknames_to_show();

/// `medium` as 'mediarig devices' shows it: a serial, or the path of a device or image, which is asked for its own
/// confirmation. Gives the name and whose it is. Fails with bad_request, the agent's errors, and io_failed (the file
/// cannot be written).
[[nodiscard]] Result<Nickname> give_nickname(const AgentChoice& choice, const std::string& medium,
                                             const std::string& name);
/// By name or medium. Fails with bad_request, io_failed.
[[nodiscard]] Result<Nickname> forget_nickname(const std::string& word);

/// The node of the medium that `word` is the nickname of; `word` itself where it is none, or is a path. Fails with
/// bad_request where no such medium is there, and with the agent's errors.
[[nodiscard]] Result<std::string> target_called(const AgentChoice& choice, const std::string& word);

} // namespace mediarig::app
