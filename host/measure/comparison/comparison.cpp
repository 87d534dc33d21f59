// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/measure/comparison/families.hpp"

namespace mediarig::measure::comparison {
namespace {

const Pass* pass_of(std::span<const Pass> block, std::size_t format) {
    const auto pass = std::find_if(block.begin(), block.end(), [&](const Pass& each) { return each.format == format; });
    return pass == block.end() ? nullptr : &*pass;
}

std::optional<double> figure_of(const Pass* pass, std::size_t headline) {
    if (pass == nullptr || pass->failed || headline >= pass->figures.size()) return std::nullopt;
    const auto figure = pass->figures[headline];
    return figure && std::isfinite(*figure) && *figure > 0 ? figure : std::nullopt;
}

/// The logarithms of all figures of a block.
BlockFigures logarithms_of(std::span<const Pass> block, const Design& design) {
    BlockFigures figures(design.headlines, std::vector<std::optional<double>>(design.formats));
    for (std::size_t headline = 0; headline < design.headlines; ++headline)
        for (std::size_t format = 0; format < design.formats; ++format)
            if (const auto figure = figure_of(pass_of(block, format), headline))
                figures[headline][format] = std::log(*figure);
    return figures;
}

void count(Failures& failures, const Pass* first, const Pass* second) {
    const bool first_failed = first != nullptr && first->failed, second_failed = second != nullptr && second->failed;
    failures.first += first_failed ? 1 : 0;
    failures.second += second_failed ? 1 : 0;
    failures.first_only += first_failed && !second_failed ? 1 : 0;
    failures.second_only += second_failed && !first_failed ? 1 : 0;
}

/// These verdicts are final, because the interval is valid at every look.
bool stands(ComparisonVerdict verdict) {
    return verdict == ComparisonVerdict::faster || verdict == ComparisonVerdict::same ||
           verdict == ComparisonVerdict::depends_on_before;
}

} // namespace

Result<void> check(const Design& design) {
    if (design.formats < 2) return fail(Errc::bad_request, "one format cannot be compared: name two or more");
    if (design.formats > most_formats)
        return fail(Errc::bad_request,
                    fmt::format("{} formats: at most {} are compared at once", design.formats, most_formats));
    if (design.headlines < 1 || design.headlines > most_headlines)
        return fail(Errc::bad_request,
                    fmt::format("{} headline numbers: it must be 1 to {}", design.headlines, most_headlines));
    return check(design.terms);
}

Comparison::Comparison(const Design& design) : design_(design), rule_(design.terms) {
    const std::size_t firsts = design.against_first ? 1 : design.formats;
    for (std::size_t first = 0; first < firsts; ++first)
        for (std::size_t second = first + 1; second < design.formats; ++second)
            for (std::size_t headline = 0; headline < design.headlines; ++headline)
                standings_.push_back({.first = first, .second = second, .headline = headline});
    series_.resize(standings_.size());
}

void Comparison::add(std::span<const Pass> block) {
    if (ended_ || block.empty()) return;
    ++blocks_;
    figures_.push_back(logarithms_of(block, design_));
    for (std::size_t i = 0; i < standings_.size(); ++i) {
        take(block, i);
        look(i);
    }
    last_format_ = block.back().format;
    judge_family();
}

void Comparison::stop() {
    if (ended_) return;
    stopped_ = true;
    for (std::size_t i = 0; i < standings_.size(); ++i) look(i);
    judge_family();
}

bool Comparison::waits_for(std::size_t format) const {
    return std::any_of(standings_.begin(), standings_.end(), [&](const PairResult& each) {
        return each.verdict == ComparisonVerdict::open && (each.first == format || each.second == format);
    });
}

void Comparison::take(std::span<const Pass> block, std::size_t index) {
    PairResult& pair_result = standings_[index];
    const Pass* first = pass_of(block, pair_result.first);
    const Pass* second = pass_of(block, pair_result.second);
    count(pair_result.failures, first, second);
    const auto a = figure_of(first, pair_result.headline), b = figure_of(second, pair_result.headline);
    if (!a || !b) return;
    Series& series = series_[index];
    const double value = std::log(*a) - std::log(*b);
    series.values.push_back(value);
    if (last_format_) series.begun.push_back({value, block.front().format == *last_format_});
}

std::size_t Comparison::left() const {
    if (stopped_) return 0;
    return design_.terms.budget ? *design_.terms.budget - blocks_ : most_blocks;
}

void Comparison::look(std::size_t index) {
    PairResult& pair_result = standings_[index];
    if (stands(pair_result.verdict)) return;
    Series& series = series_[index];
    const Look next = rule_.look(series.values, left());
    series.smallest_p = std::min(series.smallest_p, next.nominal_p);
    pair_result.overall_p = rule_.overall(series.smallest_p);
    // A difference that waits for the other comparisons of its family keeps the interval of the last look with a
    // difference. That interval then comes from about the same blocks as the p-value with which the family accepts the
    // difference.
    if (pair_result.look.call != Call::difference || next.call == Call::difference) pair_result.look = next;
}

void Comparison::judge_family() {
    std::vector<double> p;
    for (const PairResult& pair_result : standings_) p.push_back(pair_result.overall_p);
    const std::vector<double> adjusted = holm(p);
    RandomisedTests tests(
        figures_,
        {.formats = design_.formats, .against_first = design_.against_first, .quantum = design_.terms.quantum});
    ended_ = true;
    for (std::size_t i = 0; i < standings_.size(); ++i) {
        standings_[i].adjusted = adjusted[i];
        judge(i, tests);
        if (standings_[i].verdict == ComparisonVerdict::open) ended_ = false;
    }
}

void Comparison::judge(std::size_t index, RandomisedTests& tests) {
    PairResult& pair_result = standings_[index];
    if (stands(pair_result.verdict)) return;
    const Terms& terms = design_.terms;
    const double margin = std::log1p(terms.margin);
    switch (pair_result.look.call) {
        case Call::difference:
            // More blocks make both p smaller, so the family may accept a difference later.
            pair_result.verdict = permits(index, tests) ? ComparisonVerdict::faster
                                  : left() == 0         ? ComparisonVerdict::perhaps_faster
                                                        : ComparisonVerdict::open;
            pair_result.too_little = pair_result.look.from() > -margin && pair_result.look.to() < margin;
            break;
        case Call::same:
            pair_result.verdict = ComparisonVerdict::same;
            break;
        case Call::budget:
            pair_result.verdict = ComparisonVerdict::out_of_budget;
            break;
        case Call::hopeless:
            pair_result.verdict = ComparisonVerdict::hopeless;
            break;
        case Call::open: // also after the end of a comparison without a budget
            pair_result.verdict = stopped_ ? ComparisonVerdict::out_of_budget : ComparisonVerdict::open;
            break;
    }
    if (pair_result.verdict == ComparisonVerdict::open || design_.formats != 2) return;
    const auto before = carry_over(series_[index].begun, std::max(resolution, terms.quantum));
    if (!before || !depends_on_before(*before, margin, terms.alpha)) return;
    pair_result.before = before;
    pair_result.verdict = ComparisonVerdict::depends_on_before;
}

bool Comparison::permits(std::size_t index, RandomisedTests& tests) {
    PairResult& pair_result = standings_[index];
    pair_result.randomised_p = pair_result.look.randomised_p;
    if (pair_result.adjusted > design_.terms.alpha) return false;
    if (standings_.size() == 1) return true; // the rule has tested this only comparison
    const double limit = rule_.limit_of_randomised_p(series_[index].values.size());
    pair_result.randomised_p =
        tests.p_of({.first = pair_result.first, .second = pair_result.second, .number = pair_result.headline}, limit);
    return pair_result.randomised_p <= limit;
}

bool Comparison::beats(std::size_t winner, std::size_t loser, std::size_t headline) const {
    return std::any_of(standings_.begin(), standings_.end(), [&](const PairResult& each) {
        return each.headline == headline && each.verdict == ComparisonVerdict::faster &&
               std::minmax(each.first, each.second) == std::minmax(winner, loser) && each.faster_format() == winner;
    });
}

std::vector<std::size_t> Comparison::fastest(std::size_t headline) const {
    std::vector<std::size_t> all(design_.formats);
    std::iota(all.begin(), all.end(), std::size_t{0});
    // A format that has almost no figures cannot be called the fastest if others can be compared.
    const auto has_figures = [&](std::size_t format) {
        return std::any_of(standings_.begin(), standings_.end(), [&](const PairResult& each) {
            return each.headline == headline && (each.first == format || each.second == format) &&
                   each.look.blocks >= fewest_blocks;
        });
    };
    if (std::any_of(all.begin(), all.end(), has_figures))
        std::erase_if(all, [&](std::size_t format) { return !has_figures(format); });
    const auto without_those_beaten_by = [&](const std::vector<std::size_t>& winners) {
        std::vector<std::size_t> rest = all;
        std::erase_if(rest, [&](std::size_t format) {
            return std::any_of(winners.begin(), winners.end(),
                               [&](std::size_t winner) { return beats(winner, format, headline); });
        });
        return rest;
    };
    // A format that is beaten only by a beaten format may still be as fast as the fastest.
    return without_those_beaten_by(without_those_beaten_by(all));
}

bool Comparison::same_among(std::span<const std::size_t> formats, std::size_t headline) const {
    const auto is_among = [&](std::size_t format) {
        return std::find(formats.begin(), formats.end(), format) != formats.end();
    };
    return std::all_of(standings_.begin(), standings_.end(), [&](const PairResult& each) {
        return each.headline != headline || !is_among(each.first) || !is_among(each.second) ||
               each.verdict == ComparisonVerdict::same;
    });
}

} // namespace mediarig::measure::comparison
