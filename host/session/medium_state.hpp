// SPDX-License-Identifier: GPL-3.0-or-later
/// What a session knows about one medium of its plan while it works on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "host/agent/client/agent_client.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::session {

struct MediumState {
    const plan::MediumRef* ref{};
    bool loaded{};      ///< by the rig: to be unloaded again
    std::string target; ///< what the agent is to work on: as the plan says, or where the rig put it
    std::optional<media::Medium> identity;
    std::string device; ///< DeviceRecord::key; empty until the medium is identified or given up
    std::optional<agent::ClaimId> claim;
    std::string file_system; ///< what the medium holds when the campaign begins; empty where unknown
    std::optional<media::FormatReport> formatted;
    std::optional<media::MountReport> mounted;
    std::string set_aside;                             ///< why nothing more is done with it; empty while all is well
    std::map<std::string, std::string> failed_formats; ///< "m0.r1.exfat" -> why the rest of it is left out
    std::uint32_t passes{};                            ///< started so far: the next one's place in the order
};

} // namespace mediarig::session
