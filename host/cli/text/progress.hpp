// SPDX-License-Identifier: GPL-3.0-or-later
/// The one line that tells what is going on right now. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/units.hpp"
#include "host/campaign/event.hpp"

namespace mediarig::cli {

struct ProgressLine {
    std::size_t step{}, steps{};    ///< "[5/24]"; step from 1
    std::string medium, what;       ///< "fast", "quickbench on exfat"
    std::string phase;              ///< "layout", "random_write 4KB"; empty where there is none
    std::uint32_t cell{}, cells{};  ///< cell from 1; cells == 0: none
    std::optional<double> fraction; ///< 0 … 1
    Bytes done;
    std::optional<Rate> rate;
    std::optional<std::chrono::seconds> left;
    /// How far apart two ways to reckon it are: by the step so far, and by the rate of the last seconds.
    std::optional<std::chrono::seconds> left_within{};
};

/// In at most `columns`, without line breaks or control characters. What matters least is left out first, and the bar
/// takes what is over.
[[nodiscard]] std::string render(const ProgressLine& line, std::size_t columns);

/// "31.1 MB/s"
[[nodiscard]] std::string readable_rate(Rate rate);

/// Draws a session's events as text. No clock and no terminal inside: time comes with the events, text goes out.
enum class ProgressStyle : std::uint8_t {
    live,  ///< for a terminal: what is done scrolls by, one line a lane at the bottom is drawn again and again
    plain, ///< for a pipe: one line when a step starts, one when it ends, one for each finding; no control characters
    quiet, ///< nothing
};

class ProgressView {
public:
    /// `columns` of the terminal; only `live` looks at it, and never writes into the last one.
    ProgressView(ProgressStyle style, unsigned columns) : style_(style), columns_(columns) {}

    /// What to print for this event; often nothing.
    [[nodiscard]] std::string show(const session::SessionEvent& event);
    /// Takes the live lines away, for whoever prints next when a session broke off without CampaignEnded. Once is
    /// enough, twice does no harm.
    [[nodiscard]] std::string close();
    /// Of the step with this index, for a face that draws it itself; null where it does not run.
    [[nodiscard]] const ProgressLine* running(std::size_t step) const;

private:
    using Time = std::chrono::nanoseconds;

    struct Running {
        ProgressLine line;
        std::string place; ///< "[5/24] fast: quickbench on exfat"
        Time started{};
        std::chrono::seconds expected{};
        struct Sample {
            Time at;
            Bytes done;
        };
        std::deque<Sample> recent; ///< of the last seconds, for the rate
        /// How long all of it takes, as it was told last: what is measured moves it bit by bit, so that the time left
        /// does not jump.
        std::optional<double> total_seconds;
        Time told{};
    };
    /// Steps in a row that were left out for one reason are told in one line.
    struct Skipped {
        std::string place, reason;
        std::size_t count{};
    };

    [[nodiscard]] std::string lines_for(const session::CampaignStarted& event, Time now);
    [[nodiscard]] std::string lines_for(const session::StepStarted& event, Time now);
    [[nodiscard]] std::string lines_for(const session::StepProgress& event, Time now);
    [[nodiscard]] std::string lines_for(const session::StepEnded& event, Time now);
    [[nodiscard]] std::string lines_for(const session::MediumIdentified& event, Time now);
    [[nodiscard]] std::string lines_for(const session::CellFinished& event, Time now);
    [[nodiscard]] std::string lines_for(const session::FindingSeen& event, Time now);
    [[nodiscard]] std::string lines_for(const session::ConclusionReached& event, Time now);
    [[nodiscard]] std::string lines_for(const session::VerdictReached& event, Time now);
    [[nodiscard]] std::string lines_for(const session::CampaignEnded& event, Time now);
    [[nodiscard]] std::string lines_for(const session::PauseChanged& event, Time now);
    [[nodiscard]] std::string lines_for(const session::TimeLeft& event, Time now);
    [[nodiscard]] std::string lines_for(const session::TemperatureRead& event, Time now);

    /// What keeps many media from the same step is told once.
    [[nodiscard]] std::string as_told(const std::string& medium, const std::string& detail);
    [[nodiscard]] std::string counter(std::size_t index) const;
    [[nodiscard]] std::string tell_skipped();
    /// Goes back to the first live line; `clear`: takes them all away.
    [[nodiscard]] std::string to_first_line(bool clear) const;
    [[nodiscard]] std::string draw();
    static void update_rate(Running& running, Time now, Bytes done);
    [[nodiscard]] static std::optional<std::chrono::seconds> time_left(Running& running, Time now);
    [[nodiscard]] static std::optional<std::chrono::seconds> left_within(const ProgressLine& line, Bytes total);

    ProgressStyle style_;
    unsigned columns_;
    std::size_t steps_{}, done_{};
    std::map<std::size_t, Running> running_;                       ///< by the step's index
    std::set<std::pair<std::string, measure::FindingKind>> noted_; ///< media and kinds of notes that were shown
    std::map<std::string, std::string> failures_; ///< what was told of a step that failed, and of which medium first
    Skipped skipped_;
    std::size_t drawn_{}; ///< live lines on the screen
};

} // namespace mediarig::cli
