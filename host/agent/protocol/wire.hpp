// SPDX-License-Identifier: GPL-3.0-or-later
/// Parameters, results and notifications of the methods in docs/reference/agent-protocol.md, defined once for both
/// sides.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::agent {

struct HelloParams {
    std::uint64_t protocol{};
    std::string controller; ///< name and version, for the agent's log
};

/// Of `identify`, `inspect` and `smart`.
struct TargetParams {
    std::string target;
};

/// Of `support`.
struct SupportParams {
    media::FileSystem fs{};
    bool partition{}; ///< made in a partition of a table
    bool mount{};     ///< and mounted
};

/// Of `discard`, `settle`, `unmount` and `release`.
struct ClaimParams {
    std::uint64_t claim{};
};

struct FormatParams {
    std::uint64_t claim{};
    media::FormatSpec format;
};

/// Of `mount` and `check`.
struct VolumeParams {
    std::uint64_t claim{};
    media::FileSystem fs{};
    std::optional<std::uint32_t> partition; ///< its number in the table, 1 to media::highest_partition
};

struct RunParams {
    workload::JobSpec job;
    std::vector<workload::DoneCell> done; ///< of earlier attempts: is not run again
    std::optional<std::uint64_t> claim;   ///< this one
    bool raw{};                           ///< of a claim: on the bare device
    std::optional<std::string> directory; ///< or that is set: absolute
};

struct DevicesAnswer {
    std::vector<media::Medium> devices;
};
struct IdentifyAnswer {
    media::Medium medium;
};
struct SupportAnswer {
    std::vector<std::string> lacks; ///< a line for people each
};
struct ClaimAnswer {
    std::uint64_t claim{};
    media::Medium medium;
};
struct RunAnswer {
    std::uint64_t cells{};
    std::optional<workload::VerifyOutcome> verify;
    measure::Findings findings;
};
struct CancelAnswer {
    bool cancelled{};
};

/// Notifications. A run's have this one's member besides.
struct RunNote {
    std::uint64_t request{};
};
struct ProgressNote {
    std::string phase;
    Bytes bytes_done, bytes_total;
    std::uint32_t cell{};
};
struct CellNote {
    workload::CellResult result;
    std::uint64_t samples{}; ///< how many were sent before it
};
struct FindingNote {
    measure::Finding finding;
};
struct PluggedNote {
    media::HotplugKind kind{};
    std::string node;
};

/// Of the records above and of media::ClaimRequest, the parameters of `claim`.
template <class Record>
[[nodiscard]] nlohmann::json to_wire(const Record& record);
/// Fails with bad_format, naming the member's path.
template <class Record>
[[nodiscard]] Result<Record> from_wire(const nlohmann::json& json);

} // namespace mediarig::agent
