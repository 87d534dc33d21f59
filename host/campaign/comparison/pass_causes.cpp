// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/pass_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "host/measure/pass_levels.hpp"
#include "host/measure/rate_course.hpp"
#include "host/measure/statistics.hpp"

namespace mediarig::comparison_campaign {
namespace {

namespace comparison = measure::comparison;
using comparison::Observation, comparison::PairResult;

/// With fewer passes a median does not represent the usual level.
constexpr std::size_t fewest_passes = 8;

/// Returns "exFAT faster", "the same" or the text for an open call. The sign of `value` selects the faster format.
std::string conclusion(const PairResult& of, comparison::Call call, double value,
                       const std::vector<std::string>& titles) {
    if (call == comparison::Call::difference) return titles[value > 0 ? of.first : of.second] + " faster";
    return call == comparison::Call::same ? "the same" : "undecided";
}

/// The blocks of the last look at this pair. A difference may have been found before further blocks were measured for
/// other pairs.
std::span<const double> looked_at(const Pairs& pairs, const PairResult& pair_result) {
    return std::span(pairs.values).first(std::min(pairs.values.size(), pair_result.look.blocks));
}

/// Residuals of the passes without the effect of the format. The effect of a format is its difference from the mean of
/// its block, so a change of level between two blocks is not part of it.
std::vector<double> residuals_of(const Observations& passes) {
    std::map<std::size_t, std::vector<double>> of_block, beside;
    for (const Observation& pass : passes) of_block[pass.block].push_back(pass.value);
    for (const Observation& pass : passes)
        beside[pass.format].push_back(pass.value - *measure::mean(of_block.at(pass.block)));
    std::vector<double> residuals;
    for (const Observation& pass : passes) residuals.push_back(pass.value - *measure::median(beside.at(pass.format)));
    const double usual = *measure::median(residuals);
    for (double& residual : residuals) residual -= usual;
    return residuals;
}

/// Index of the first pass at the second level, and the difference of the levels as a logarithm.
struct LevelChange {
    std::size_t from{};
    double by{};
};

/// Applies the rule for a level change within a cell, with each pass as a sample.
std::optional<LevelChange> level_change_of(const std::vector<double>& residuals) {
    using namespace std::chrono_literals;
    constexpr double usual = 1e9; // arbitrary, because only ratios count
    std::vector<measure::RateSample> series;
    series.reserve(residuals.size());
    for (const double residual : residuals)
        series.push_back({.length = 1s, .moved = {static_cast<std::uint64_t>(usual * std::exp(residual))}});
    const auto found = measure::level_change(series);
    if (!found) return std::nullopt;
    return LevelChange{.from = static_cast<std::size_t>(found->at / 1s),
                       .by = std::log(found->after.bytes_per_second / found->before.bytes_per_second)};
}

/// Returns the answer without these blocks for each pair of formats that the headline compares.
std::string answers_without(const Course& course, std::size_t headline, const std::vector<std::size_t>& blocks,
                            const std::vector<std::string>& titles) {
    std::string text;
    for (const PairResult& pair_result : course.comparison.pair_results()) {
        if (pair_result.headline != headline) continue;
        const std::string pair =
            titles.size() == 2 ? ""
                               : fmt::format("{} against {}: ", titles[pair_result.first], titles[pair_result.second]);
        text += " " + pair + answer_without(course, pair_result, blocks, titles);
    }
    return text;
}

/// Removes the level change, because otherwise half of all passes would be outliers.
void level_out(std::vector<double>& residuals, std::size_t from) {
    const auto middle = residuals.begin() + static_cast<std::ptrdiff_t>(from);
    for (const auto& [begin, end] : {std::pair(residuals.begin(), middle), std::pair(middle, residuals.end())}) {
        const double usual = *measure::median(std::vector<double>(begin, end));
        std::for_each(begin, end, [&](double& residual) { residual -= usual; });
    }
}

std::string stalls_of(const Course& course, const Observations& passes, const std::vector<double>& residuals,
                      const std::vector<std::size_t>& stalls, const std::vector<std::string>& titles) {
    std::string list;
    std::map<std::size_t, std::size_t> of_format;
    for (const std::size_t stall : stalls) {
        ++of_format[passes[stall].format];
        list += fmt::format("{}{} in block {} ({:+.0f} %)", list.empty() ? "" : ", ", titles[passes[stall].format],
                            course.blocks[passes[stall].block].number, percent_of(residuals[stall]));
    }
    if (stalls.size() == 1) return "one pass is an outlier and is included: " + list;
    std::string counts;
    for (std::size_t format = 0; format < titles.size(); ++format)
        counts += fmt::format("{}{} of {}", counts.empty() ? "" : ", ", of_format[format], titles[format]);
    return fmt::format("{} passes are outliers and are included ({}): {}", stalls.size(), counts, list);
}

void add_first_pass(const Course& course, std::size_t headline, const Observations& passes,
                    const std::vector<double>& residuals, const std::vector<std::string>& titles,
                    std::string_view operation, std::vector<std::string>& lines) {
    std::map<std::size_t, std::vector<double>> of_block;
    for (std::size_t i = 0; i < passes.size(); ++i) of_block[passes[i].block].push_back(residuals[i]);
    std::vector<double> means;
    means.reserve(of_block.size());
    for (const auto& [block, values] : of_block) means.push_back(*measure::mean(values));
    // If two passes measured a fresh medium, the second pass hides the first, so test the means of blocks too.
    const auto pass = measure::first_pass_apart(residuals);
    const auto block = pass ? std::nullopt : measure::first_pass_apart(means);
    if (!block && !pass) return;
    const double apart = block ? *block : *pass;
    const std::string which = block ? "the passes of the first block are"
                                    : fmt::format("the first pass, of {}, is", titles[passes.front().format]);
    lines.push_back(fmt::format("{}: {} {:.0f} % {} than the later ones: the medium was in another state.{}", operation,
                                which, std::abs(percent_of(apart)), direction_of(apart),
                                answers_without(course, headline, {passes.front().block}, titles)));
}

/// Returns the smallest distance between figures that have few distinct values; nothing if they have many.
std::optional<double> step_of(const Observations& passes) {
    constexpr double same_figure = 1e-9;
    std::vector<double> values;
    for (const Observation& pass : passes) values.push_back(pass.value);
    std::sort(values.begin(), values.end());
    std::size_t distinct = 1;
    double step = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double apart = values[i] - values[i - 1];
        if (apart <= same_figure) continue;
        ++distinct;
        step = step == 0 ? apart : std::min(step, apart);
    }
    return step > 0 && distinct * 2 <= values.size() ? std::optional(step) : std::nullopt;
}

void add_steps(const Course& course, std::size_t headline, const Observations& passes,
               const std::vector<std::string>& titles, std::string_view operation, std::vector<std::string>& lines) {
    const auto step = step_of(passes);
    if (!step) return;
    comparison::Terms terms = course.comparison.rule().terms();
    if (terms.quantum >= *step) return;
    terms.quantum = *step;
    const comparison::Rule stepped(terms);
    std::string text =
        fmt::format("{}: the figures come in steps of about {:.2g} %, but the interval assumes figures without steps.",
                    operation, percent_of(*step));
    for (const PairResult& pair_result : course.comparison.pair_results()) {
        if (pair_result.headline != headline) continue;
        const Pairs pairs = pairs_of(course, pair_result);
        const comparison::Look then = stepped.look(looked_at(pairs, pair_result), 0);
        const std::string pair =
            titles.size() == 2 ? ""
                               : fmt::format("{} against {}: ", titles[pair_result.first], titles[pair_result.second]);
        text += fmt::format(" {}With the interval widened by that step, {}.", pair,
                            alternative_answer(pair_result, then.call, then.counts().value, titles));
    }
    lines.push_back(std::move(text));
}

} // namespace

std::string_view direction_of(double logarithm) {
    return logarithm < 0 ? "slower" : "faster";
}

double percent_of(double logarithm) {
    return 100 * std::expm1(logarithm);
}

Pairs pairs_of(const Course& course, const PairResult& pair_result) {
    const auto logarithm = [&](const FormatPass& pass) -> std::optional<double> {
        if (pass.failed || !pass.headlines[pair_result.headline]) return std::nullopt;
        return std::log(*pass.headlines[pair_result.headline]);
    };
    Pairs pairs;
    for (std::size_t block = 0; block < course.blocks.size(); ++block) {
        if (!course.blocks[block].whole) continue;
        std::optional<double> first, second;
        for (const FormatPass& pass : course.blocks[block].passes) {
            if (pass.format == pair_result.first) first = logarithm(pass);
            if (pass.format == pair_result.second) second = logarithm(pass);
        }
        if (!first || !second) continue;
        pairs.first.push_back(*first);
        pairs.second.push_back(*second);
        pairs.values.push_back(*first - *second);
        pairs.blocks.push_back(block);
    }
    return pairs;
}

std::string alternative_answer(const PairResult& pair_result, comparison::Call then, double value,
                               const std::vector<std::string>& titles) {
    const comparison::Look& look = pair_result.look;
    const std::string now = conclusion(pair_result, look.call, look.counts().value, titles);
    const std::string changed = conclusion(pair_result, then, value, titles);
    return fmt::format("the answer would be {}: {}", changed == now ? "the same" : "different", changed);
}

std::string answer_without(const Course& course, const PairResult& pair_result, const std::vector<std::size_t>& blocks,
                           const std::vector<std::string>& titles) {
    const Pairs pairs = pairs_of(course, pair_result);
    std::vector<double> values;
    for (std::size_t i = 0; i < looked_at(pairs, pair_result).size(); ++i)
        if (std::find(blocks.begin(), blocks.end(), pairs.blocks[i]) == blocks.end()) values.push_back(pairs.values[i]);
    std::string numbers;
    for (const std::size_t block : blocks)
        numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", course.blocks[block].number);
    const comparison::Look then = course.comparison.rule().look(values, 0);
    return fmt::format("Without {} {} {}.", blocks.size() == 1 ? "block" : "blocks", numbers,
                       alternative_answer(pair_result, then.call, then.counts().value, titles));
}

std::vector<std::size_t> add_of_passes(const Course& course, std::size_t headline, const Observations& passes,
                                       const std::vector<std::string>& titles, std::string_view operation,
                                       std::vector<std::string>& lines) {
    if (passes.size() < fewest_passes) return {};
    std::vector<double> residuals = residuals_of(passes);
    if (const auto level = level_change_of(residuals)) {
        const Observation& from = passes[level->from];
        lines.push_back(fmt::format("{}: from pass {} on, of {} in block {}, {:.0f} % {} permanently.{}", operation,
                                    level->from + 1, titles[from.format], course.blocks[from.block].number,
                                    std::abs(percent_of(level->by)), direction_of(level->by),
                                    answers_without(course, headline, {from.block}, titles)));
        level_out(residuals, level->from);
    } else {
        add_first_pass(course, headline, passes, residuals, titles, operation, lines);
    }
    std::set<std::size_t> unique;
    const auto stalls = comparison::spikes_of(residuals);
    for (const std::size_t stall : stalls) unique.insert(passes[stall].block);
    std::vector<std::size_t> blocks(unique.begin(), unique.end());
    if (!stalls.empty())
        lines.push_back(fmt::format("{}: {}.{}", operation, stalls_of(course, passes, residuals, stalls, titles),
                                    answers_without(course, headline, blocks, titles)));
    add_steps(course, headline, passes, titles, operation, lines);
    return blocks;
}

} // namespace mediarig::comparison_campaign
