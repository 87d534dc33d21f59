// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace mediarig::events {
namespace {

/// Enough for a screen; older lines are in the store.
constexpr std::size_t most_ended = 100; ///< lines, from 50 steps
constexpr std::size_t most_findings = 200;
constexpr std::size_t most_cells = 1000;

} // namespace

void History::drop(const std::string& key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    kept_.erase(found->second);
    by_key_.erase(found);
}

void History::keep(const std::string& key, EventLine line) {
    drop(key);
    by_key_[key] = next_;
    kept_[next_++] = {key, std::move(line)};
}

void History::keep_last(std::deque<std::string>& of_kind, std::size_t most, const std::string& kind, EventLine line) {
    of_kind.push_back(fmt::format("{}\n{}", kind, next_));
    keep(of_kind.back(), std::move(line));
    if (of_kind.size() <= most) return;
    drop(of_kind.front());
    of_kind.pop_front();
}

void History::add(const campaign::SessionEvent& event, EventLine line) {
    const auto running = [](std::size_t index) { return fmt::format("running {}", index); };
    const auto progress = [](std::size_t index) { return fmt::format("progress {}", index); };
    std::visit(
        [&](const auto& body) {
            using T = std::decay_t<decltype(body)>;
            if constexpr (std::is_same_v<T, campaign::StepStarted>) {
                keep(running(body.index), line);
            } else if constexpr (std::is_same_v<T, campaign::StepProgress>) {
                keep(progress(body.index), line);
            } else if constexpr (std::is_same_v<T, campaign::StepEnded>) {
                // Also keep the start of the step, from which an observer knows the medium and the duration.
                if (const auto began = by_key_.find(running(body.index)); began != by_key_.end())
                    keep_last(ended_, most_ended, "ended", kept_.at(began->second).line);
                drop(running(body.index));
                drop(progress(body.index));
                keep_last(ended_, most_ended, "ended", line);
            } else if constexpr (std::is_same_v<T, campaign::CellFinished>) {
                keep_last(cells_, most_cells, "cell " + body.medium, line);
            } else if constexpr (std::is_same_v<T, campaign::FindingReported>) {
                keep_last(findings_, most_findings, "finding", line);
            } else if constexpr (std::is_same_v<T, campaign::MediumIdentified>) {
                keep("identified " + body.medium, line);
            } else if constexpr (std::is_same_v<T, campaign::ConclusionReached>) {
                keep("conclusion " + body.medium, line);
            } else if constexpr (std::is_same_v<T, campaign::VerdictReached>) {
                const std::string its_cells = "cell " + body.medium + "\n";
                const auto mine = std::stable_partition(
                    cells_.begin(), cells_.end(), [&](const std::string& key) { return !key.starts_with(its_cells); });
                std::for_each(mine, cells_.end(), [&](const std::string& key) { drop(key); });
                cells_.erase(mine, cells_.end());
                keep("verdict " + body.medium, line);
            } else if constexpr (std::is_same_v<T, campaign::PauseChanged>) {
                keep("pause", line);
            } else if constexpr (std::is_same_v<T, campaign::TimeLeft>) {
                keep("time left", line);
            } else if constexpr (std::is_same_v<T, campaign::TemperatureRead>) {
                keep("temperature " + body.medium, line);
            } else if constexpr (std::is_same_v<T, campaign::CampaignStarted>) {
                keep("started", line);
            } else {
                static_assert(std::is_same_v<T, campaign::CampaignEnded>);
                keep("ended", line);
            }
        },
        event.body);
}

std::vector<EventLine> History::lines() const {
    std::vector<EventLine> lines;
    for (const auto& [number, kept] : kept_) lines.push_back(kept.line);
    return lines;
}

} // namespace mediarig::events
