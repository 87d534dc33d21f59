// SPDX-License-Identifier: GPL-3.0-or-later
/// How long a campaign still takes, from its plan and from how long its steps took so far. Pure: it sees the campaign's
/// events and no clock.
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

namespace mediarig::session {

/// A card's in an ordinary reader: until the medium itself was measured.
inline constexpr Rate assumed_rate{20e6};

class RemainingTime {
public:
    /// `certain`: the steps that the plan lists. `lanes` media are tested side by side.
    RemainingTime(const plan::Plan& plan, const std::vector<plan::Step>& certain, std::size_t lanes);

    /// What is to be told behind this event: where a pass begins, and else every two seconds. Nothing where nobody can
    /// say: before a medium is identified, and of a comparison without a budget.
    [[nodiscard]] std::optional<TimeLeft> take(const SessionEvent& event);

private:
    using Seconds = std::chrono::duration<double>;

    struct Running {
        std::size_t index{};
        Seconds began{};
        Seconds expected{}; ///< as the session tells it: at the rate that the medium showed
        Seconds assumed{};  ///< at assumed_rate
        double fraction{};
    };
    struct Measured {
        Bytes size;               ///< 0 B: not identified yet
        std::optional<Rate> rate; ///< as its last pass showed it
    };
    struct Ahead {
        Seconds at_its_rate{}, assumed{};
    };
    struct Medium {
        std::vector<plan::Step> ahead; ///< not begun, in the plan's order
        Measured measured;
        std::string pass; ///< of the cells
        std::vector<workload::CellResult> cells;
        std::optional<Running> running;
        std::optional<Ahead> sum; ///< of all that is ahead; nothing while it has to be added up again
        bool over{};
    };
    /// Reckoned in two ways that share no measurement: the plan's estimates at the rates that media showed, and those
    /// at assumed_rate, times how much longer than that the steps took so far.
    struct Both {
        Seconds by_rate{}, by_pace{};
    };

    void identify(const MediumIdentified& identified);
    void begin(const StepStarted& step, Seconds now);
    void advance(const StepProgress& progress);
    void end(const StepEnded& step, Seconds now);
    void measure(const CellFinished& cell);
    [[nodiscard]] std::optional<TimeLeft> reckon(Seconds now);
    [[nodiscard]] static Ahead ahead_of(const std::vector<plan::Step>& steps, const Measured& as);
    [[nodiscard]] static Both left_of(const Running& step, Seconds now, std::optional<double> pace);

    const plan::Plan& plan_;
    std::size_t lanes_;
    std::vector<Medium> media_;
    Seconds took_{}, assumed_{}; ///< of the steps that ended
    std::optional<Seconds> told_;
};

} // namespace mediarig::session
