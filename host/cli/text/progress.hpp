// SPDX-License-Identifier: GPL-3.0-or-later
/// Progress lines of a running campaign. Pure.
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
    std::string phase;              ///< "preparing", "random write 4 KB"; empty without phases
    std::uint32_t cell{}, cells{};  ///< cell from 1; cells == 0: no cells
    std::optional<double> fraction; ///< 0 … 1
    Bytes done;
    std::optional<Rate> rate;
    std::optional<std::chrono::seconds> left;
    /// Uncertainty of `left`. It is the difference between an estimate from the whole step so far and an estimate from
    /// the rate of the last seconds.
    std::optional<std::chrono::seconds> left_within{};
    std::string campaign_left{}; ///< "about 12 min left" of the campaign, displayed instead of `left`; empty: not known
};

/// Formats the line in at most `columns`, without line breaks or control characters. Omits the least important fields
/// first; the bar takes the remaining space.
[[nodiscard]] std::string render(const ProgressLine& line, std::size_t columns);

/// "31.1 MB/s"
[[nodiscard]] std::string readable_rate(Rate rate);

/// Style of the text for session events. Pure: the caller passes the time with each event and prints the result.
enum class ProgressStyle : std::uint8_t {
    live,  ///< terminal: finished steps scroll, one live line per lane is redrawn at the bottom
    plain, ///< pipe: a line at the start and end of each step, for each finding, and each minute; no control characters
    quiet, ///< no output
};

class ProgressView {
public:
    /// `columns`: width of the terminal; used only by `live`, which leaves the last column free.
    ProgressView(ProgressStyle style, unsigned columns) : style_(style), columns_(columns) {}

    /// Text to print for this event; often empty.
    [[nodiscard]] std::string show(const campaign::SessionEvent& event);
    /// Clears the live lines if a session ends without CampaignEnded. Further calls have no effect.
    [[nodiscard]] std::string close();
    /// State of the running step with this index, for another display; null if the step is not running.
    [[nodiscard]] const ProgressLine* running(std::size_t step) const;

private:
    using Time = std::chrono::nanoseconds;

    struct RunningStep {
        ProgressLine line;
        std::string place; ///< "[5/24] fast: quickbench on exfat"
        Time started{};
        std::chrono::seconds expected{};
        struct Sample {
            Time at;
            Bytes done;
        };
        std::deque<Sample> recent; ///< the last seconds, for the rate
        /// Last displayed estimate of the total duration; measurements change it gradually, so that the remaining time
        /// does not jump.
        std::optional<double> total_seconds;
        Time told{};
        bool failure_told{}; ///< the first failed transfer was reported
        Time line_at{};      ///< time of the next progress line of the style `plain`
    };
    /// Consecutive steps skipped for the same reason share one line.
    struct SkippedSteps {
        std::string place, reason;
        std::size_t count{};
    };

    [[nodiscard]] std::string lines_for(const campaign::CampaignStarted& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::StepStarted& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::StepProgress& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::StepEnded& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::MediumIdentified& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::CellFinished& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::FindingReported& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::ConclusionReached& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::VerdictReached& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::CampaignEnded& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::PauseChanged& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::TimeLeft& event, Time now);
    [[nodiscard]] std::string lines_for(const campaign::TemperatureRead& event, Time now);

    /// Returns the next progress line of the style `plain`; empty until the line is due.
    [[nodiscard]] std::string periodic_line(RunningStep& running, std::uint64_t failures, Time now) const;
    /// Remaining time of the campaign: "about 1 h 5 min left"; empty if it is not known.
    [[nodiscard]] std::string total_left() const;
    /// True if the remaining time has a line below several lanes: it is longer than the running steps.
    [[nodiscard]] bool has_total_line() const;
    [[nodiscard]] std::size_t lines_to_draw() const;

    /// Prints a failure that many media share in full only once.
    [[nodiscard]] std::string once_in_full(const std::string& medium, const std::string& detail);
    [[nodiscard]] std::string counter(std::size_t index) const;
    [[nodiscard]] std::string report_skipped();
    /// Moves the cursor to the first live line; `clear` also erases the live lines.
    [[nodiscard]] std::string to_first_line(bool clear) const;
    [[nodiscard]] std::string draw();
    static void update_rate(RunningStep& running, Time now, Bytes done);
    [[nodiscard]] static std::optional<std::chrono::seconds> time_left(RunningStep& running, Time now);
    [[nodiscard]] static std::optional<std::chrono::seconds> left_within(const ProgressLine& line, Bytes total);

    ProgressStyle style_;
    unsigned columns_;
    std::size_t steps_{}, done_{};
    std::map<std::size_t, RunningStep> running_;                   ///< by step index
    std::set<std::pair<std::string, measure::FindingKind>> noted_; ///< media and kinds of the notes printed so far
    std::map<std::string, std::string> failures_; ///< failures printed so far, and the first medium of each
    SkippedSteps skipped_;
    std::optional<campaign::TimeLeft> left_; ///< remaining time of the whole campaign
    std::size_t drawn_{};                    ///< number of live lines on the screen
};

} // namespace mediarig::cli
