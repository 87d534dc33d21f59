// SPDX-License-Identifier: GPL-3.0-or-later
/// The agent as typed calls. One object per agent; every call may be awaited, co_spawned or combined with ||.
/// Arguments are serialised before the call returns its awaitable, so temporaries are safe.
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
#include "host/media/mount/mount.hpp"
#include "host/media/mount/settle/settle.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::agent {

/// Names a claimed medium to the agent that claimed it; dies with the link.
struct ClaimId {
    std::uint64_t number{};
    auto operator<=>(const ClaimId&) const = default;
};

struct Claimed {
    ClaimId claim;
    media::Medium medium; ///< of an image: the loop device it is attached to
};

/// Where a job works.
class RunTarget {
public:
    /// On the claim's mounted file system.
    static RunTarget mounted(ClaimId claim) { return {claim, false, {}}; }
    /// On the bare device; destroys what is on it. The claim must not be mounted.
    static RunTarget raw(ClaimId claim) { return {claim, true, {}}; }
    /// In a directory that is measured as it is; absolute path.
    static RunTarget directory(std::string path) { return {std::nullopt, false, std::move(path)}; }

    void put_into(RunParams& params) const;

private:
    RunTarget(std::optional<ClaimId> claim, bool raw, std::string directory)
        : claim_(claim), raw_(raw), directory_(std::move(directory)) {}
    std::optional<ClaimId> claim_;
    bool raw_;
    std::string directory_;
};

struct RunProgress {
    std::string phase;    ///< "layout", a cell's id, "sync", "cleanup"
    Bytes done, total;    ///< of the whole job
    std::uint32_t cell{}; ///< from 0
};

/// Called on the link's executor while the job runs; unset ones are skipped. Must not block and not throw.
struct RunHandlers {
    std::function<void(const RunProgress&)> on_progress;      ///< at most five a second
    std::function<void(const workload::CellResult&)> on_cell; ///< each once, raw_log filled where it was asked for
    std::function<void(const measure::Finding&)> on_finding;  ///< each once, as soon as it is known
};

struct RunReport {
    std::uint64_t cells{}; ///< finished by this call; `done` ones are not counted
    std::optional<workload::VerifyOutcome> verify;
    measure::Findings findings; ///< about the job as a whole
};

/// Errors: those of the agent's method (docs/reference/agent-protocol.md), agent_lost, and bad_format for an answer
/// that does not parse. Do not destroy it while a call is pending.
class AgentClient {
public:
    explicit AgentClient(std::unique_ptr<AgentLink> link);
    AgentClient(const AgentClient&) = delete;
    AgentClient& operator=(const AgentClient&) = delete;
    ~AgentClient();

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    /// Starts the link and says hello: the first call on each client. `controller` is name and version, for the
    /// agent's log. Fails with timed_out if the agent does not answer in time, bad_format on another protocol version.
    [[nodiscard]] Answer<HelloReport> hello(std::string controller,
                                            std::chrono::milliseconds within = std::chrono::seconds(30));
    [[nodiscard]] Answer<std::vector<media::Medium>> devices();
    [[nodiscard]] Answer<media::Medium> identify(const std::string& target);
    [[nodiscard]] Answer<media::InspectReport> inspect(const std::string& target);
    [[nodiscard]] Answer<media::SmartReport> smart(const std::string& target);
    /// What the agent's machine would lack for making such a volume, and for mounting it: a line each.
    [[nodiscard]] Answer<std::vector<std::string>> lacks(const SupportParams& wanted);
    /// `confirm`: what media::confirmation_of() gives, typed by a person or written in a plan.
    [[nodiscard]] Answer<Claimed> claim(const media::ClaimRequest& request);
    /// All of a claimed medium that is not mounted, and what that did.
    [[nodiscard]] Answer<media::DiscardReport> discard(ClaimId claim);
    [[nodiscard]] Answer<media::FormatReport> format(ClaimId claim, const media::FormatSpec& spec);
    /// `partition`: its number in the table; unset, the first volume of that kind, or the one formatted before.
    [[nodiscard]] Answer<media::MountReport> mount(ClaimId claim, media::FileSystem fs,
                                                   std::optional<std::uint32_t> partition = std::nullopt);
    /// `done`: what earlier attempts measured; it is not run again.
    [[nodiscard]] Answer<RunReport> run(const RunTarget& target, const workload::JobSpec& job,
                                        const std::vector<workload::DoneCell>& done, RunHandlers handlers);
    [[nodiscard]] Answer<media::SettleReport> settle(ClaimId claim);
    [[nodiscard]] Answer<media::CheckReport> check(ClaimId claim, media::FileSystem fs,
                                                   std::optional<std::uint32_t> partition = std::nullopt);
    [[nodiscard]] Answer<void> unmount(ClaimId claim);
    /// Unmounts and detaches where needed.
    [[nodiscard]] Answer<void> release(ClaimId claim);

    /// Asks the agent to stop every call that is pending now; they answer with errc `cancelled` on their own.
    /// True where the agent found something to stop. Safe to call at any time, from a signal's handler coroutine too.
    [[nodiscard]] Answer<bool> cancel();

    /// Ends the link; the agent unmounts, detaches and releases what is left. Idempotent.
    [[nodiscard]] Answer<void> close();
    void hurry(); ///< as AgentLink::hurry

    /// "local", "sudo", …; for records.
    [[nodiscard]] std::string description() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// One run's notifications, turned back into values: a cell's raw log comes in chunks before the cell itself.
class RunNotifications {
public:
    explicit RunNotifications(RunHandlers handlers) : handlers_(std::move(handlers)) {}

    /// Whether `method` is one of the notifications that belong to a run.
    [[nodiscard]] static bool knows(const std::string& method);
    /// Fails with bad_format, naming the member or the gap in the raw log.
    [[nodiscard]] Result<void> hear(const std::string& method, const nlohmann::json& params);

private:
    [[nodiscard]] Result<void> progress(const nlohmann::json& params) const;
    [[nodiscard]] Result<void> samples(const nlohmann::json& params);
    [[nodiscard]] Result<void> cell(const nlohmann::json& params);
    [[nodiscard]] Result<void> finding(const nlohmann::json& params) const;

    RunHandlers handlers_;
    std::map<std::string, std::vector<std::uint32_t>> raw_logs_; ///< of cells that are not finished, by id
};

} // namespace mediarig::agent
