// SPDX-License-Identifier: GPL-3.0-or-later
/// State of a campaign, computed from its events for display. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/event.hpp"
#include "host/cli/text/progress.hpp"
#include "host/measure/verdict.hpp"

namespace mediarig::gui {

/// State of the lane of one medium.
struct Lane {
    std::string medium;
    std::string identity;            ///< "SanDisk Ultra, 63.9 GB, serial 0117"; empty before identification
    std::optional<std::size_t> step; ///< index of the running step
    cli::ProgressLine line;          ///< progress of the running or last step
    std::optional<double> celsius;   ///< last temperature reading
    std::deque<double> rates;        ///< bytes per second, the newest last, at most `most_rates`
    std::optional<measure::Grade> grade;
    std::string verdict; ///< reason, one sentence
};

class CampaignModel {
public:
    /// Number of points of a curve.
    static constexpr std::size_t most_rates = 600;
    static constexpr std::size_t most_lines = 1000;

    void take(const campaign::SessionEvent& event);

    [[nodiscard]] const std::string& campaign() const { return campaign_; }
    /// The lanes in the order of their first steps.
    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
    /// The lines as printed on a terminal, the newest last.
    [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }
    /// Total number of lines so far; the last element of lines() has this number.
    [[nodiscard]] std::size_t lines_told() const { return lines_told_; }
    /// Number of started steps; steps() is their total. Both are 0 until the campaign reports its steps.
    [[nodiscard]] std::size_t begun() const { return begun_; }
    [[nodiscard]] std::size_t steps() const { return steps_; }
    /// Remaining time of the whole campaign at the time of the last event; empty while unknown.
    [[nodiscard]] std::optional<campaign::TimeLeft> left() const;
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] const std::optional<campaign::CampaignEnded>& ended() const { return ended_; }
    /// Number of finished cells: when it changes, the tables must be read again.
    [[nodiscard]] std::size_t cells() const { return cells_; }

private:
    Lane& lane_of(const std::string& medium);

    cli::ProgressView view_{cli::ProgressStyle::plain, 80};
    std::string campaign_;
    std::size_t steps_{}, begun_{}, cells_{}, lines_told_{};
    std::vector<Lane> lanes_;
    std::deque<std::string> lines_;
    bool paused_{};
    std::optional<campaign::TimeLeft> left_;
    std::chrono::nanoseconds left_at_{}, now_{};
    std::optional<campaign::CampaignEnded> ended_;
};

} // namespace mediarig::gui
