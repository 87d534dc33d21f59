// SPDX-License-Identifier: GPL-3.0-or-later
/// State of one medium of the plan during a session.
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

namespace mediarig::campaign {

/// Further data written to a fake would overwrite earlier data, so measurements are meaningless.
inline constexpr const char* set_aside_as_fake =
    "it holds less than it claims, so other measurements on it would be meaningless";

/// State of a medium after an earlier attempt; empty without an earlier attempt.
struct PreviousAttempt {
    std::string device;                  ///< DeviceRecord::key; empty if the medium was never identified
    media::Medium identity{};            ///< identity at the start of the campaign
    std::optional<measure::Grade> grade; ///< verdict of the earlier attempt
    bool written{};                      ///< data may have been written to the medium
    /// Set if `written`, or if the medium was inspected: its content before the first write, or nothing if it could not
    /// be inspected in time.
    std::optional<std::optional<media::InspectReport>> found;
    std::uint32_t passes{}; ///< number of passes begun
    bool fake{};            ///< the medium holds less than it claims
    /// Pass -> ids of its finished cells, or "id@BYTES" for an unfinished cell.
    std::map<std::string, std::vector<workload::PreviousCell>> cells;
};

struct MediumState {
    const plan::MediumRef* ref{};
    bool loaded{}; ///< the rig was requested to load the medium, so it must be unloaded
    bool in_bin{}; ///< the rig moved the medium into a bin
    /// Verdict computed from the record, if the verdict was needed before the step that stores it.
    std::optional<measure::Verdict> assessed;
    std::optional<measure::Grade> grade; ///< set once the medium is judged; decides where the rig puts the medium
    std::string target; ///< target of the agent: from the plan, or the device at which the rig presents the medium
    std::optional<rig::Detachment> handshake; ///< result of the handshake during the load; kept until the record exists
    std::optional<rig::NestReading> nest;     ///< registers read during the load; kept until the medium is identified
    std::optional<media::Medium> identity;
    std::string device; ///< DeviceRecord::key; empty until the medium is identified or given up
    std::optional<agent::ClaimId> claim;
    /// Content of the medium at the start of the campaign, or the reason why it cannot be kept.
    Result<media::FoundVolume> kept = fail(Errc::bad_request, "the medium was not inspected");
    std::optional<media::DiscardReport> discarded; ///< discard before the current measurements
    std::optional<store::Condition>
        condition; ///< preparation before the current measurements; final once the medium is mounted
    std::optional<media::FormatReport> formatted;
    std::optional<media::MountReport> mounted;
    measure::Findings about_mount; ///< findings reported since the mount; not reported again
    std::string set_aside;         ///< reason why no further step is done; empty while the medium is in use
    std::vector<Error> left_open;  ///< errors of steps that a resume will try again
    std::map<std::string, std::string>
        failed_formats; ///< key of a group, "m0.r1.exfat" -> reason for skipping its other steps
    /// A resumed campaign formatted the volume to be checked again; the measurements were made on the previous one.
    bool made_anew_for_check{};
    bool has_begun{};          ///< a job or a format has written to the medium, which can no longer be refused
    Transfers::Token transfer; ///< transfer of the running step
    std::uint32_t passes{};    ///< number of passes started: position of the next pass
    MediumResults tested;      ///< results that the medium's schedule uses
    PreviousAttempt earlier;

    /// True if the record describes the medium of an earlier attempt and the current medium may be a different medium.
    [[nodiscard]] bool may_be_another() const { return !identity && !device.empty() && device == earlier.device; }
};

/// Returns the space that an identified medium offers to a suite: the free space if it is mounted, otherwise the
/// capacity.
[[nodiscard]] inline Bytes available(const MediumState& medium) {
    return medium.mounted ? medium.mounted->free : medium.identity->size;
}

} // namespace mediarig::campaign
