// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads a medium through an agent, for the commands that write nothing to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/agent/protocol/wire.hpp"
#include "host/app/agent/agent_runner.hpp"
#include "host/cli/command.hpp"
#include "host/media/conformance/layout.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::cli {

struct ScannedMedium {
    workload::ScanReport scan;
    std::vector<media::Region> layout; ///< empty if no file system can be read
    std::optional<media::Medium> medium;
};

/// Shows the progress unless `quiet`. Ends early on Ctrl-C.
[[nodiscard]] Result<ScannedMedium> scanned(const Console& console, const app::AgentChoice& agent,
                                            const agent::ScanParams& wanted, bool quiet);

} // namespace mediarig::cli
