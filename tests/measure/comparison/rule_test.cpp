// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/rule.hpp"

#include <cmath>
#include <limits>

#include "host/measure/comparison/estimate.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;
using Values = std::vector<double>;

namespace {

const Terms usual{};

/// Values alternately `scatter` above and below `mean`.
Values alternating(std::size_t count, double mean, double scatter) {
    Values values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(mean + (i % 2 == 0 ? scatter : -scatter));
    return values;
}

} // namespace

TEST_CASE("invalid terms of a comparison are refused with the reason") {
    struct Row {
        Terms terms;
        std::string says;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    const Row rows[] = {
        {{.budget = 3}, "a budget of 3 blocks: it must be 4 to 60; fewer than 4 decide nothing"},
        {{.budget = 0}, "a budget of 0 blocks: it must be 4 to 60; fewer than 4 decide nothing"},
        {{.budget = 61}, "a budget of 61 blocks: it must be 4 to 60; fewer than 4 decide nothing"},
        {{.margin = 0}, "a margin of 0: it must be above 0 and below 1, such as 0.05 for 5 %"},
        {{.margin = 5}, "a margin of 5: it must be above 0 and below 1, such as 0.05 for 5 %"},
        {{.margin = nan}, "a margin of nan: it must be above 0 and below 1, such as 0.05 for 5 %"},
        {{.alpha = 0}, "an alpha of 0: it must be 0.0001 or more and below 0.5, such as 0.05"},
        {{.alpha = 1e-300}, "an alpha of 1e-300: it must be 0.0001 or more and below 0.5, such as 0.05"},
        {{.alpha = 0.5}, "an alpha of 0.5: it must be 0.0001 or more and below 0.5, such as 0.05"},
        {{.quantum = -0.01}, "a quantum of -0.01: it must be 0 or more and below 1, as parts of a rate"},
        {{.quantum = infinite}, "a quantum of inf: it must be 0 or more and below 1, as parts of a rate"},
    };
    for (const Row& row : rows) {
        CHECK(reason(check(row.terms)) == row.says);
        CHECK(check(row.terms).error().code == Errc::bad_request);
    }
    for (const std::size_t budget : {4U, 12U, 60U}) CHECK(check(Terms{.budget = budget}));
    CHECK(check(Terms{.budget = std::nullopt}));
    CHECK(check(Terms{.budget = 60, .alpha = 0.0001}));
    const Rule strict(Terms{.budget = 60, .alpha = 0.0001});
    CHECK(strict.fewest_for_a_difference() == 19);
    CHECK(strict.look(Values(16, 0.5), 44).call == Call::open);
    CHECK(strict.look(Values(24, 0.5), 36).call == Call::difference);
}

TEST_CASE("fewer than four blocks give no decision, however clear the difference is") {
    const Rule rule(usual);
    for (std::size_t count = 0; count < 4; ++count) {
        const Look look = rule.look(Values(count, 3.0), 12 - count);
        CHECK(look.call == Call::open);
        CHECK(look.blocks == count);
        CHECK(look.nominal_p == 1);
        CHECK_FALSE(rule.more_blocks(look));
    }
}

TEST_CASE("fewer than six blocks give no difference, however clear") {
    const Rule rule(usual);
    CHECK(rule.fewest_for_a_difference() == fewest_for_difference);
    for (const std::size_t count : {4U, 5U}) {
        const Look look = rule.look(Values(count, 3.0), 12 - count);
        CHECK(look.excludes_zero());
        CHECK(look.call == Call::open);
        CHECK(look.nominal_p == 1);
    }
    const Look look = rule.look(Values(6, 3.0), 6);
    CHECK(look.call == Call::difference);
    CHECK(look.randomised_p == Approx(1.0 / 32));
    CHECK(Rule(Terms{.alpha = 0.01}).fewest_for_a_difference() == 10);
}

TEST_CASE("on a medium with two levels, at most 5 % of all orders of the blocks lead to a difference") {
    // In each block, one pass is fast and the other slow, so the order decides the sign of the value.
    for (const std::size_t budget : {8U, 10U, 12U}) {
        CAPTURE(budget);
        const Rule rule(Terms{.budget = budget});
        // An exchange in all blocks changes only the sign of the difference, so the first block keeps its order.
        const std::size_t orders = std::size_t{1} << (budget - 1);
        std::size_t differences = 0;
        for (std::size_t pattern = 0; pattern < orders; ++pattern) {
            Values values;
            for (std::size_t block = 0; block < budget; ++block) {
                const double value = 0.16 + 0.002 * static_cast<double>(block * 7 % budget);
                values.push_back((pattern << 1 >> block) % 2 == 0 ? value : -value);
                if (rule.look(values, budget - block - 1).call == Call::difference) {
                    ++differences;
                    break;
                }
            }
        }
        CHECK(differences > 0);
        CHECK(20 * differences <= orders);
    }
}

TEST_CASE("an undecided comparison ends with its budget, or when failures leave fewer than four possible blocks") {
    const Rule rule(usual);
    const Values scattered = alternating(12, 0.03, 0.08);
    CHECK(rule.look(std::span(scattered).first(5), 7).call == Call::open);
    CHECK(rule.look(scattered, 0).call == Call::budget);
    CHECK(rule.look(Values(2, 0.0), 0).call == Call::budget);
    CHECK(rule.look(Values(2, 0.0), 1).call == Call::hopeless);
    CHECK(rule.look(Values(2, 0.0), 2).call == Call::open);
}

TEST_CASE("a comparison of at least six blocks is hopeless if the remaining budget is unlikely to decide it") {
    const Rule rule(usual);
    const Values wild = alternating(6, 0.0, 1.5);
    CHECK(rule.look(std::span(wild).first(5), 7).call == Call::open);
    const Look look = rule.look(wild, 6);
    CHECK(look.call == Call::hopeless);
    CHECK(look.chance < 0.1);
    CHECK_FALSE(rule.more_blocks(look));
    SECTION("a comparison of the same blocks with less scatter continues") {
        const Look calmer = rule.look(alternating(6, 0.0, 0.045), 6);
        CHECK(calmer.call == Call::open);
        CHECK(calmer.chance > 0.1);
        CHECK(rule.more_blocks(calmer).value() > 0);
    }
}

TEST_CASE("the difference and the interval change sign with the values") {
    const Rule rule(usual);
    const Look up = rule.look({Values{.10, .11, .09, .10, .105, .095}}, 6),
               down = rule.look({Values{-.10, -.11, -.09, -.10, -.105, -.095}}, 6);
    CHECK(up.call == Call::difference);
    CHECK(down.call == Call::difference);
    CHECK(up.from() == Approx(-down.to()));
    CHECK(up.to() == Approx(-down.from()));
    CHECK(up.nominal_p == Approx(down.nominal_p));
}

TEST_CASE("a smaller alpha widens the interval, and a small budget narrows it") {
    const Values values = alternating(8, 0.02, 0.03);
    const double usual_width = Rule(usual).look(values, 4).half_width;
    CHECK(Rule(Terms{.alpha = 0.01}).look(values, 4).half_width > usual_width);
    CHECK(Rule(Terms{.budget = 8}).look(values, 0).half_width < usual_width);
}

TEST_CASE("equality is decided by the 90 % interval, and after fewer blocks with a wider margin") {
    // The margin is between the limits of the two intervals: only the wider interval exceeds it.
    const Values values = alternating(6, 0.0, 0.03);
    const Look look = Rule(usual).look(values, 6);
    const double error = look.mean.error;
    const double wide = t_critical(difference_level(12, 0.05), 5) * error,
                 narrow = t_critical(nominal_level(12, 0.10), 5) * error;
    CHECK(look.half_width == Approx(wide));
    const double between = std::expm1((wide + narrow) / 2);
    CHECK(Rule(Terms{.margin = between}).look(values, 6).call == Call::same);
    CHECK(Rule(Terms{.margin = std::expm1(narrow * 0.99)}).look(values, 6).call != Call::same);
}

TEST_CASE("the interval of quantised figures without noise includes the complete step") {
    const Rule stepped(Terms{.quantum = 0.01});
    const double critical = t_critical(difference_level(12, 0.05), 3);
    const Look still = stepped.look(Values(4, 0.03), 8);
    CHECK(still.half_width == Approx(critical * 0.01 / std::sqrt(24) + 0.01));
    const Values stirred = alternating(4, 0.03, 0.02);
    CHECK(stepped.look(stirred, 8).half_width == Approx(critical * mean_of(stirred).error));
    SECTION("a difference below the step is not reported") {
        CHECK(stepped.look(Values(4, 0.0099), 8).nominal_p == 1);
        CHECK(stepped.look(Values(4, 0.0099), 8).call != Call::difference);
    }
}

TEST_CASE("blocks that agree to the last digit do not prove a difference in that digit") {
    const Rule rule(usual);
    CHECK(rule.look(Values(4, 1e-9), 8).call == Call::same);
    CHECK(rule.look(Values(4, 0.0), 8).call == Call::same);
    CHECK(rule.look(Values(6, 0.01), 6).call == Call::difference);
}

TEST_CASE("a comparison without a budget is never hopeless and needs more blocks for a difference") {
    const Rule endless(Terms{.budget = std::nullopt});
    CHECK(endless.look(alternating(6, 0.0, 0.5), 0).call == Call::open);
    const Values clear = alternating(6, 0.05, 0.004);
    CHECK(Rule(usual).look(clear, 6).call == Call::difference);
    const Look look = endless.look(clear, 0);
    CHECK(look.half_width > Rule(usual).look(clear, 6).half_width);
    CHECK(endless.look(alternating(12, 0.05, 0.004), 0).call == Call::difference);
    CHECK(endless.look(alternating(12, 0.0, 0.004), 0).call == Call::same);
    CHECK_FALSE(endless.more_blocks(look));
    CHECK(endless.overall(0.02) == 0.02);
}
