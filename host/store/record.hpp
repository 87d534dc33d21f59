// SPDX-License-Identifier: GPL-3.0-or-later
/// What is kept of a campaign. Values only; the schema that holds them is sqlite/'s, the log's form is
/// device_log.hpp's.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/measure/verdict.hpp"
#include "host/media/format/discard/discard.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/mount.hpp"
#include "host/media/mount/settle/settle.hpp"
#include "host/rig/port/detachment.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::store {

/// Unix time in nanoseconds, UTC.
using TimePoint = std::chrono::sys_time<std::chrono::nanoseconds>;

enum class CampaignState : std::uint8_t { running, finished, interrupted, failed };

/// Who measured: goes with every campaign.
struct Origin {
    std::string mediarig_version;
    std::string host_name, kernel, cpu;
    std::string agent;       ///< "local", "sudo", …
    std::string resume_with; ///< the command that goes on with it, as a person types it; empty: it begins anew
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

/// One medium in one campaign.
struct DeviceRecord {
    std::string key;              ///< media::device_key
    std::string name;             ///< as the plan calls it
    std::string lot, label, slot; ///< what the operator said
    media::Medium identity;
    std::optional<media::InspectReport> found; ///< what was on it before the first write
};
/// Whether the record stands for a medium that could not be identified, so that what was not tested is told. Its key
/// binds nobody; a device that is put under the same name takes its place.
[[nodiscard]] inline bool stands_in(const DeviceRecord& device) {
    return device.identity.transport == media::Transport::unknown;
}

/// A format that was made of a medium: with or without passes on it, and whether or not it could be mounted.
struct MadeFormat {
    std::string step;       ///< unique in the campaign, the key of its step: "m0.r1.exfat.format", see plan/steps.hpp
    std::string device;     ///< DeviceRecord::key
    std::string format;     ///< as in PassRecord
    std::uint32_t repeat{}; ///< from 1
    media::FormatReport formatted;
    /// What the inspector saw right after the format, before anything mounted it; nothing where it could not look.
    std::optional<media::InspectReport> seen;
};

/// Written from the medium's first byte on, where it takes no discard: the same before each pass.
struct Fill {
    Bytes length;
    std::chrono::nanoseconds elapsed{};
    bool operator==(const Fill&) const = default;
};

enum class RestUntil : std::uint8_t {
    time,        ///< nothing else could be told of the medium
    rate,        ///< of a short sequential write to the bare medium, bytes a second
    temperature, ///< degrees Celsius, as the medium says
};
/// The medium was left alone until it was as before the first pass, or until the longest rest was over.
struct Rest {
    std::chrono::milliseconds waited{};
    RestUntil until{};
    double reference{}, value{}; ///< before the first pass, and now; 0 and 0 where only time was waited for
    bool reached{};
    bool operator==(const Rest&) const = default;
};

/// What was done to a medium before a pass, besides its discard and its format.
struct Condition {
    std::optional<Fill> filled;
    std::optional<Rest> rested;
    std::optional<media::SettleReport> settled;
    bool operator==(const Condition&) const = default;
};

/// One suite, once, on one medium under one format.
struct PassRecord {
    std::string id;     ///< unique in the campaign, made from the plan: "m0.r1.exfat.quickbench", see plan/steps.hpp
    std::string device; ///< DeviceRecord::key
    std::string format; ///< "exfat", "apfs", …, "keep", "raw", "directory": see plan/format_name.hpp
    std::uint32_t repeat{};   ///< from 1
    std::uint32_t position{}; ///< place in the order in which passes ran on this device, from 0
    workload::JobSpec job;
    std::optional<media::DiscardReport> discarded; ///< before it was formatted; unset: nobody tried
    std::optional<Condition> condition;            ///< unset: nothing of it was asked for
    std::optional<media::FormatReport> formatted;
    std::optional<media::MountReport> mounted;
    TimePoint started{};
};

/// A finished pass's remainder, known only at its end.
struct PassEnd {
    TimePoint ended{};
    std::optional<workload::VerifyOutcome> verify;
};

struct FindingRecord {
    std::string pass; ///< empty: about the device
    std::string cell; ///< empty: about the pass
    measure::Finding finding;
};

enum class StepState : std::uint8_t {
    started,
    done,
    failed,
    sorted,   ///< done, and the medium went into a bin: nothing more can be tested on it
    reopened, ///< done once, and to be done again by a resumed campaign
};
/// The write-ahead journal: a line before each step and a line after it.
struct StepRecord {
    std::string key; ///< unique in the campaign, from plan/steps.hpp
    StepState state{};
    std::string
        detail; ///< one line: the error of a failed step, what another one said, a comparison's decisions as JSON
    TimePoint at{};
};

struct PassView {
    PassRecord pass;
    std::optional<PassEnd> end;
    std::vector<workload::CellResult> cells; ///< raw logs are left out; Store::raw_log fetches one
    std::vector<FindingRecord> findings;
};
struct DeviceView {
    DeviceRecord device;
    std::vector<PassView> passes; ///< in the order in which they ran
    std::vector<MadeFormat> made; ///< in the order in which they were first made
    std::vector<media::CheckReport> checks;
    std::vector<FindingRecord> findings;      ///< about the device as a whole
    std::vector<rig::Detachment> detachments; ///< in the order in which they were made
    std::vector<measure::Untested> untested;
    std::optional<measure::Verdict> verdict;
};
/// How far a device has come: for those who need not know what was measured.
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
