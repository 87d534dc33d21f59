// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/remaining_time.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace mediarig::campaign {
namespace {

using plan::StepKind;
using Seconds = std::chrono::duration<double>;

constexpr Seconds tells_every{2};
/// Shorter steps are no evidence for the remaining time.
constexpr Seconds shortest_evidence{2};
constexpr double smallest_fraction = 0.02;

/// Returns 0 if the duration is not known.
Seconds time_of(const plan::Step& step, Bytes size, Rate rate) {
    const auto estimate = plan::estimate(step, size, rate);
    return estimate && estimate->known ? Seconds(estimate->time) : Seconds(0);
}

std::chrono::seconds whole(Seconds time) {
    return std::chrono::seconds(std::llround(std::max(time.count(), 0.0)));
}

} // namespace

RemainingTime::RemainingTime(const plan::Plan& plan, const std::vector<plan::Step>& certain, std::size_t lanes)
    : plan_(plan), lanes_(std::max<std::size_t>(lanes, 1)), media_(plan.media.size()) {
    for (const plan::Step& step : certain) media_[step.medium].ahead.push_back(step);
}

std::optional<TimeLeft> RemainingTime::take(const SessionEvent& event) {
    if (std::holds_alternative<CampaignEnded>(event.body)) return std::nullopt;
    const Seconds now = event.since_start;
    if (const auto* identified = std::get_if<MediumIdentified>(&event.body)) identify(*identified);
    const auto* const started = std::get_if<StepStarted>(&event.body);
    if (started != nullptr) begin(*started, now);
    if (const auto* ended = std::get_if<StepEnded>(&event.body)) end(*ended, now);
    if (const auto* cell = std::get_if<CellFinished>(&event.body)) measure(*cell);
    if (const auto* progress = std::get_if<StepProgress>(&event.body)) advance(*progress);
    const bool begins = started != nullptr && started->step.kind == StepKind::run;
    if (reported_ && now - *reported_ < tells_every && !begins) return std::nullopt;
    auto left = estimate_remaining(now);
    if (left) reported_ = now;
    return left;
}

void RemainingTime::identify(const MediumIdentified& event) {
    for (std::size_t i = 0; i < media_.size(); ++i)
        if (plan_.media[i].name == event.medium) {
            media_[i].measured.size = event.identity.size;
            media_[i].sum.reset();
        }
}

void RemainingTime::begin(const StepStarted& event, Seconds now) {
    Medium& medium = media_[event.step.medium];
    medium.running = RunningStep{.index = event.index,
                                 .began = now,
                                 .expected = event.expected,
                                 .assumed = time_of(event.step, medium.measured.size, assumed_rate),
                                 .fraction = 0};
    const auto here = std::ranges::find(medium.ahead, event.step.key, &plan::Step::key);
    if (here == medium.ahead.end()) return;
    // After the last group, the remaining steps of the plan are no longer needed.
    const bool ends = traits_of(event.step.kind).of == plan::StepTraits::StepScope::end;
    medium.ahead.erase(ends ? medium.ahead.begin() : here, std::next(here));
    medium.sum.reset();
}

void RemainingTime::advance(const StepProgress& event) {
    for (Medium& medium : media_) {
        if (!medium.running || medium.running->index != event.index) continue;
        double fraction = event.cells > 0 ? static_cast<double>(event.cell) / event.cells : 0;
        if (event.total.count > 0)
            fraction =
                std::max(fraction, static_cast<double>(event.done.count) / static_cast<double>(event.total.count));
        medium.running->fraction = std::clamp(fraction, medium.running->fraction, 1.0);
    }
}

void RemainingTime::end(const StepEnded& event, Seconds now) {
    Medium& medium = media_[event.step.medium];
    if (medium.running && medium.running->index == event.index) {
        // The duration of an interrupted step is no evidence.
        if (event.how == StepEnded::How::done && medium.running->assumed.count() > 0) {
            took_ += now - medium.running->began;
            assumed_ += medium.running->assumed;
        }
        medium.running.reset();
    }
    if (const auto here = std::ranges::find(medium.ahead, event.step.key, &plan::Step::key);
        here != medium.ahead.end()) {
        medium.ahead.erase(here);
        medium.sum.reset();
    }
    medium.over = medium.ahead.empty();
}

void RemainingTime::measure(const CellFinished& event) {
    Medium& medium = media_[event.step.medium];
    if (medium.pass != event.step.pass) medium.cells.clear();
    medium.pass = event.step.pass;
    medium.cells.push_back({.cell = event.result.cell,
                            .moved = event.result.moved,
                            .operations = event.result.operations,
                            .elapsed = event.result.elapsed});
    if (const auto rate = plan::rate_seen(medium.cells)) medium.measured.rate = rate;
    medium.sum.reset();
}

RemainingTime::RemainingWork RemainingTime::ahead_of(const std::vector<plan::Step>& steps, const MediumProgress& as) {
    RemainingWork sum;
    // A suite on a given format takes the same time in each repeat.
    std::map<std::pair<std::string_view, std::string_view>, RemainingWork> by_entry;
    for (const plan::Step& step : steps) {
        const std::pair<std::string_view, std::string_view> entry{step.format_name, step.entry};
        auto known = by_entry.find(entry);
        if (step.kind != StepKind::run || known == by_entry.end()) {
            const Seconds assumed = time_of(step, as.size, assumed_rate);
            const RemainingWork time{.at_its_rate = as.rate ? time_of(step, as.size, *as.rate) : assumed,
                                     .assumed = assumed};
            known = by_entry.insert_or_assign(entry, time).first;
        }
        sum.at_its_rate += known->second.at_its_rate;
        sum.assumed += known->second.assumed;
    }
    return sum;
}

RemainingTime::TimeEstimates RemainingTime::remaining_of(const RunningStep& step, Seconds now,
                                                         std::optional<double> pace) {
    const Seconds spent = now - step.began;
    TimeEstimates left{.by_rate = std::max(step.expected - spent, Seconds(0)), .by_pace = {}};
    left.by_pace = pace ? std::max(step.assumed * *pace - spent, Seconds(0)) : left.by_rate;
    if (spent >= shortest_evidence && step.fraction >= smallest_fraction)
        left.by_pace = spent * (1 - step.fraction) / step.fraction;
    return left;
}

std::optional<TimeLeft> RemainingTime::estimate_remaining(Seconds now) {
    if (plan_.compare && plan_.compare->endless && !plan_.time_budget) return std::nullopt;
    // Finished steps, and the finished part of running steps.
    Seconds took = took_, assumed = assumed_;
    for (const Medium& medium : media_)
        if (medium.running && medium.running->fraction >= smallest_fraction) {
            took += now - medium.running->began;
            assumed += medium.running->assumed * medium.running->fraction;
        }
    std::optional<double> pace;
    if (took >= shortest_evidence && assumed.count() > 0) pace = took / assumed;

    // Media that are not identified yet are assumed to be like an identified medium.
    const auto another =
        std::ranges::find_if(media_, [](const Medium& medium) { return medium.measured.size.count > 0; });
    if (another == media_.end()) return std::nullopt;
    TimeEstimates longest, all;
    for (Medium& medium : media_) {
        if (medium.over) continue;
        const bool known = medium.measured.size.count > 0;
        if (!medium.sum || !known) medium.sum = ahead_of(medium.ahead, known ? medium.measured : another->measured);
        TimeEstimates left = medium.running ? remaining_of(*medium.running, now, pace) : TimeEstimates{};
        left.by_rate += medium.sum->at_its_rate;
        left.by_pace += pace ? medium.sum->assumed * *pace : medium.sum->at_its_rate;
        longest = {.by_rate = std::max(longest.by_rate, left.by_rate),
                   .by_pace = std::max(longest.by_pace, left.by_pace)};
        all = {.by_rate = all.by_rate + left.by_rate, .by_pace = all.by_pace + left.by_pace};
    }
    const auto lanes = static_cast<double>(lanes_);
    const TimeEstimates left{.by_rate = std::max(longest.by_rate, all.by_rate / lanes),
                             .by_pace = std::max(longest.by_pace, all.by_pace / lanes)};
    TimeLeft result{.left = whole(left.by_pace), .within = {}, .at_most = plan_.compare.has_value()};
    if (pace) result.within = whole(Seconds(std::abs((left.by_pace - left.by_rate).count())));
    if (plan_.time_budget && now + left.by_pace > *plan_.time_budget) {
        result.left = whole(*plan_.time_budget - now);
        result.at_most = true;
    }
    return result;
}

} // namespace mediarig::campaign
