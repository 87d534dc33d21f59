// SPDX-License-Identifier: GPL-3.0-or-later
/// What a plan would do, without doing it.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/app/agent_runner.hpp"
#include "host/app/rig_choice.hpp"
#include "host/media/medium.hpp"
#include "host/plan/steps.hpp"
#include "host/result.hpp"

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

} // namespace mediarig::app
