// SPDX-License-Identifier: GPL-3.0-or-later
/// Records of a campaign. Plain values; sqlite/ defines the database schema, device_log.hpp the log format.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/measure/finding.hpp"
#include "host/measure/verdict.hpp"
#include "host/media/format/discard/discard.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/idle/idle.hpp"
#include "host/media/mount/mount.hpp"
#include "host/rig/port/detachment.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::store {

using mediarig::name_of;

/// Unix time in nanoseconds, UTC.
using TimePoint = std::chrono::sys_time<std::chrono::nanoseconds>;

BOOST_DEFINE_FIXED_ENUM_CLASS(CampaignState, std::uint8_t, running, finished, interrupted, failed)

/// The software and the machine that measured; part of each campaign.
struct Origin {
    std::string mediarig_version;
    std::string host_name, kernel, cpu;
    std::string agent;       ///< "local", "sudo", …
    std::string resume_with; ///< command that resumes the campaign, as typed; empty: it must be started again
    std::string retest_of{}; ///< id of the campaign whose media this campaign tests again; empty: no retest
    bool operator==(const Origin&) const = default;
};

struct CampaignRecord {
    std::string id; ///< UUIDv7: sorts by time
    std::string name;
    std::string plan; ///< the plan as run, JSON
    Origin origin;
    TimePoint started{};
    std::optional<TimePoint> ended;
    CampaignState state{};
};

/// A medium in a campaign.
struct DeviceRecord {
    std::string key;              ///< media::device_key
    std::string name;             ///< name in the plan
    std::string lot, label, slot; ///< entered by the operator
    media::Medium identity;
    std::optional<media::InspectReport> found; ///< content before the first write
};
/// True if the record represents a medium that could not be identified, so that its untested parts are reported. The
/// key of such a record matches no medium; a device that is stored later under the same name replaces the record.
[[nodiscard]] inline bool is_placeholder(const DeviceRecord& device) {
    return device.identity.transport == media::Transport::unknown;
}

/// A format that was made on a medium. It need not have passes, and it may have failed to mount.
struct FormatRecord {
    std::string step;       ///< unique in the campaign, the key of its step: "m0.r1.exfat.format", see plan/steps.hpp
    std::string device;     ///< DeviceRecord::key
    std::string format;     ///< as in PassRecord
    std::uint32_t repeat{}; ///< from 1
    media::FormatReport formatted;
    /// Result of the inspection after formatting and before any mount; nothing if the inspection failed.
    std::optional<media::InspectReport> seen;
};

/// Data written from the start of a medium that does not support discard, the same before each pass.
struct Fill {
    Bytes length;
    std::chrono::nanoseconds elapsed{};
    bool operator==(const Fill&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(RestUntil, std::uint8_t,
                              time,       ///< no other property of the medium could be measured
                              rate,       ///< rate of a short sequential write to the raw medium, bytes per second
                              temperature ///< reported by the medium, degrees Celsius
)
/// The medium was idle until it was again in the state before the first pass, or until the longest rest was over.
struct Rest {
    std::chrono::milliseconds waited{};
    RestUntil until{};
    double reference{}, value{}; ///< values before the first pass and now; both 0 if only the time counted
    bool reached{};
    bool operator==(const Rest&) const = default;
};

/// Preparation of a medium before a pass, in addition to discard and format.
struct Condition {
    std::optional<Fill> filled;
    std::optional<Rest> rested;
    std::optional<media::IdleReport> idle;
    bool operator==(const Condition&) const = default;
};

/// One run of a suite on one medium with one format.
struct PassRecord {
    std::string id;     ///< unique in the campaign, derived from the plan: "m0.r1.exfat.quickbench", see plan/steps.hpp
    std::string device; ///< DeviceRecord::key
    std::string format; ///< "exfat", "apfs", …, "keep", "raw", "directory": see plan/names.hpp
    std::uint32_t repeat{};   ///< from 1
    std::uint32_t position{}; ///< position in the order of passes on this device, from 0
    workload::JobSpec job;
    std::optional<media::DiscardReport> discarded; ///< discard before formatting; unset: not attempted
    std::optional<Condition> condition;            ///< unset: no preparation was requested
    std::optional<media::FormatReport> formatted;
    std::optional<media::MountReport> mounted;
    TimePoint started{};
};

/// The members of a finished pass that become known only at its end.
struct PassEnd {
    TimePoint ended{};
    std::optional<workload::VerifyOutcome> verify;
};

/// A record about a device other than a format or a pass.
using DeviceEntry =
    std::variant<measure::Finding, media::CheckReport, rig::Detachment, measure::Untested, measure::Verdict>;

BOOST_DEFINE_FIXED_ENUM_CLASS(
    StepState, std::uint8_t, started, done, failed,
    sorted,  ///< the step is done, and the medium was moved into a bin, so it can no longer be tested
    reopened ///< the step was done, and a resumed campaign repeats it
)
/// An entry of the write-ahead journal, which gets one entry before each step and one after it.
struct StepRecord {
    std::string key; ///< unique in the campaign, from plan/steps.hpp
    StepState state{};
    std::string detail; ///< one line: the error of a failed step, the result of a successful step, a comparison's
                        ///< decisions as JSON
    TimePoint at{};
};

struct PassView {
    PassRecord pass;
    std::optional<PassEnd> end;
    std::vector<workload::CellResult> cells; ///< cells without raw logs; Store::raw_log loads a raw log
    measure::Findings findings;              ///< in addition to the findings in `cells`
};
/// Returns the findings of the pass, followed by the findings in its cells, each with its pass and cell.
[[nodiscard]] measure::Findings findings_of(const PassView& view);
struct DeviceView {
    DeviceRecord device;
    std::vector<PassView> passes;   ///< in the order in which they ran
    std::vector<FormatRecord> made; ///< in the order in which they were first made
    std::vector<media::CheckReport> checks;
    measure::Findings findings;               ///< about the device as a whole
    std::vector<rig::Detachment> detachments; ///< in the order in which they were recorded
    std::vector<measure::Untested> untested;
    std::optional<measure::Verdict> verdict;
};
/// The verdict of a device without its measurements.
struct DeviceGrade {
    std::string device; ///< DeviceRecord::key
    std::string name;
    std::optional<measure::Grade> grade; ///< unset: not judged
};
struct CampaignView {
    CampaignRecord campaign;
    std::vector<DeviceView> devices;
};

} // namespace mediarig::store
