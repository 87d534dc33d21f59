// SPDX-License-Identifier: GPL-3.0-or-later
/// What a plan would do, without doing it.
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

/// Reasons in the order in which they came, each with the media that it holds for: twenty cards lack one driver.
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
    std::optional<media::Medium> identity; ///< nothing where it is not there
    std::string to_confirm;                ///< what the plan has to name before it can be run; empty: nothing more
    std::vector<Error> problems;           ///< why it could not be tested now; empty where it could
};
struct PreviewStep {
    plan::Step step;
    std::optional<plan::Estimate> estimate; ///< nothing where it follows from a size that is not known
};
struct Preview {
    std::vector<PreviewMedium> media;
    std::vector<PreviewStep> steps;
    Bytes written, read;         ///< sums of the known estimates
    std::chrono::seconds time{}; ///< of the whole campaign, its media in `lanes` side by side; at most its budget
    unsigned lanes{1};
    bool one_block{}; ///< a comparison without a budget: steps and sums are those of its first block
    bool whole{};     ///< false: what follows from sizes that are not known is in none of the sums
    Rate assumed;     ///< rate behind the times
};

struct PreviewOptions {
    AgentChoice agent;
    RigChoice rig{};
    std::optional<unsigned> lanes{}; ///< as RunOptions::lanes
};

/// The exit status that the run would have for the media that could not be tested: that of their problems where all
/// have one, else 3; 0 where there are none. As session::exit_status(), 3 in place of 2 where another medium could.
[[nodiscard]] int exit_status(const Preview& preview);

/// Writes nothing: identifies the media, claims each for a moment, and adds up what the steps would move. What does not
/// fit on a medium is one of its problems, as the run would leave it untested and go on with the next.
[[nodiscard]] Result<Preview> preview(const plan::Plan& plan, const PreviewOptions& options);

/// The media of a plan as they are now on the agent's machine, and what that machine lacks for them. Writes nothing.

/// Why `target` is tested by nobody, whatever is confirmed. Nothing where nothing forbids it, and where that cannot be
/// told: then the claim says what is wrong. Asks for no privilege.
[[nodiscard]] std::optional<Error> standing_refusal(const AgentChoice& choice, const std::string& target);

/// Works for one plan with one agent, both of which outlive it; asks once about each file system.
class MachineLook {
public:
    MachineLook(agent::AgentClient& agent, const agent::HelloReport& machine, const plan::Plan& plan)
        : agent_(agent), machine_(machine), plan_(plan) {}

    /// Identifies the medium; where nothing speaks against it and nothing is missing, claims it for a moment. What
    /// keeps it from being tested stands in `problems`: refusals first, then all that the machine lacks.
    [[nodiscard]] boost::asio::awaitable<PreviewMedium> at(const plan::MediumRef& ref);

    /// Why nobody tests the medium, whatever is there to do it: from its identity and the plan's confirmation alone.
    [[nodiscard]] static std::vector<Error> refusals_of(const plan::MediumRef& ref, const media::Medium& identity);

    /// What keeps a format from being made on the medium, and measured: of each tool and driver what would do.
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
    std::map<std::string, Lacks> asked_; ///< by what was asked
};

/// One medium that a plan names twice by different names: links, loop devices, /dev/disk/by-id. Two lanes would write
/// over each other's data, and the record would hold one device with both fates.
struct NamedMedium {
    std::string name; ///< as the plan says where it is
    media::Medium identity;
};

/// Fails with bad_request, naming both, where two are the same file or would be recorded under the same key.
[[nodiscard]] Result<void> check_distinct(const std::vector<NamedMedium>& media);

/// Of those that are named by a path and are there now.
[[nodiscard]] boost::asio::awaitable<Result<void>> check_distinct(agent::AgentClient& agent, const plan::Plan& plan);

} // namespace mediarig::app
