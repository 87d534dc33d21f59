// SPDX-License-Identifier: GPL-3.0-or-later
/// Previews a plan without running it.
#pragma once

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/app/agent/agent_runner.hpp"
#include "host/app/rig/rig_route.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/plan/plan.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::app {

/// Reasons in order of appearance, each with its media: twenty cards may lack the same driver.
class MediaByReason {
public:
    void add(const std::string& reason, const std::string& medium) {
        const auto known = std::ranges::find(all_, reason, &Entry::reason);
        if (known != all_.end())
            known->media.push_back(medium);
        else
            all_.push_back({.reason = reason, .media = {medium}});
    }
    struct Entry {
        std::string reason;
        std::vector<std::string> media; ///< at least one
    };
    [[nodiscard]] const std::vector<Entry>& all() const { return all_; }

private:
    std::vector<Entry> all_;
};

struct PreviewMedium {
    std::string name, target;
    std::optional<media::Medium> identity; ///< unset if the medium is missing
    std::string to_confirm;                ///< text that the plan still has to confirm; empty: nothing
    std::vector<Error> problems;           ///< reasons why it cannot be tested now; empty if it can
};
struct PreviewStep {
    plan::Step step;
    std::optional<plan::StepEstimate> estimate; ///< unset if it depends on an unknown size
};
struct Preview {
    std::vector<PreviewMedium> media;
    std::vector<PreviewStep> steps;
    Bytes written, read;         ///< sums of the known estimates
    std::chrono::seconds time{}; ///< of the whole campaign with `lanes` media in parallel; at most its budget
    unsigned lanes{1};
    bool one_block{}; ///< a comparison without a budget: the steps and sums of its first block
    bool whole{};     ///< false: the sums omit steps that depend on unknown sizes
    Rate assumed;     ///< rate on which the times are based
};

struct PreviewOptions {
    AgentChoice agent;
    RigChoice rig{};
    std::optional<unsigned> lanes{}; ///< as RunOptions::lanes
};

/// Exit status that the run would have because of media that cannot be tested: the common status of their problems,
/// else 3; 0 without problems. Like campaign::exit_status(), returns 3 instead of 2 if another medium can be tested.
[[nodiscard]] int exit_status(const Preview& preview);

/// Writes nothing: identifies the media, claims each briefly and adds up the transfers of the steps. A step that does
/// not fit on a medium is one of its problems: the run would leave it untested and continue.
[[nodiscard]] Result<Preview> preview(const plan::Plan& plan, const PreviewOptions& options);

/// Reason why `target` cannot be tested with any confirmation. Empty if there is no such reason or it cannot be
/// determined; the claim then reports errors. Needs no privilege.
[[nodiscard]] std::optional<Error> standing_refusal(const AgentChoice& choice, const std::string& target);

/// Inspects the media of one plan with one agent; both must outlive it. Queries each file system once.
class MachineLook {
public:
    MachineLook(agent::AgentClient& agent, const agent::HelloReport& machine, const plan::Plan& plan)
        : agent_(agent), machine_(machine), plan_(plan) {}

    /// Identifies the medium; if it is not refused and nothing is missing, claims it briefly. `problems` lists refusals
    /// first, then everything that the machine lacks.
    [[nodiscard]] boost::asio::awaitable<PreviewMedium> at(const plan::MediumRef& ref);

    /// Reasons why the medium is never tested, from its identity and the plan's confirmation alone.
    [[nodiscard]] static std::vector<Error> refusals_of(const plan::MediumRef& ref, const media::Medium& identity);

    /// Reasons why a format cannot be made and measured on the medium: each missing tool or driver with its remedy.
    [[nodiscard]] boost::asio::awaitable<std::vector<Error>> lacks_of(const plan::FormatEntry& format,
                                                                      const media::Medium& medium);

private:
    using Lacks = std::vector<std::string>;
    [[nodiscard]] boost::asio::awaitable<std::vector<Error>> lacks_for(const media::Medium& medium);
    [[nodiscard]] boost::asio::awaitable<Result<Lacks>> lacks(const agent::SupportParams& wanted);
    [[nodiscard]] boost::asio::awaitable<Result<void>> try_claim(const plan::MediumRef& ref,
                                                                 const media::Medium& identity);

    agent::AgentClient& agent_;
    const agent::HelloReport& machine_;
    const plan::Plan& plan_;
    std::map<std::string, Lacks> asked_; ///< cached answers by query
};

/// Detects a medium that a plan names twice by different names: links, loop devices, /dev/disk/by-id. Two lanes would
/// overwrite each other's data, and the record would mix two results in one device.
struct NamedMedium {
    std::string name; ///< as named in the plan
    media::Medium identity;
};

/// Fails with bad_request, naming both, if two are the same file or would have the same key in the record.
[[nodiscard]] Result<void> check_distinct(const std::vector<NamedMedium>& media);

/// Checks the media that are named by a path and attached.
[[nodiscard]] boost::asio::awaitable<Result<void>> check_distinct(agent::AgentClient& agent, const plan::Plan& plan);

} // namespace mediarig::app
