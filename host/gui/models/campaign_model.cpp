// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/campaign_model.hpp"

#include <algorithm>
#include <type_traits>

#include "host/base/text.hpp"
#include "host/cli/text/text.hpp"
#include "host/report/cards/card.hpp"

namespace mediarig::gui {

Lane& CampaignModel::lane_of(const std::string& medium) {
    const auto found = std::ranges::find(lanes_, medium, &Lane::medium);
    if (found != lanes_.end()) return *found;
    return lanes_.emplace_back(Lane{.medium = medium});
}

std::optional<campaign::TimeLeft> CampaignModel::left() const {
    if (!left_ || ended_) return std::nullopt;
    campaign::TimeLeft left = *left_;
    const auto since = std::chrono::round<std::chrono::seconds>(now_ - left_at_);
    left.left = std::max(left.left - since, std::chrono::seconds(0));
    return left;
}

void CampaignModel::take(const campaign::SessionEvent& event) {
    std::string text = view_.show(event);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines_.push_back(text.substr(at, end - at));
        ++lines_told_;
        at = end + 1;
    }
    while (lines_.size() > most_lines) lines_.pop_front();

    now_ = std::max(now_, event.since_start);
    std::visit(
        [&](const auto& body) {
            using T = std::decay_t<decltype(body)>;
            if constexpr (std::is_same_v<T, campaign::CampaignStarted>) {
                campaign_ = body.campaign;
                steps_ = body.steps;
            } else if constexpr (std::is_same_v<T, campaign::StepStarted>) {
                Lane& lane = lane_of(body.medium);
                lane.step = body.index;
                if (const auto* const line = view_.running(body.index)) lane.line = *line;
                begun_ = std::max(begun_, body.index + 1);
            } else if constexpr (std::is_same_v<T, campaign::StepProgress>) {
                const auto lane = std::ranges::find(lanes_, body.index, &Lane::step);
                const auto* const line = view_.running(body.index);
                if (lane == lanes_.end() || line == nullptr) return;
                lane->line = *line;
                if (!line->rate) return;
                lane->rates.push_back(line->rate->bytes_per_second);
                if (lane->rates.size() > most_rates) lane->rates.pop_front();
            } else if constexpr (std::is_same_v<T, campaign::StepEnded>) {
                for (Lane& lane : lanes_)
                    if (lane.step == body.index) lane.step.reset();
            } else if constexpr (std::is_same_v<T, campaign::MediumIdentified>) {
                const media::Medium& medium = body.identity;
                lane_of(body.medium).identity =
                    printable(cli::joined({medium.vendor, medium.model, size_text(medium.size), medium.serial}));
                if (medium.smart) lane_of(body.medium).celsius = medium.smart->temperature_c;
            } else if constexpr (std::is_same_v<T, campaign::TemperatureRead>) {
                lane_of(body.medium).celsius = body.celsius;
            } else if constexpr (std::is_same_v<T, campaign::TimeLeft>) {
                left_ = body;
                left_at_ = event.since_start;
            } else if constexpr (std::is_same_v<T, campaign::CellFinished>) {
                ++cells_;
            } else if constexpr (std::is_same_v<T, campaign::VerdictReached>) {
                Lane& lane = lane_of(body.medium);
                lane.grade = body.verdict.grade;
                lane.verdict = report::verdict_text(body.verdict, store::CampaignState::running);
            } else if constexpr (std::is_same_v<T, campaign::PauseChanged>) {
                paused_ = body.paused;
            } else if constexpr (std::is_same_v<T, campaign::CampaignEnded>) {
                ended_ = body;
                for (Lane& lane : lanes_) lane.step.reset();
            }
        },
        event.body);
}

} // namespace mediarig::gui
