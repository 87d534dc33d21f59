// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/measure/comparison/endless.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/randomisation.hpp"

namespace mediarig::measure::comparison {
namespace {

/// Fewer blocks give too little information about the scatter to call a comparison hopeless.
constexpr std::size_t fewest_for_futility = 6;
constexpr double hopeless_below = 0.10;
constexpr std::size_t most_forecast = 1000;
/// Levels below the table's columns are extrapolated; levels smaller than this were not simulated.
constexpr double smallest_alpha = 0.0001;

/// The scatter of future blocks is estimated from the past ones, so it has fewer degrees of freedom.
double forecast_freedom(std::size_t blocks) {
    return std::max(0.8 * static_cast<double>(blocks) - 1, 2.0);
}

/// The scatter of one block, from the error over all blocks.
double scatter_of(const Look& look) {
    return look.counts().error * std::sqrt(static_cast<double>(look.blocks));
}

std::size_t looks_up_to(const Terms& terms) {
    return terms.budget.value_or(most_blocks);
}

} // namespace

Result<void> check(const Terms& terms) {
    if (terms.budget && (*terms.budget < fewest_blocks || *terms.budget > most_blocks))
        return fail(Errc::bad_request,
                    fmt::format("a budget of {} blocks: it must be {} to {}; fewer than {} decide nothing",
                                *terms.budget, fewest_blocks, most_blocks, fewest_blocks));
    if (!(terms.margin > 0 && terms.margin < 1))
        return fail(Errc::bad_request,
                    fmt::format("a margin of {}: it must be above 0 and below 1, such as 0.05 for 5 %", terms.margin));
    if (!(terms.alpha >= smallest_alpha && terms.alpha < 0.5))
        return fail(Errc::bad_request, fmt::format("an alpha of {}: it must be {} or more and below 0.5, such as 0.05",
                                                   terms.alpha, smallest_alpha));
    if (!(terms.quantum >= 0 && terms.quantum < 1))
        return fail(
            Errc::bad_request,
            fmt::format("a quantum of {}: it must be 0 or more and below 1, as parts of a rate", terms.quantum));
    return {};
}

Rule::Rule(const Terms& terms)
    : terms_(terms),
      margin_(std::log1p(terms.margin)),
      fewest_for_difference_(fewest_for_difference_at(looks_up_to(terms), terms.alpha)),
      difference_(level(terms.alpha, difference_level(looks_up_to(terms), terms.alpha))),
      same_(level(2 * terms.alpha, nominal_level(looks_up_to(terms), 2 * terms.alpha))) {}

Rule::Level Rule::level(double overall, double nominal) const {
    Level level{.overall = overall, .nominal = overall, .critical = {}};
    if (!terms_.budget) return level;
    level.nominal = nominal;
    level.critical.resize(*terms_.budget);
    for (std::size_t freedom = 1; freedom < level.critical.size(); ++freedom)
        level.critical[freedom] = t_critical(level.nominal, static_cast<double>(freedom));
    return level;
}

double Rule::overall(double smallest_nominal_p) const {
    return terms_.budget ? difference_p(*terms_.budget, smallest_nominal_p) : smallest_nominal_p;
}

double Rule::limit_of_randomised_p(std::size_t blocks) const {
    return randomisation_limit(looks_up_to(terms_), blocks, terms_.alpha);
}

bool Rule::is_no_coincidence(std::span<const double> values, Look& look) const {
    if (values.size() < fewest_for_difference_) return false;
    const double limit = limit_of_randomised_p(values.size());
    look.randomised_p = sign_flip_p(values, terms_.quantum, limit);
    return look.randomised_p <= limit;
}

Look Rule::look(std::span<const double> values, std::size_t left) const {
    Look look{.blocks = values.size()};
    if (values.size() >= fewest_blocks) {
        look.mean = mean_of(values);
        look.trimmed = trimmed_mean_of(values, usual_cut(values.size()));
        terms_.budget ? judge(values, look) : judge_endless(values, look);
    }
    if (!terms_.budget || look.call != Call::open) return look;
    const std::size_t last = values.size() + left;
    if (left == 0)
        look.call = Call::budget;
    else if (last < fewest_blocks)
        look.call = Call::hopeless;
    else if (values.size() >= fewest_blocks && !look.excludes_zero()) {
        look.chance = predicted(look, last);
        if (values.size() >= fewest_for_futility && look.chance < hopeless_below) look.call = Call::hopeless;
    }
    return look;
}

void Rule::judge(std::span<const double> values, Look& look) const {
    const Centre centre = centre_of(values, terms_.quantum);
    look.mean = centre.mean;
    look.trimmed = centre.trimmed;
    if (values.size() >= fewest_for_difference_) look.nominal_p = nominal_p(centre);
    const auto half_width = [&](const Level& at, const Estimate& of) {
        return at.critical[static_cast<std::size_t>(of.freedom)] * of.error + centre.unstirred;
    };
    look.by_trimmed = half_width(difference_, look.trimmed) < half_width(difference_, look.mean);
    look.half_width = half_width(difference_, look.counts());
    const bool trimmed_is_shorter = half_width(same_, look.trimmed) < half_width(same_, look.mean);
    const Estimate& for_same = trimmed_is_shorter ? look.trimmed : look.mean;
    look.same_from = for_same.value - half_width(same_, for_same);
    look.same_to = for_same.value + half_width(same_, for_same);
    if (look.excludes_zero())
        look.call = is_no_coincidence(values, look) ? Call::difference : Call::open;
    else if (std::max(-look.same_from, look.same_to) < margin_)
        look.call = Call::same;
}

void Rule::judge_endless(std::span<const double> values, Look& look) const {
    look.nominal_p = std::min(1.0, 1 / endless_evidence(values));
    const double unresolved = std::max(resolution, terms_.quantum);
    const auto narrow = endless_half_width(values, terms_.alpha), wide = endless_half_width(values, 2 * terms_.alpha);
    look.half_width = narrow ? *narrow + unresolved : HUGE_VAL;
    const double for_same = wide ? *wide + unresolved : HUGE_VAL;
    look.same_from = look.mean.value - for_same;
    look.same_to = look.mean.value + for_same;
    if (look.excludes_zero())
        look.call = is_no_coincidence(values, look) ? Call::difference : Call::open;
    else if (std::abs(look.mean.value) + for_same < margin_)
        look.call = Call::same;
}

double Rule::predicted(const Look& look, std::size_t last) const {
    const double m = look.counts().value, s = scatter_of(look);
    const auto n = static_cast<double>(look.blocks), end = static_cast<double>(last);
    const double u = s * std::sqrt(1 / n - 1 / end);
    const double freedom = forecast_freedom(last);
    const double half =
        last < fewest_for_difference_ ? HUGE_VAL : t_critical(difference_.nominal, freedom) * s / std::sqrt(end);
    const double within = margin_ - t_critical(same_.nominal, freedom) * s / std::sqrt(end);
    double chance = normal_cdf((m - half) / u) + normal_cdf((-m - half) / u);
    if (within > 0) chance += std::max(0.0, normal_cdf((within - m) / u) - normal_cdf((-within - m) / u));
    return chance;
}

std::optional<std::size_t> Rule::more_blocks(const Look& look) const {
    if (!terms_.budget || look.blocks < fewest_blocks) return std::nullopt;
    const double m = std::abs(look.counts().value), s = scatter_of(look);
    const auto enough = [&](std::size_t blocks) {
        const double over = s / std::sqrt(static_cast<double>(blocks)), freedom = forecast_freedom(blocks);
        return (blocks >= fewest_for_difference_ && m > t_critical(difference_.nominal, freedom) * over) ||
               t_critical(same_.nominal, freedom) * over < margin_ - m;
    };
    std::size_t low = look.blocks, high = look.blocks + most_forecast;
    if (!enough(high)) return std::nullopt;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (enough(middle) ? high : low) = middle;
    }
    return high - look.blocks;
}

double uneven_p(const Failures& failures) {
    const std::size_t all = failures.first_only + failures.second_only;
    const std::size_t more = std::max(failures.first_only, failures.second_only);
    double ways = 1, tail = 0; // number of ways to choose i of all blocks
    for (std::size_t i = 0; i <= all; ++i) {
        if (i >= more) tail += ways;
        ways *= static_cast<double>(all - i) / static_cast<double>(i + 1);
    }
    return std::min(1.0, 2 * tail * std::pow(0.5, static_cast<double>(all)));
}

} // namespace mediarig::measure::comparison
