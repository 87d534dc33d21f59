// SPDX-License-Identifier: GPL-3.0-or-later
/// What a session tells whoever watches. Plain values: a terminal, a pipe and a window draw the same events.
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

namespace mediarig::session {

struct CampaignStarted {
    std::string campaign; ///< id
    std::string name;
    std::size_t steps{};   ///< that will be walked through, skipped ones included
    std::size_t resumed{}; ///< of them done by an earlier attempt
};
struct StepStarted {
    std::size_t index{}; ///< from 0
    plan::Step step;
    std::string medium; ///< as the plan calls it
    std::chrono::seconds expected{};
};
/// Of the running step; at most a few a second.
struct StepProgress {
    std::size_t index{};
    std::string phase; ///< as people read it: "layout", "random write 4 KB", …
    Bytes done, total;
    std::uint32_t cell{}, cells{}; ///< from 0; cells == 0 where there are none
};
struct StepEnded {
    std::size_t index{};
    plan::Step step;
    /// not_begun: the campaign ends before its last step.
    enum class How : std::uint8_t { done, skipped, failed, cancelled, not_begun } how{};
    std::string detail; ///< one line: the error, why it was skipped, or what came out
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
struct FindingSeen {
    std::string medium;
    std::string pass; ///< empty: about the device
    measure::Finding finding;
};
/// What the medium's schedule made of its results so far.
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
    std::string detail; ///< why it was interrupted or failed; one line
};

/// Somebody asked it to wait before its next steps, or to go on.
struct PauseChanged {
    bool paused{};
};

/// How long all that is left of the campaign takes.
struct TimeLeft {
    std::chrono::seconds left{};
    /// How far apart two ways to reckon it are: by the plan's estimates, and by how long steps took so far. Nothing
    /// before one took its time.
    std::optional<std::chrono::seconds> within;
    bool at_most{}; ///< it may end earlier: a comparison that is decided, or a budget of time that is used up
};

/// Read while a medium was left alone: a pass is not disturbed for it.
struct TemperatureRead {
    std::string medium;
    double celsius{};
};

using EventBody =
    std::variant<CampaignStarted, StepStarted, StepProgress, StepEnded, MediumIdentified, CellFinished, FindingSeen,
                 ConclusionReached, VerdictReached, CampaignEnded, PauseChanged, TimeLeft, TemperatureRead>;

struct SessionEvent {
    std::chrono::nanoseconds since_start{}; ///< of the session; monotonic
    EventBody body;
};

/// Called on the session's thread; must not block for long.
using OnEvent = std::function<void(const SessionEvent&)>;

} // namespace mediarig::session
