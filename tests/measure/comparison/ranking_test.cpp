// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/ranking.hpp"

#include <cmath>

#include "host/measure/comparison/estimate.hpp"
#include "tests/catch.hpp"

using namespace mediarig::measure::comparison;

namespace {

/// Values with a scatter of about one per cent.
std::vector<double> about(double rate) {
    return {rate * 0.99, rate * 1.01, rate, rate * 0.995, rate * 1.005};
}

std::vector<std::vector<std::size_t>> members_of(const Ranking& ranking) {
    std::vector<std::vector<std::size_t>> all;
    for (const RankGroup& group : ranking.groups) all.push_back(group.members);
    return all;
}

} // namespace

TEST_CASE("compare_samples() gives the interval of Welch's test") {
    // Differences of the means 0.5; variances of the means 1/24 and 1/6; freedom (5/24)^2 / (1/24^2 / 3 + 1/6^2 / 3).
    const double first[] = {1, 1.5, 2, 1.5}, second[] = {0, 1, 2, 1};
    const SamplePair pair = compare_samples(first, second, 4);
    CHECK(pair.value == Approx(0.5));
    const double freedom = 75.0 / 17.0;
    CHECK(pair.half_width == Approx(t_critical(0.05, freedom) * std::sqrt(5.0 / 24)));
    CHECK(pair.same_half_width == Approx(t_critical(0.1, freedom) * std::sqrt(5.0 / 24)));
    CHECK(pair.p == Approx(t_two_sided(0.5 / std::sqrt(5.0 / 24), freedom)));
}

TEST_CASE("compare_samples() gives no interval for too few values") {
    const double first[] = {1, 2, 3}, second[] = {0, 0, 0, 0};
    const SamplePair pair = compare_samples(first, second, 4);
    CHECK(pair.value == Approx(2));
    CHECK(std::isinf(pair.half_width));
    CHECK(std::isinf(pair.same_half_width));
    CHECK(pair.p == 1);
}

TEST_CASE("ranking_of() separates samples that differ and groups samples that cannot be distinguished") {
    const std::vector<std::vector<double>> rates{about(40), about(90), about(40.1), about(60)};
    const Ranking ranking = ranking_of(rates);
    CHECK(ranking.claims);
    CHECK(members_of(ranking) == std::vector<std::vector<std::size_t>>{{1}, {3}, {2, 0}});
    CHECK(ranking.groups[2].alike);
}

TEST_CASE("ranking_of() keeps samples together that a third sample connects") {
    // The second sample scatters so much that it differs from neither neighbour, which differ from each other.
    const std::vector<std::vector<double>> rates{about(90), {60, 70, 100, 110, 80}, about(80)};
    const Ranking ranking = ranking_of(rates);
    CHECK(members_of(ranking) == std::vector<std::vector<std::size_t>>{{0, 1, 2}});
    CHECK_FALSE(ranking.groups[0].alike);
}

TEST_CASE("ranking_of() orders samples of few values without a claim") {
    const std::vector<std::vector<double>> rates{{40}, {90}, about(60)};
    const Ranking ranking = ranking_of(rates);
    CHECK_FALSE(ranking.claims);
    CHECK(members_of(ranking) == std::vector<std::vector<std::size_t>>{{1}, {2}, {0}});
}

TEST_CASE("ranking_of() accepts a single sample, and no sample") {
    CHECK(ranking_of({}).groups.empty());
    const std::vector<std::vector<double>> one{about(1)};
    CHECK(members_of(ranking_of(one)) == std::vector<std::vector<std::size_t>>{{0}});
}
