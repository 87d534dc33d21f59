// SPDX-License-Identifier: GPL-3.0-or-later
/// Events that a session reports to its observers. Plain values; terminal, pipe and window receive the same events.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "common/units.hpp"
#include "host/campaign/schedule.hpp"
#include "host/measure/finding.hpp"
#include "host/measure/verdict.hpp"
#include "host/media/identity/medium.hpp"
#include "host/plan/steps.hpp"
#include "host/store/record.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::campaign {

struct CampaignStarted {
    std::string campaign; ///< id of the campaign
    std::string name;
    std::size_t steps{};   ///< number of steps, including those to be skipped
    std::size_t resumed{}; ///< number of steps that an earlier attempt did
};
struct StepStarted {
    std::size_t index{}; ///< from 0
    plan::Step step;
    std::string medium; ///< name in the plan
    std::chrono::seconds expected{};
};
/// Progress of the running step; at most a few times per second.
struct StepProgress {
    std::size_t index{};
    std::string phase; ///< for display: "layout", "random write 4 KB", …
    Bytes done, total;
    std::uint32_t cell{}, cells{}; ///< from 0; cells == 0 if the step has no cells
    std::uint64_t failures{};      ///< failed transfers so far; their findings follow
    std::string first_failure{};   ///< the first failed transfer, one line
};
struct StepEnded {
    std::size_t index{};
    plan::Step step;
    /// not_begun: the campaign ended before this step.
    enum class How : std::uint8_t { done, skipped, failed, cancelled, not_begun };
    BOOST_DESCRIBE_NESTED_ENUM(How, done, skipped, failed, cancelled, not_begun)
    How how{};
    std::string detail; ///< one line: the error, the reason for skipping, or the result
};
struct MediumIdentified {
    std::string medium;
    media::Medium identity;
};
struct CellFinished {
    std::string medium;
    plan::Step step;
    workload::CellResult result;
};
struct FindingReported {
    std::string medium;
    measure::Finding finding;
};
/// Conclusion of the medium's schedule from the results so far.
struct ConclusionReached {
    std::string medium;
    Conclusion conclusion;
};
struct VerdictReached {
    std::string medium;
    measure::Verdict verdict;
};
struct CampaignEnded {
    std::string campaign;
    store::CampaignState state{};
    std::string detail; ///< reason of an interruption or failure; one line
};

/// A client requested or ended a pause before the next steps.
struct PauseChanged {
    bool paused{};
};

/// Remaining time until the end of the campaign.
struct TimeLeft {
    std::chrono::seconds left{};
    /// Uncertainty of `left`. It is the difference between an estimate from the plan and an estimate from the durations
    /// of the steps so far. Unset before the first timed step.
    std::optional<std::chrono::seconds> within;
    bool at_most{}; ///< the campaign may end earlier, if a comparison is decided or a time budget is used up
};

/// A temperature that was read while the medium was idle, so that no pass is disturbed.
struct TemperatureRead {
    std::string medium;
    double celsius{};
};

using EventBody =
    std::variant<CampaignStarted, StepStarted, StepProgress, StepEnded, MediumIdentified, CellFinished, FindingReported,
                 ConclusionReached, VerdictReached, CampaignEnded, PauseChanged, TimeLeft, TemperatureRead>;

struct SessionEvent {
    std::chrono::nanoseconds since_start{}; ///< time since the start of the session; monotonic
    EventBody body;
};

/// Called on the session's thread; must not block for long.
using OnEvent = std::function<void(const SessionEvent&)>;

} // namespace mediarig::campaign
