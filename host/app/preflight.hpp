// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks before a campaign, the same for a dry run and for a run: distinct media, refusals, missing software, steps
/// that do not fit.
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

struct CheckedMedium {
    std::string name, target;
    std::optional<media::Medium> identity{}; ///< unset if the medium is missing or in a slot of a rig
    std::string to_confirm{};                ///< text that the plan must still contain as confirmation; empty: nothing
    /// Reasons why the medium cannot be tested now, refusals first; empty if it can be tested.
    std::vector<Error> problems{};
    std::string untestable{};       ///< reason why the campaign will not test the medium: missing, refused, too small
    std::optional<Error> lacking{}; ///< "HFS+: no driver …; APFS: …": formats that cannot be measured on the medium

    /// Adds a reason why the medium is never tested.
    void refuse(Error why);
};
struct PreviewStep {
    plan::Step step;
    std::optional<plan::StepEstimate> estimate; ///< unset if the estimate depends on an unknown size
};
struct Preview {
    std::vector<CheckedMedium> media;
    std::vector<PreviewStep> steps;
    Bytes written, read; ///< sums of the known estimates
    std::chrono::seconds
        time{}; ///< duration of the whole campaign with `lanes` media in parallel; at most its time budget
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

/// Writes nothing: identifies the media, claims each medium briefly and adds up the transfers of the steps. A step that
/// does not fit on a medium is listed as a problem of the medium: the run would leave it untested and continue.
[[nodiscard]] Result<Preview> preview(const plan::Plan& plan, const PreviewOptions& options);

enum class InterruptedCheck : std::uint8_t { refused, permitted };
/// The medium, if it may be written with a confirmation. Needs no privilege. Fails like AgentClient::identify(), and
/// like permanent_refusal().
[[nodiscard]] Result<media::Medium> writable_medium(const AgentChoice& choice, const std::string& target,
                                                    InterruptedCheck check);

/// Reason why `target` cannot be tested even with a confirmation. Empty if there is no such reason or it cannot be
/// determined; then the claim reports errors. Needs no privilege.
[[nodiscard]] std::optional<Error> permanent_refusal(const AgentChoice& choice, const std::string& target);

enum class Claims : std::uint8_t {
    left_out,
    tried, ///< each medium is claimed briefly, unless it has another problem
};
/// Identifies the media that are not in slots. Fails with bad_request if two of them are the same medium. Writes
/// nothing.
[[nodiscard]] boost::asio::awaitable<Result<std::vector<CheckedMedium>>> check_media(agent::AgentClient& agent,
                                                                                     const agent::HelloReport& machine,
                                                                                     const plan::Plan& plan,
                                                                                     Claims claims);

/// Checks of a run. Fails like check_media(). For a comparison, also fails like a claim of a medium, with no_driver if
/// a format lacks tools or a driver, and with bad_request if a profile has no such format on the medium. The campaign
/// reports missing media, media in slots, and an agent that may not mount. Without a comparison, media and formats are
/// independent: returns one line per reason, with the media that are missing, refused or too small for their steps, and
/// the media on which a format cannot be measured. The campaign tests all other media and formats.
[[nodiscard]] boost::asio::awaitable<Result<std::vector<std::string>>> preflight(agent::AgentClient& agent,
                                                                                 const agent::HelloReport& machine,
                                                                                 const plan::Plan& plan);

} // namespace mediarig::app
