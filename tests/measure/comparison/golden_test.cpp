// SPDX-License-Identifier: GPL-3.0-or-later
/// Published examples, and figures computed independently of this code.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "host/measure/comparison/comparison.hpp"
#include "host/measure/comparison/endless.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/families.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/measure/counterbalance.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;

namespace {

/// Student, "The probable error of a mean", Biometrika 6, 1908: hours of sleep with one drug minus hours with the other
/// (R: sleep).
const std::vector<double> sleep_hours{-1.2, -2.4, -1.3, -1.3, 0, -1, -1.8, -.8, -4.6, -1.4};

/// Wilcox, "Introduction to Robust Estimation and Hypothesis Testing" (WRS2: timevec).
const std::vector<double> timevec{77,  87,  88,  114, 151, 210, 219, 246,  253, 262,
                                  296, 299, 306, 376, 428, 515, 666, 1310, 2611};

Approx near(double value, double margin) {
    return Approx(value).margin(margin).epsilon(0);
}

double half_width(const Estimate& of, double level) {
    return t_critical(level, of.freedom) * of.error;
}

/// Returns the winsorised variance, computed from the standard error in Yuen's convention: its square times h (h - 1) /
/// (n - 1).
double winsorised_variance(const Estimate& of, double n) {
    const double h = of.freedom + 1;
    return of.error * of.error * h * (h - 1) / (n - 1);
}

/// p values of two one-sided tests: that the centre is not above -margin, and that it is not below +margin.
std::pair<double, double> two_one_sided(const Estimate& of, double margin) {
    const auto above = [&](double t) {
        return t > 0 ? t_two_sided(t, of.freedom) / 2 : 1 - t_two_sided(t, of.freedom) / 2;
    };
    return {above((of.value + margin) / of.error), above((margin - of.value) / of.error)};
}

double percent(double logarithm) {
    return 100 * std::expm1(logarithm);
}

/// Blocks of two formats in the order AB BA AB BA …
Comparison compared(const std::vector<std::pair<double, double>>& rates, const Terms& terms) {
    Comparison comparison({.formats = 2, .terms = terms});
    for (std::size_t i = 0; i < rates.size(); ++i) {
        std::vector<Pass> block{{.format = 0, .figures = {rates[i].first}},
                                {.format = 1, .figures = {rates[i].second}}};
        if (i % 2 == 1) std::reverse(block.begin(), block.end());
        comparison.add(block);
    }
    return comparison;
}

const std::vector<std::string> two_names{"exFAT", "HFS+"};

} // namespace

TEST_CASE("Student 1908: mean, interval, t and p agree with the publication") {
    const Estimate mean = mean_of(sleep_hours);
    CHECK(mean.value / mean.error == near(-4.0621, 5e-5));
    CHECK(mean.freedom == 9);
    CHECK(t_two_sided(mean.value / mean.error, mean.freedom) == near(0.002833, 5e-7));
    CHECK(mean.value - half_width(mean, 0.05) == near(-2.4598858, 5e-8));
    CHECK(mean.value + half_width(mean, 0.05) == near(-0.7001142, 5e-8));
    CHECK(mean.value - half_width(mean, 0.10) == near(-2.293005, 5e-7));
    CHECK(mean.value + half_width(mean, 0.10) == near(-0.866995, 5e-7));
    const auto wide = two_one_sided(mean, 3);
    CHECK(wide.first == near(0.0026556, 5e-8));
    CHECK(wide.second == near(4.52e-7, 5e-10));
    CHECK(two_one_sided(mean, 0.5).first == near(0.98924, 5e-6));
}

TEST_CASE("Student 1908: trimmed mean and both repeated intervals for a budget of 12 are correct") {
    const Estimate mean = mean_of(sleep_hours), trimmed = trimmed_mean_of(sleep_hours, usual_cut(10));
    CHECK(trimmed.value == near(-1.333333, 5e-7));
    CHECK(trimmed.error == near(0.182939, 5e-7));
    CHECK(trimmed.freedom == 5);
    CHECK(trimmed.value - half_width(trimmed, 0.05) == near(-1.803593, 5e-7));
    CHECK(trimmed.value + half_width(trimmed, 0.05) == near(-0.863074, 5e-7));
    const double level = nominal_level(12, 0.05);
    CHECK(t_critical(level, 9) == near(3.514111, 5e-7));
    CHECK(t_critical(level, 5) == near(4.470536, 5e-7));
    CHECK(mean.value - half_width(mean, level) == near(-2.946845, 1e-6));
    CHECK(mean.value + half_width(mean, level) == near(-0.213156, 5e-7));
    const Look look = Rule(Terms{.budget = 12}).look(sleep_hours, 2);
    CHECK(look.by_trimmed);
    CHECK(t_critical(difference_level(12, 0.05), 5) == near(4.046019, 5e-7));
    CHECK(look.from() == near(-2.073508, 5e-7));
    CHECK(look.to() == near(-0.593159, 5e-7));
    CHECK(look.randomised_p > 0.05 * 0.26); // 10 of 512 orders; the count ends above the limit, 6
    CHECK(look.call == Call::open);
}

TEST_CASE("Student 1908: the interval for an unlimited number of blocks is wider and does not decide yet") {
    CHECK(endless_evidence(sleep_hours) == near(16.6088, 5e-5));
    CHECK(endless_half_width(sleep_hours, 0.05).value() == near(1.626887, 5e-7));
    const Look look = Rule(Terms{.budget = std::nullopt}).look(sleep_hours, 0);
    CHECK(look.call == Call::open);
    CHECK(look.from() == near(-1.58 - 1.626888, 2e-6));
    CHECK(look.nominal_p == near(1 / 16.6088, 1e-6));
}

TEST_CASE("Wilcox, timevec: trimmed means and winsorised variances agree with the publication") {
    const Estimate one = trimmed_mean_of(timevec, 1), three = trimmed_mean_of(timevec, usual_cut(19));
    CHECK(one.value == near(342.705882, 5e-7));
    CHECK(winsorised_variance(one, 19) == near(129679.029240, 5e-6));
    CHECK(one.error == near(92.637468, 5e-7));
    CHECK(three.value == near(283, 0.5));
    CHECK(winsorised_variance(three, 19) == near(21551.4, 0.05));
    CHECK(three.error == near(49.866854, 5e-7));
}

TEST_CASE("Williams rows agree with those of the R package crossdes") {
    // The rows are equal, but here each row is followed by its mirror image.
    const auto three = measure::counterbalanced(3, 6);
    const std::set<std::vector<std::size_t>> published{{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                                       {2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
    CHECK(std::set(three.begin(), three.end()) == published);
    const auto ten = measure::counterbalanced(10, 10);
    CHECK(ten.front() == std::vector<std::size_t>{0, 1, 9, 2, 8, 3, 7, 4, 6, 5});
    for (std::size_t step = 0; step < 5; ++step) {
        std::vector<std::size_t> expected = ten.front();
        for (std::size_t& thing : expected) thing = (thing + step) % 10;
        CHECK(ten[2 * step] == expected);
    }
}

TEST_CASE("Benjamini and Hochberg 1995: claims by Holm's rule and by the false discovery rate agree with the paper") {
    const std::vector<double> p{.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                                .0459, .324,  .4262, .5719, .6528, .759,  1};
    const auto by_holm = holm(p), by_rate = benjamini_hochberg(p);
    CHECK(by_holm[0] == near(.0015, 1e-9));
    CHECK(by_holm[1] == near(.0056, 1e-9));
    CHECK(by_holm[2] == near(.0247, 1e-9));
    CHECK(by_holm[3] == near(.114, 1e-9));
    const auto at_5_percent = [](const std::vector<double>& adjusted) {
        return std::count_if(adjusted.begin(), adjusted.end(), [](double each) { return each <= 0.05; });
    };
    CHECK(at_5_percent(by_holm) == 3);
    CHECK(at_5_percent(by_rate) == 4);
}

TEST_CASE("six blocks decide a comparison of exFAT with HFS+ on a card") {
    const std::vector<std::pair<double, double>> rates{{61.2, 57.9}, {60.4, 58.4}, {61.9, 58.2},
                                                       {60.1, 57.1}, {61.5, 58.3}, {60.7, 57.7}};
    CHECK_FALSE(compared({rates.begin(), rates.end() - 1}, {.budget = 12}).ended());
    const auto comparison = compared(rates, {.budget = 12});
    const PairResult& pair_result = comparison.pair_results().front();
    CHECK(comparison.ended());
    CHECK(pair_result.verdict == ComparisonVerdict::faster);
    CHECK(pair_result.faster_format() == 0);
    std::vector<double> first;
    for (const auto& [a, b] : {rates[0], rates[1], rates[2], rates[3]}) first.push_back(std::log(a / b));
    const Look early = Rule(Terms{.budget = 12}).look(first, 8);
    CHECK(early.mean.value == near(.050486, 5e-7));
    CHECK(early.mean.error == near(.005999, 5e-7));
    CHECK(early.excludes_zero());
    CHECK(early.call == Call::open);
    CHECK(t_critical(nominal_level(12, 0.05), 3) == near(6.773503, 5e-7));
    CHECK(percent(pair_result.look.counts().value) == near(5.41, 0.005));
    CHECK(percent(pair_result.look.from()) == near(4.51, 0.005));
    CHECK(percent(pair_result.look.to()) == near(6.32, 0.005));
    CHECK(pair_result.overall_p == near(0.000538, 1e-6));
    CHECK(pair_result.look.randomised_p == near(0.03125, 1e-9));
    CHECK(text_of(pair_result, comparison, two_names) ==
          "exFAT faster by 5.4 % [4.5, 6.3], 12 passes, overall p 0.0005");
}

TEST_CASE("the trimmed mean decides for a card with a spike, and the plain mean is also reported") {
    std::vector<double> values;
    for (const auto& [a, b] : std::vector<std::pair<double, double>>{
             {61.2, 57.9}, {60.4, 58.6}, {61.9, 58.2}, {60.1, 57.1}, {61.0, 49.0}, {60.7, 57.7}})
        values.push_back(std::log(a / b));
    const Rule rule(Terms{.budget = 12});
    const Look look = rule.look(values, 6);
    CHECK(look.mean.value == near(.078044, 5e-7));
    CHECK(look.mean.error == near(.028529, 5e-7));
    CHECK(look.trimmed.value == near(.054739, 5e-7));
    CHECK(look.trimmed.error == near(.003410, 5e-7));
    CHECK(look.trimmed.freedom == 3);
    CHECK(look.by_trimmed);
    CHECK(percent(look.counts().value) == near(5.63, 0.005));
    CHECK(percent(look.from()) == near(3.53, 0.005));
    CHECK(percent(look.to()) == near(7.76, 0.005));
    CHECK(overall_p(12, look.nominal_p) == near(0.00626, 5e-6));
    CHECK(rule.overall(look.nominal_p) == near(0.004473, 5e-6));
    CHECK(look.randomised_p > rule.limit_of_randomised_p(6)); // 2 of 32 orders
    CHECK(look.call == Call::open);
    const Comparison family({.formats = 2, .terms = {.budget = 12}});
    PairResult pair_result{
        .first = 0, .second = 1, .verdict = ComparisonVerdict::faster, .look = look, .adjusted = 0.00626};
    CHECK(text_of(pair_result, family, two_names) ==
          "exFAT faster by 5.6 % [3.5, 7.8], 12 passes, overall p 0.006; the plain mean is 8.1 %");
}

TEST_CASE("four nearly equal blocks decide that formats are the same within the margin") {
    const Rule rule(Terms{.budget = 12});
    const Look look = rule.look(std::vector<double>{.012, -.008, .004, -.002}, 8);
    CHECK(look.call == Call::same);
    CHECK(percent(look.from()) == near(-2.33, 0.005));
    CHECK(percent(look.to()) == near(2.69, 0.005));
}

TEST_CASE(
    "after six scattered blocks a comparison continues, with an even chance of a decision and about seven more "
    "blocks") {
    const Rule rule(Terms{.budget = 12});
    const Look look = rule.look(std::vector<double>{.03, -.02, .05, .01, -.04, .06}, 6);
    CHECK(look.call == Call::open);
    CHECK(look.chance == near(0.5147, 5e-5));
    CHECK(rule.more_blocks(look) == 7);
}

TEST_CASE("the interval of constant or quantised values is at least as wide as their resolution") {
    const std::vector<double> fifty(6, .05), five(4, .005);
    const Look exact = Rule(Terms{.budget = 12}).look(fifty, 6);
    CHECK(exact.call == Call::difference);
    CHECK(percent(exact.from()) == near(5.12668, 5e-5));
    CHECK(percent(exact.to()) == near(5.12753, 5e-5));
    const Rule stepped(Terms{.budget = 12, .quantum = 0.01});
    const Look coarse = stepped.look(fifty, 6);
    CHECK(percent(coarse.from()) == near(3.3816, 5e-4));
    CHECK(percent(coarse.to()) == near(6.9021, 5e-4));
    CHECK(stepped.look(five, 8).call == Call::same);
}

TEST_CASE("levels between the columns of the table are interpolated") {
    CHECK(overall_p(12, .0004) == near(.00499, 5e-6));
    CHECK(overall_p(12, .3) == near(.545, 5e-4));
    CHECK(difference_p(12, .0004) == near(.003564, 5e-6));
    CHECK(difference_p(12, difference_level(12, .05)) == near(.05, 1e-9));
    CHECK(difference_p(6, .9) >= .9);
}
