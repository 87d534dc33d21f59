// SPDX-License-Identifier: GPL-3.0-or-later
/// Injections as English sentences: "port 1 is shorted", "when the carriage passes 1200, it jams". Rig scripts, the
/// simulated board and the emulated board share this vocabulary; docs/reference/simulated-rig.md lists it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "firmware/plant/injection.hpp"
#include "firmware/plant/pattern.hpp"

namespace mediarig::plant {

/// Pockets, ports and cards in a sentence count from 1, as engraved on a rig. The error is one line for the user.
[[nodiscard]] tl::expected<TriggeredInjection, std::string> read_injection(std::string_view sentence, RigSize rig);

/// Reads one sentence per line; ignores empty lines and lines that begin with #. The error names the first bad line.
[[nodiscard]] tl::expected<std::vector<TriggeredInjection>, std::string> read_script(std::string_view text,
                                                                                     RigSize rig);

} // namespace mediarig::plant
