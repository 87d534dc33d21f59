// SPDX-License-Identifier: GPL-3.0-or-later
/// verify --read-only: reads the data of an earlier test back.
#pragma once

#include <string>

#include "host/app/agent/agent_runner.hpp"
#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

struct KeptDataOptions {
    std::string target; ///< a device or image with data of verify, or a folder with files of H2testw or f3
    app::AgentChoice agent;
    Facts facts;
    bool quiet{};
};

[[nodiscard]] int read_kept_data(const Console& console, const KeptDataOptions& options);

} // namespace mediarig::cli
