// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/campaign/comparison/comparison_text.hpp"
#include "host/campaign/comparison/pass_causes.hpp"
#include "host/measure/comparison/effects.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/statistics.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::comparison_campaign {
namespace {

namespace comparison = measure::comparison;

/// With fewer values a median does not represent the usual level.
constexpr std::size_t fewest_for_spikes = 6;

std::optional<double> logarithm(const FormatPass& pass, std::size_t headline) {
    if (pass.failed || !pass.headlines[headline]) return std::nullopt;
    return std::log(*pass.headlines[headline]);
}

/// Returns the passes that measured the headline, each with the format that was measured directly before the pass.
Observations observed(const Course& course, std::size_t headline) {
    Observations passes;
    std::optional<std::size_t> before;
    for (std::size_t block = 0; block < course.blocks.size(); ++block) {
        const auto& made = course.blocks[block].passes;
        if (!course.blocks[block].whole) {
            before.reset();
            continue;
        }
        for (std::size_t place = 0; place < made.size(); ++place) {
            const auto value = logarithm(made[place], headline);
            if (value)
                passes.push_back(
                    {.block = block, .place = place, .format = made[place].format, .value = *value, .before = before});
            before = value ? std::optional(made[place].format) : std::nullopt;
        }
    }
    return passes;
}

void add_slopes(const Course& course, const Observations& passes, std::string_view operation,
                std::vector<std::string>& lines) {
    const auto effects = comparison::effects_of(passes);
    if (!effects) return;
    if (effects->place && effects->place->p <= comparison::effect_fires)
        lines.push_back(
            fmt::format("{}: {:.1f} % {} with each later position in a block (p {:.2g}). Each format had each position "
                        "about equally often.",
                        operation, std::abs(percent_of(effects->place->value)), direction_of(effects->place->value),
                        effects->place->p));
    if (effects->drift && effects->drift->p <= comparison::effect_fires)
        lines.push_back(
            fmt::format("{}: {:.1f} % {} with each block, {:.0f} % in all (p {:.2g}). The two orders of a pair of "
                        "blocks cancel it.",
                        operation, std::abs(percent_of(effects->drift->value)), direction_of(effects->drift->value),
                        std::abs(percent_of(effects->drift->value * static_cast<double>(course.blocks.size() - 1))),
                        effects->drift->p));
    const double all = effects->blocks + effects->formats + effects->places + effects->rest;
    if (all > 0)
        lines.push_back(
            fmt::format("{}: of the sum of squares about the mean, {:.0f} % are between blocks, {:.0f} % between "
                        "formats, {:.0f} % between positions, {:.0f} % residual.",
                        operation, 100 * effects->blocks / all, 100 * effects->formats / all,
                        100 * effects->places / all, 100 * effects->rest / all));
}

/// Returns the decision of Student's t test on a difference that was tested only once.
comparison::Call call_of(const comparison::Slope& difference, const comparison::Terms& terms) {
    if (difference.p <= terms.alpha) return comparison::Call::difference;
    const double ends =
        std::abs(difference.value) + comparison::t_critical(2 * terms.alpha, difference.freedom) * difference.error;
    return ends < std::log1p(terms.margin) ? comparison::Call::same : comparison::Call::open;
}

/// Adds the carry-over of each format to the next format, for three or more formats. For two formats the decision rule
/// itself tests for carry-over.
void add_left_behind(const Course& course, std::size_t headline, const Observations& passes,
                     const std::vector<std::string>& titles, std::string_view operation,
                     std::vector<std::string>& lines) {
    const auto left = titles.size() > 2 ? comparison::left_behind(passes) : std::nullopt;
    if (!left || left->p > comparison::effect_fires) return;
    lines.push_back(fmt::format(
        "{}: carry-over: a pass after {} is {:.1f} % slower than a pass after {} (p {:.2g}); only the same condition "
        "before each pass prevents it.",
        operation, titles[left->worst], std::abs(percent_of(-left->difference)), titles[left->best], left->p));
    for (const comparison::PairResult& pair_result : course.comparison.pair_results()) {
        if (pair_result.headline != headline) continue;
        const auto direct = comparison::direct_difference(passes, pair_result.first, pair_result.second);
        if (!direct) continue;
        const comparison::Call then = call_of(*direct, course.comparison.rule().terms());
        lines.push_back(fmt::format("{}, {} against {}: {:+.1f} % without the carry-over; {}.", operation,
                                    titles[pair_result.first], titles[pair_result.second], percent_of(direct->value),
                                    alternative_answer(pair_result, then, direct->value, titles)));
    }
}

/// Skips the blocks whose passes were already reported as outliers.
void add_of_pair(const Course& course, const comparison::PairResult& pair_result, const std::vector<std::size_t>& told,
                 const std::vector<std::string>& titles, std::string_view operation, std::vector<std::string>& lines) {
    const Pairs pairs = pairs_of(course, pair_result);
    if (pairs.values.size() < fewest_for_spikes) return;
    const comparison::Look& look = pair_result.look;
    if (look.blocks >= comparison::fewest_blocks && std::abs(look.mean.value - look.trimmed.value) > look.half_width)
        lines.push_back(
            fmt::format("{}, {} against {}: the plain mean is {:+.1f} %, the trimmed mean {:+.1f} %: single blocks "
                        "cause the difference.",
                        operation, titles[pair_result.first], titles[pair_result.second], percent_of(look.mean.value),
                        percent_of(look.trimmed.value)));
    std::vector<std::size_t> spikes;
    for (const std::size_t spike : comparison::spikes_of(pairs.values)) spikes.push_back(pairs.blocks[spike]);
    if (!std::includes(told.begin(), told.end(), spikes.begin(), spikes.end())) {
        std::string blocks;
        for (const std::size_t spike : spikes) {
            const auto at = std::find(pairs.blocks.begin(), pairs.blocks.end(), spike) - pairs.blocks.begin();
            blocks += fmt::format("{}{} ({:+.0f} %)", blocks.empty() ? "" : ", ", course.blocks[spike].number,
                                  percent_of(pairs.values[static_cast<std::size_t>(at)]));
        }
        lines.push_back(fmt::format(
            "{}, {} against {}: {} {}. {}", operation, titles[pair_result.first], titles[pair_result.second],
            spikes.size() == 1 ? "block" : "blocks",
            blocks + (spikes.size() == 1 ? " is an outlier and is included" : " are outliers and are included"),
            answer_without(course, pair_result, spikes, titles)));
    }
    // A single stall would make its format appear less repeatable, so exclude the block farthest from the median.
    const double middle = *measure::median(pairs.values);
    const auto farthest =
        std::max_element(pairs.values.begin(), pairs.values.end(),
                         [&](double a, double b) { return std::abs(a - middle) < std::abs(b - middle); }) -
        pairs.values.begin();
    Pairs others = pairs;
    others.first.erase(others.first.begin() + farthest);
    others.second.erase(others.second.begin() + farthest);
    const auto scatter = comparison::scatter_of(others.first, others.second);
    if (scatter && scatter->p <= comparison::effect_fires) {
        const bool first = scatter->correlation > 0;
        lines.push_back(fmt::format("{}: {} is less repeatable than {} (p {:.2g}).", operation,
                                    titles[first ? pair_result.first : pair_result.second],
                                    titles[first ? pair_result.second : pair_result.first], scatter->p));
    }
}

} // namespace

std::vector<std::string> causes_of(const Course& course, const plan::Plan& plan) {
    std::vector<std::string> lines;
    const std::vector<std::string> titles = titles_of(plan);
    for (std::size_t headline = 0; headline < plan.compare->headlines.size(); ++headline) {
        const std::string_view operation = workload::title_of(plan.compare->headlines[headline]);
        const Observations passes = observed(course, headline);
        add_slopes(course, passes, operation, lines);
        const auto told = add_of_passes(course, headline, passes, titles, operation, lines);
        add_left_behind(course, headline, passes, titles, operation, lines);
        for (const comparison::PairResult& pair_result : course.comparison.pair_results())
            if (pair_result.headline == headline) add_of_pair(course, pair_result, told, titles, operation, lines);
    }
    return lines;
}

} // namespace mediarig::comparison_campaign
