// SPDX-License-Identifier: GPL-3.0-or-later
/// The agent's methods as typed calls. One object per agent; calls may be awaited, co_spawned or combined with ||.
/// Arguments are serialised before a call returns its awaitable, so temporaries are safe.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/client/agent_link.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/agent/protocol/wire.hpp"
#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/signature.hpp"
#include "host/media/format/discard/discard.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/idle/idle.hpp"
#include "host/media/mount/mount.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::agent {

/// Identifies a claimed medium for the agent that claimed it; invalid after the connection ends.
struct ClaimId {
    std::uint64_t number{};
    auto operator<=>(const ClaimId&) const = default;
};

struct Claimed {
    ClaimId claim;
    media::Medium medium; ///< for an image: its loop device
};

/// The target of a job: the file system, device or directory in which it works.
class RunTarget {
public:
    /// The claim's mounted file system.
    static RunTarget mounted(ClaimId claim) { return {claim, false, {}}; }
    /// The bare device; destroys its contents. The claim must not be mounted.
    static RunTarget raw(ClaimId claim) { return {claim, true, {}}; }
    /// An existing directory, measured unchanged; absolute path.
    static RunTarget directory(std::string path) { return {std::nullopt, false, std::move(path)}; }

    void write_to(RunParams& params) const;

private:
    RunTarget(std::optional<ClaimId> claim, bool raw, std::string directory)
        : claim_(claim), raw_(raw), directory_(std::move(directory)) {}
    std::optional<ClaimId> claim_;
    bool raw_;
    std::string directory_;
};

struct RunProgress {
    std::string phase;           ///< "layout", a cell's id, "sync", "cleanup"
    Bytes done, total;           ///< bytes for the whole job
    std::uint32_t cell{};        ///< index of the cell, from 0
    std::uint64_t failures{};    ///< failed transfers so far
    std::string first_failure{}; ///< description of the first failed transfer, one line
};

/// Called on the connection's executor while the job runs; unset handlers are skipped. Handlers must not block or
/// throw.
struct RunHandlers {
    std::function<void(const RunProgress&)> on_progress;      ///< at most five per second
    std::function<void(const workload::CellResult&)> on_cell; ///< once per cell; raw_log is filled if requested
    std::function<void(const measure::Finding&)> on_finding;  ///< once per finding, as soon as it is known
};

struct RunReport {
    std::uint64_t cells{}; ///< number of cells finished by this call; cells in `done` do not count
    std::optional<workload::VerifyOutcome> verify;
    measure::Findings findings; ///< about the whole job
};

/// Errors of the calls: those of the agent's method (docs/reference/agent-protocol.md), agent_lost, and bad_format for
/// an invalid answer. Do not destroy the client while a call is pending.
class AgentClient {
public:
    explicit AgentClient(std::unique_ptr<AgentLink> link);
    AgentClient(const AgentClient&) = delete;
    AgentClient& operator=(const AgentClient&) = delete;
    ~AgentClient();

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    /// Starts the connection and exchanges hello: must be the first call. `controller`: name and version, for the
    /// agent's log. Fails with timed_out if the agent does not answer in time, bad_format on another protocol version.
    [[nodiscard]] Answer<HelloReport> hello(std::string controller,
                                            std::chrono::milliseconds within = std::chrono::seconds(30));
    [[nodiscard]] Answer<std::vector<media::Medium>> devices();
    [[nodiscard]] Answer<media::Medium> identify(const std::string& target);
    [[nodiscard]] Answer<media::InspectReport> inspect(const std::string& target);
    [[nodiscard]] Answer<media::SmartReport> smart(const std::string& target);
    [[nodiscard]] Answer<media::CardHealth> card_health(const std::string& target);
    /// Returns the requirements for making and mounting the wanted volume that the agent's machine lacks, one per line.
    [[nodiscard]] Answer<std::vector<std::string>> lacks(const SupportParams& wanted);
    /// `confirm`: the text of media::confirmation_of(), typed by a user or written in a plan.
    [[nodiscard]] Answer<Claimed> claim(const media::ClaimRequest& request);
    /// Discards the whole claimed medium, which must not be mounted, and returns the effect.
    [[nodiscard]] Answer<media::DiscardReport> discard(ClaimId claim);
    [[nodiscard]] Answer<media::FormatReport> format(ClaimId claim, const media::FormatSpec& spec);
    /// `partition`: number in the table; unset: the volume formatted before, or the first volume of this kind.
    [[nodiscard]] Answer<media::MountReport> mount(ClaimId claim, media::FileSystem fs,
                                                   std::optional<std::uint32_t> partition = std::nullopt);
    /// `done`: cells measured by earlier attempts; the agent does not run these cells again.
    [[nodiscard]] Answer<RunReport> run(const RunTarget& target, const workload::JobSpec& job,
                                        const std::vector<workload::PreviousCell>& done, RunHandlers handlers);
    [[nodiscard]] Answer<media::IdleReport> wait_idle(ClaimId claim);
    /// Only `on_progress` of the handlers is called.
    [[nodiscard]] Answer<workload::ScanReport> scan(const ScanParams& wanted, RunHandlers handlers);
    /// Requires a claim that restores, or a medium without an interrupted check.
    [[nodiscard]] Answer<workload::RestoreReport> restore(ClaimId claim, workload::RestoreMode mode);
    [[nodiscard]] Answer<media::CheckReport> check(ClaimId claim, media::FileSystem fs,
                                                   std::optional<std::uint32_t> partition = std::nullopt);
    [[nodiscard]] Answer<void> unmount(ClaimId claim);
    /// Unmounts and detaches the medium if necessary.
    [[nodiscard]] Answer<void> release(ClaimId claim);

    /// Requests the agent to stop all pending calls, which then fail with `cancelled`. True if the agent had any call
    /// to stop. Safe at any time, also from the coroutine of a signal handler.
    [[nodiscard]] Answer<bool> cancel();

    /// Closes the connection; the agent unmounts, detaches and releases everything. Idempotent.
    [[nodiscard]] Answer<void> close();
    void expedite_close(); ///< like AgentLink::expedite_close

    /// Kind of connection, "local", "sudo", …; for records.
    [[nodiscard]] std::string description() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Decodes the notifications of one run. The raw log of a cell arrives in chunks before the cell.
class RunNotifications {
public:
    explicit RunNotifications(RunHandlers handlers) : handlers_(std::move(handlers)) {}

    /// True if `method` is a notification of a run.
    [[nodiscard]] static bool knows(const std::string& method);
    /// Handles a notification. Fails with bad_format, naming the member or the gap in the raw log.
    [[nodiscard]] Result<void> hear(const std::string& method, const nlohmann::json& params);

private:
    [[nodiscard]] Result<void> progress(const nlohmann::json& params) const;
    [[nodiscard]] Result<void> samples(const nlohmann::json& params);
    [[nodiscard]] Result<void> cell(const nlohmann::json& params);
    [[nodiscard]] Result<void> finding(const nlohmann::json& params) const;

    RunHandlers handlers_;
    std::map<std::string, std::vector<std::uint32_t>> raw_logs_; ///< logs of unfinished cells, by id
};

} // namespace mediarig::agent
