// SPDX-License-Identifier: GPL-3.0-or-later
/// What a session knows about one medium of its plan while it works on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/schedule.hpp"
#include "host/media/format/partition/volume_choice.hpp"
#include "host/plan/plan.hpp"
#include "host/rig/port/detachment.hpp"
#include "host/rig/port/nest_reading.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

/// What else would be measured on a fake would be stored over itself, and mean nothing.
inline constexpr const char* set_aside_as_fake =
    "it holds less than it claims, so nothing else on it is worth measuring";

/// What an earlier attempt left of a medium; nothing where there was none.
struct Earlier {
    std::string device;                  ///< DeviceRecord::key; empty where it was never identified
    media::Medium identity{};            ///< as it was when the campaign began
    std::optional<measure::Grade> grade; ///< its verdict
    bool written{};                      ///< something may have been written to it
    /// Where `written`, or where it was inspected: what was on it before the first write, or nothing where that could
    /// not be inspected in time.
    std::optional<std::optional<media::InspectReport>> found;
    std::uint32_t passes{}; ///< begun
    bool fake{};            ///< it holds less than it claims
    /// Pass -> ids of its finished cells, "id@BYTES" of one that came so far.
    std::map<std::string, std::vector<workload::DoneCell>> cells;
};

struct MediumState {
    const plan::MediumRef* ref{};
    bool loaded{}; ///< the rig was asked to load it: to be unloaded again
    bool in_bin{}; ///< the rig sorted it away
    /// What the record says of it, where its verdict had to be looked up before the step that keeps it.
    std::optional<measure::Verdict> assessed;
    std::optional<measure::Grade> grade; ///< once it is judged: where the rig puts it
    std::string target;                  ///< what the agent is to work on: as the plan says, or where the rig put it
    std::optional<rig::Detachment> handshake; ///< of its load, until its record is there
    std::optional<rig::NestReading> nest;     ///< of its load, until it is identified
    std::optional<media::Medium> identity;
    std::string device; ///< DeviceRecord::key; empty until the medium is identified or given up
    std::optional<agent::ClaimId> claim;
    /// What the medium holds when the campaign begins, or why that cannot be kept.
    Result<media::FoundVolume> kept = fail(Errc::bad_request, "it was not looked at");
    std::optional<media::DiscardReport> discarded; ///< before what is measured on it now
    std::optional<store::Condition> condition;     ///< the same; settled once it is mounted
    std::optional<media::FormatReport> formatted;
    std::optional<media::MountReport> mounted;
    measure::Findings about_mount;                     ///< told since it was mounted, and not told again
    std::string set_aside;                             ///< why nothing more is done with it; empty while all is well
    std::vector<Error> left_open;                      ///< why steps could not be done, to be tried again by a resume
    std::map<std::string, std::string> failed_formats; ///< "m0.r1.exfat" -> why the rest of it is left out
    /// The volume to be checked was made anew by a resumed campaign, and what was measured was measured on the one
    /// before.
    bool made_anew_for_check{};
    Transfers::Token transfer; ///< of the step that is at work
    std::uint32_t passes{};    ///< started so far: the next one's place in the order
    Tested tested;             ///< for its schedule
    Earlier earlier;

    /// Whether its record is of what an earlier attempt tested, while what is there now may be another medium.
    [[nodiscard]] bool may_be_another() const { return !identity && !device.empty() && device == earlier.device; }
};

} // namespace mediarig::session
