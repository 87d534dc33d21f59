// SPDX-License-Identifier: GPL-3.0-or-later
/// Estimates the remaining time of a campaign from its plan and the durations of its steps so far. Pure: it receives
/// the campaign's events and reads no clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/campaign/event.hpp"
#include "host/plan/steps.hpp"

namespace mediarig::campaign {

/// Rate of a card in an ordinary reader, used until the medium has been measured.
inline constexpr Rate assumed_rate{20e6};

class RemainingTime {
public:
    /// `certain`: the steps that the plan lists. `lanes`: number of media that are tested in parallel.
    RemainingTime(const plan::Plan& plan, const std::vector<plan::Step>& certain, std::size_t lanes);

    /// Returns the estimate to be published after this event: at the start of a pass, otherwise every two seconds.
    /// Returns nothing if no estimate is possible: before a medium is identified, and for a comparison without a
    /// budget.
    [[nodiscard]] std::optional<TimeLeft> take(const SessionEvent& event);

private:
    using Seconds = std::chrono::duration<double>;

    struct RunningStep {
        std::size_t index{};
        Seconds began{};
        Seconds expected{}; ///< time at the measured rate of the medium, as the session reports it
        Seconds assumed{};  ///< time at assumed_rate
        double fraction{};
    };
    struct MediumProgress {
        Bytes size;               ///< 0 B: not identified yet
        std::optional<Rate> rate; ///< rate in the medium's last pass
    };
    struct RemainingWork {
        Seconds at_its_rate{}, assumed{};
    };
    struct Medium {
        std::vector<plan::Step> ahead; ///< steps that have not begun, in the order of the plan
        MediumProgress measured;
        std::string pass; ///< pass of the cells
        std::vector<workload::CellResult> cells;
        std::optional<RunningStep> running;
        std::optional<RemainingWork> sum; ///< sum over `ahead`; nothing until the sum is computed again
        bool over{};
    };
    /// Two estimates that share no measurement: one uses the plan's estimates at the measured rates of the media, the
    /// other uses estimates at assumed_rate, scaled by the durations of the steps so far.
    struct TimeEstimates {
        Seconds by_rate{}, by_pace{};
    };

    void identify(const MediumIdentified& identified);
    void begin(const StepStarted& step, Seconds now);
    void advance(const StepProgress& progress);
    void end(const StepEnded& step, Seconds now);
    void measure(const CellFinished& cell);
    [[nodiscard]] std::optional<TimeLeft> estimate_remaining(Seconds now);
    [[nodiscard]] static RemainingWork ahead_of(const std::vector<plan::Step>& steps, const MediumProgress& as);
    [[nodiscard]] static TimeEstimates remaining_of(const RunningStep& step, Seconds now, std::optional<double> pace);

    const plan::Plan& plan_;
    std::size_t lanes_;
    std::vector<Medium> media_;
    Seconds took_{}, assumed_{}; ///< sums over finished steps
    std::optional<Seconds> reported_;
};

} // namespace mediarig::campaign
