// SPDX-License-Identifier: GPL-3.0-or-later
/// Parameters, results and notifications of the methods in docs/reference/agent-protocol.md, shared by agent and
/// controller.
#pragma once

#include <chrono>
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

/// Parameters of `identify`, `inspect`, `smart` and `card_health`.
struct TargetParams {
    std::string target;
};

/// Parameters of `support`.
struct SupportParams {
    media::FileSystem fs{};
    bool partition{}; ///< true for a volume in a partition of a table
    bool mount{};     ///< true if the volume is also mounted
};

/// Parameters of `discard`, `wait_idle`, `unmount` and `release`.
struct ClaimParams {
    std::uint64_t claim{};
};

struct FormatParams {
    std::uint64_t claim{};
    media::FormatSpec format;
};

struct ScanParams {
    std::string target;
    std::chrono::nanoseconds time_limit{0}; ///< 0: reads all
    bool kept_data{};                       ///< also checks the data of an earlier verify job; without a time limit
};

struct RestoreParams {
    std::uint64_t claim{};
    workload::RestoreMode mode{};
};

/// Parameters of `mount` and `check`.
struct VolumeParams {
    std::uint64_t claim{};
    media::FileSystem fs{};
    std::optional<std::uint32_t> partition; ///< number in the table, 1 to media::highest_partition
};

struct RunParams {
    workload::JobSpec job;
    std::vector<workload::PreviousCell> done; ///< cells of earlier attempts, which are not run again
    std::optional<std::uint64_t> claim;       ///< exactly one of `claim` and `directory` is set
    bool raw{};                               ///< for a claim: true to run on the bare device
    std::optional<std::string> directory;     ///< alternative to `claim`: absolute path
};

struct DevicesAnswer {
    std::vector<media::Medium> devices;
};
struct IdentifyAnswer {
    media::Medium medium;
};
struct SupportAnswer {
    std::vector<std::string> lacks; ///< missing requirements, one readable line each
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

/// Common member of all notifications of a run.
struct RunNote {
    std::uint64_t request{};
};
struct ProgressNote {
    std::string phase;
    Bytes bytes_done, bytes_total;
    std::uint32_t cell{};
    std::uint64_t failures{};    ///< failed transfers so far
    std::string first_failure{}; ///< the first failed transfer, one line
};
struct CellNote {
    workload::CellResult result;
    std::uint64_t samples{}; ///< number of samples sent before the cell
};
struct PluggedNote {
    media::HotplugKind kind{};
    std::string node;
};

/// Codecs for the records above, and for media::ClaimRequest (the parameters of `claim`).
template <class Record>
[[nodiscard]] nlohmann::json to_wire(const Record& record);
/// Decodes a record. Fails with bad_format, naming the member's path.
template <class Record>
[[nodiscard]] Result<Record> from_wire(const nlohmann::json& json);

} // namespace mediarig::agent
