// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as its events tell it, for a window to draw: plain state. Pure.
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

/// One medium's place on the screen.
struct Lane {
    std::string medium;
    std::string identity;            ///< "SanDisk Ultra, 63.9 GB, serial 0117"; empty before identification
    std::optional<std::size_t> step; ///< index of the one that runs
    cli::ProgressLine line;          ///< of the step that runs, or the last one
    std::optional<double> celsius;   ///< as it was read last
    std::deque<double> rates;        ///< bytes a second, the newest last, at most `most_rates`
    std::optional<measure::Grade> grade;
    std::string verdict; ///< why, one sentence
};

class CampaignModel {
public:
    /// As many as a curve has points.
    static constexpr std::size_t most_rates = 600;
    static constexpr std::size_t most_lines = 1000;

    void take(const session::SessionEvent& event);

    [[nodiscard]] const std::string& campaign() const { return campaign_; }
    /// In the order in which their first step began.
    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }
    /// What a terminal prints of it, the newest last.
    [[nodiscard]] const std::deque<std::string>& lines() const { return lines_; }
    /// All that there were: the last of lines() is the one of this number.
    [[nodiscard]] std::size_t lines_told() const { return lines_told_; }
    /// Steps that began, of all that the campaign has; 0 of 0 before it says how many.
    [[nodiscard]] std::size_t begun() const { return begun_; }
    [[nodiscard]] std::size_t steps() const { return steps_; }
    /// Of the whole campaign, at the time of the last event; nothing while nobody can say.
    [[nodiscard]] std::optional<session::TimeLeft> left() const;
    [[nodiscard]] bool paused() const { return paused_; }
    [[nodiscard]] const std::optional<session::CampaignEnded>& ended() const { return ended_; }
    /// Counts what finished: whoever shows tables reads them again when it changes.
    [[nodiscard]] std::size_t cells() const { return cells_; }

private:
    Lane& lane_of(const std::string& medium);

    cli::ProgressView view_{cli::ProgressStyle::plain, 80};
    std::string campaign_;
    std::size_t steps_{}, begun_{}, cells_{}, lines_told_{};
    std::vector<Lane> lanes_;
    std::deque<std::string> lines_;
    bool paused_{};
    std::optional<session::TimeLeft> left_;
    std::chrono::nanoseconds left_at_{}, now_{};
    std::optional<session::CampaignEnded> ended_;
};

} // namespace mediarig::gui
