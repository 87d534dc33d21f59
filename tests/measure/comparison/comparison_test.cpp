// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/comparison.hpp"

#include <cmath>
#include <limits>

#include "host/measure/comparison/families.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/measure/counterbalance.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;
using Rates = std::vector<double>;

namespace {

const std::vector<std::string> three_names{"exFAT", "HFS+", "APFS"};

/// A block of formats 0, 1, … with these rates in that order. A negative rate is a failed pass.
std::vector<Pass> pass_block(const Rates& rates) {
    std::vector<Pass> passes;
    for (const double rate : rates)
        passes.push_back(rate < 0 ? Pass{.format = passes.size(), .figures = {}, .failed = true}
                                  : Pass{.format = passes.size(), .figures = {rate}});
    return passes;
}

Comparison after(const std::vector<Rates>& blocks, const Terms& terms = {}) {
    Comparison comparison({.formats = blocks.front().size(), .terms = terms});
    for (const Rates& rates : blocks) comparison.add(pass_block(rates));
    return comparison;
}

/// Blocks of two formats: the first is faster by about `parts`, with a scatter of `scatter`.
std::vector<Rates> blocks_with(double parts, double scatter, std::size_t count) {
    std::vector<Rates> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({100 * std::exp(std::log1p(parts) + (i % 2 == 0 ? scatter : -scatter)), 100});
    return all;
}

std::string says(const Comparison& comparison) {
    return text_of(comparison.pair_results().front(), comparison, three_names);
}

} // namespace

TEST_CASE("check() rejects one format, equal names and alpha out of range") {
    CHECK(reason(check(Design{.formats = 1})) == "one format cannot be compared: name two or more");
    CHECK(reason(check(Design{.formats = 9})) == "9 formats: at most 8 are compared at once");
    CHECK(reason(check(Design{.headlines = 0})) == "0 headline numbers: it must be 1 to 4");
    CHECK(reason(check(Design{.headlines = 5})) == "5 headline numbers: it must be 1 to 4");
    CHECK_THAT(reason(check(Design{.terms = {.budget = 2}})), ContainsSubstring("a budget of 2 blocks"));
    CHECK(check(Design{}));
}

TEST_CASE("a comparison ends with the deciding block, and later blocks do not change the result") {
    Comparison comparison = after(blocks_with(0.10, 0.005, 5));
    CHECK_FALSE(comparison.ended());
    CHECK(comparison.pair_results().front().verdict == ComparisonVerdict::open);
    comparison.add(pass_block({110, 100}));
    REQUIRE(comparison.ended());
    CHECK(comparison.pair_results().front().verdict == ComparisonVerdict::faster);
    CHECK(comparison.pair_results().front().faster_format() == 0);
    CHECK(comparison.fastest(0) == std::vector<std::size_t>{0});
    for (int i = 0; i < 5; ++i) comparison.add(pass_block({50, 100}));
    CHECK(comparison.blocks() == 6);
    CHECK(comparison.pair_results().front().verdict == ComparisonVerdict::faster);
}

TEST_CASE("the sentence names the second format if it is faster") {
    const Comparison comparison = after({{100, 110}, {100, 111}, {100, 109}, {100, 110}, {100, 111}, {100, 109}});
    CHECK(comparison.pair_results().front().faster_format() == 1);
    CHECK(says(comparison) == "HFS+ faster by 10.0 % [8.5, 11.5], 12 passes, overall p below 0.0001");
}

TEST_CASE("a significant small difference is reported as irrelevant") {
    const Comparison comparison = after(blocks_with(0.01, 0.0005, 6));
    CHECK(comparison.pair_results().front().too_little);
    CHECK(says(comparison) ==
          "exFAT faster by 1.0 % [0.9, 1.1], 12 passes, overall p below 0.0001, too little to matter");
    CHECK_FALSE(after(blocks_with(0.10, 0.0005, 6)).pair_results().front().too_little);
}

TEST_CASE("the sentences about equal and undecided comparisons contain interval and number of passes") {
    CHECK(says(after({{101.2, 100}, {99.2, 100}, {100.4, 100}, {99.8, 100}})) ==
          "same within 5 %: between -2.3 and +2.7 % (8 passes)");
    std::vector<Rates> scattered;
    for (const double value : {.03, -.02, .05, .01, -.04, .06}) scattered.push_back({100 * std::exp(value), 100});
    const Comparison open = after(scattered);
    CHECK(says(open) == "undecided after 12 passes (6 blocks): between -4.9 and +8.3 %; about 7 more blocks");
    CHECK_FALSE(open.ended());
    const Comparison hopeless = after(blocks_with(0, 0.5, 6));
    CHECK(hopeless.ended());
    CHECK(hopeless.pair_results().front().verdict == ComparisonVerdict::hopeless);
    CHECK_THAT(says(hopeless), ContainsSubstring("undecided after 12 passes (6 blocks): between -"));
    CHECK(says(after({{100, 100}})) == "undecided after 2 passes (1 block): fewer than 4 blocks have both figures");
    CHECK(says(after({{-1, 100}})) == "undecided: no block has both figures; failed passes: exFAT 1, HFS+ 0");
    CHECK(short_text_of(hopeless.pair_results().front(), hopeless, three_names) ==
          "undecided; the rest of the budget would hardly help");
}

TEST_CASE("levels close to 100 % are printed with all their digits") {
    const std::vector<Rates> alike{{101.2, 100}, {99.2, 100}, {100.4, 100}, {99.8, 100}, {100, 100}, {100.5, 100}};
    const Comparison comparison = after(alike, {.budget = 6, .margin = 0.027, .alpha = 0.001});
    REQUIRE(comparison.pair_results().front().verdict == ComparisonVerdict::same);
    CHECK_THAT(says(comparison), ContainsSubstring(" at 99.8 %, ") && ContainsSubstring("; at 99.9 % between"));
}

TEST_CASE("the sentence reports that the needed blocks exceed any budget") {
    const Comparison loud = after(blocks_with(0.02, 0.2, 4), {.budget = 4});
    CHECK_THAT(says(loud),
               ContainsSubstring(" more blocks, and a budget has at most 60: measure without an end (“endless”)"));
    CHECK(percent_text(std::log(1.056)) == "+5.6");
    CHECK(percent_text(-HUGE_VAL) == "-100.0");
    CHECK(percent_text(1454) == "over +9999");
}

TEST_CASE("a comparison without a decision ends undecided when its budget is used up") {
    const Comparison comparison = after({{103, 100}, {98, 100}, {105, 100}, {101, 100}, {96, 100}}, {.budget = 5});
    CHECK(comparison.ended());
    CHECK(comparison.pair_results().front().verdict == ComparisonVerdict::out_of_budget);
}

TEST_CASE("a block with a failed pass is excluded from the figures, counted and not replaced") {
    const Comparison comparison =
        after({{110, 100}, {-1, 100}, {111, 100}, {109, -1}, {-1, -1}, {110, 100}, {109, 100}, {111, 100}, {110, 100}});
    const PairResult& pair_result = comparison.pair_results().front();
    CHECK(comparison.blocks() == 9);
    CHECK(pair_result.look.blocks == 6);
    CHECK(pair_result.verdict == ComparisonVerdict::faster);
    CHECK(pair_result.failures == Failures{.first = 2, .second = 2, .first_only = 1, .second_only = 1});
    CHECK_THAT(says(comparison), ContainsSubstring("; failed passes: exFAT 2, HFS+ 2"));
}

TEST_CASE("at least six failures of only one format are reported as uneven") {
    CHECK(uneven_p({.first_only = 6}) == Approx(0.03125));
    CHECK(uneven_p({.first_only = 5}) == Approx(0.0625));
    CHECK(uneven_p({.first_only = 1, .second_only = 1}) == 1);
    CHECK(uneven_p({}) == 1);
    const Comparison uneven = after(std::vector<Rates>(6, {100, -1}));
    CHECK_THAT(says(uneven), ContainsSubstring("; failed passes: exFAT 0, HFS+ 6, which is uneven (p 0.03)"));
    const Comparison even = after(std::vector<Rates>(6, {-1, -1}));
    CHECK_THAT(says(even), !ContainsSubstring("uneven"));
}

TEST_CASE("a medium that fails in block 7 of 12 is evaluated by its complete blocks before the budget ends") {
    std::vector<Rates> blocks{{103, 100}, {98, 100}, {105, 100}, {101, 100}, {96, 100}, {106, 100}};
    while (blocks.size() < 12) blocks.push_back({-1, -1});
    const Comparison comparison = after(blocks);
    CHECK(comparison.ended());
    CHECK(comparison.blocks() > 6);
    CHECK(comparison.pair_results().front().verdict == ComparisonVerdict::hopeless);
    CHECK(comparison.pair_results().front().look.blocks == 6);
    CHECK_THAT(says(comparison), ContainsSubstring("undecided after 12 passes (6 blocks): between "));
}

TEST_CASE("a comparison is hopeless when too few blocks remain for four blocks with figures") {
    std::vector<Rates> blocks(9, Rates{-1, -1});
    CHECK_FALSE(after(std::vector<Rates>(8, {-1, -1})).ended());
    CHECK(after(blocks).ended());
    CHECK(after(blocks).pair_results().front().verdict == ComparisonVerdict::hopeless);
}

TEST_CASE("blocks with a missing, zero, negative, infinite or NaN figure do not count") {
    const double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::optional<double> figure : {std::optional<double>(), {0.0}, {-5.0}, {infinite}, {nan}}) {
        Comparison comparison({});
        comparison.add(std::vector<Pass>{{.format = 0, .figures = {figure}}, {.format = 1, .figures = {100.0}}});
        CHECK(comparison.blocks() == 1);
        CHECK(comparison.pair_results().front().look.blocks == 0);
        CHECK(comparison.pair_results().front().failures == Failures{});
    }
}

TEST_CASE("the fastest of three formats is faster than each other format, otherwise a fastest group is named") {
    const std::vector<Rates> clear{{120, 100, 100},   {121, 101, 100}, {119, 99.5, 100}, {120, 100, 101},
                                   {121, 100, 100},   {120, 101, 100}, {119, 100, 101},  {121, 100, 100},
                                   {120, 100.5, 100}, {121, 100, 101}, {119, 100, 99.5}, {120, 99.5, 100}};
    const Comparison comparison = after(clear);
    REQUIRE(comparison.pair_results().size() == 3);
    CHECK(comparison.ended());
    CHECK(comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(comparison.pair_results()[1].verdict == ComparisonVerdict::faster);
    CHECK(comparison.pair_results()[2].verdict == ComparisonVerdict::same);
    CHECK(comparison.fastest(0) == std::vector<std::size_t>{0});
    SECTION("two equally fast formats are both named as the fastest") {
        std::vector<Rates> two;
        for (const Rates& rates : clear) two.push_back({rates[0], rates[1], rates[0] * rates[2] / 100});
        const Comparison tied = after(two);
        CHECK(tied.fastest(0) == std::vector<std::size_t>{0, 2});
        CHECK(tied.same_among(tied.fastest(0), 0));
        CHECK_FALSE(tied.same_among(std::vector<std::size_t>{0, 1}, 0));
    }
    SECTION("a format that failed in each block is not in the fastest group") {
        std::vector<Rates> failing;
        for (const Rates& rates : clear) failing.push_back({rates[0], rates[1], -1});
        CHECK(after(failing).fastest(0) == std::vector<std::size_t>{0});
        for (Rates& rates : failing) rates[1] = rates[0];
        CHECK(after(failing).fastest(0) == std::vector<std::size_t>{0, 1});
    }
    SECTION("before a decision all formats are in the fastest group") {
        CHECK(after({clear.front()}).fastest(0) == std::vector<std::size_t>{0, 1, 2});
    }
}

TEST_CASE(
    "a difference that is significant alone but not within its family of comparisons is reported as possible at the "
    "end") {
    const std::vector<Rates> two{{62.8, 58}, {59.2, 58}, {62.5, 58}, {59.7, 58}, {62.7, 58}, {59.3, 58}};
    CHECK(after(two, {.budget = 6}).pair_results().front().verdict == ComparisonVerdict::faster);
    std::vector<Rates> three;
    for (const double third : {50.0, 70.0, 55.0, 66.0, 52.0, 68.0})
        three.push_back({two[three.size()][0], two[three.size()][1], third});
    const Comparison comparison = after(three, {.budget = 6});
    const PairResult& first = comparison.pair_results().front();
    CHECK(comparison.ended());
    CHECK(first.overall_p < 0.05);
    CHECK(first.adjusted == Approx(3 * first.overall_p));
    CHECK(first.verdict == ComparisonVerdict::perhaps_faster);
    CHECK_THAT(says(comparison), ContainsSubstring("perhaps exFAT faster by "));
    CHECK_THAT(says(comparison), ContainsSubstring(", but 1 of 3 comparisons"));
    CHECK(comparison.fastest(0).size() == 3);
    SECTION("the comparison continues if budget remains") {
        const Comparison more = after(three, {.budget = 8});
        CHECK_FALSE(more.ended());
        CHECK(more.pair_results().front().verdict == ComparisonVerdict::open);
    }
    SECTION(
        "a difference that becomes significant within the family later is reported with the interval of that block") {
        std::vector<Rates> longer = three;
        for (const Rates& rates :
             {Rates{61, 58, 52}, {61, 58, 68}, {60.8, 58, 60}, {61.2, 58, 64}, {61, 58, 55}, {60.9, 58, 66}})
            longer.push_back(rates);
        const Comparison granted = after(longer, {.budget = 20});
        const PairResult& decided = granted.pair_results().front();
        REQUIRE(decided.verdict == ComparisonVerdict::faster);
        CHECK(decided.look.blocks > 6);
        CHECK(decided.look.nominal_p < first.look.nominal_p);
    }
}

TEST_CASE("several headline numbers have separate results and are corrected as one family") {
    Comparison comparison({.formats = 2, .headlines = 2});
    for (const double noise : {1.002, 0.998, 1.001, 0.9985, 0.9995, 1.0012, 0.9991, 1.0015}) {
        comparison.add(std::vector<Pass>{{.format = 0, .figures = {{120.0 * noise}, {50.0}}},
                                         {.format = 1, .figures = {{100.0}, {50.0 * noise}}}});
    }
    REQUIRE(comparison.pair_results().size() == 2);
    CHECK(comparison.pair_results()[0].headline == 0);
    CHECK(comparison.pair_results()[0].verdict == ComparisonVerdict::faster);
    CHECK(comparison.pair_results()[0].adjusted == Approx(2 * comparison.pair_results()[0].overall_p));
    CHECK(comparison.pair_results()[1].headline == 1);
    CHECK(comparison.pair_results()[1].verdict == ComparisonVerdict::same);
    CHECK(comparison.fastest(0) == std::vector<std::size_t>{0});
    CHECK(comparison.fastest(1) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("the p-value of a comparison never increases from block to block") {
    Comparison comparison({.formats = 2, .terms = {.budget = 20}});
    double before = 1;
    for (const Rates& rates : blocks_with(0.03, 0.04, 20)) {
        comparison.add(pass_block(rates));
        CHECK(comparison.pair_results().front().overall_p <= before);
        before = comparison.pair_results().front().overall_p;
    }
}

TEST_CASE("the carry-over test compares blocks that begin with the previous format with blocks that switch") {
    std::vector<FollowingBlock> blocks;
    for (const double noise : {0.001, -0.001, 0.002, -0.002}) {
        blocks.push_back({0.05 + noise, true});
        blocks.push_back({0.02 - noise, false});
    }
    const auto found = carry_over(blocks, resolution);
    REQUIRE(found);
    CHECK(found->p < 1e-6);
    CHECK(found->switching.value == Approx(0.02));
    CHECK(found->steady.value == Approx(0.08));
    CHECK(found->steady.freedom == 6);
    CHECK(found->steady.error > found->switching.error);
    CHECK_FALSE(depends_on_before(*found, 0.05, 0.05)); // the first one is faster in both cases
    SECTION("too few blocks of one kind give no carry-over result") {
        CHECK_FALSE(carry_over(std::span(blocks).first(2), resolution));
    }
    SECTION("the result depends on the preceding format if steady and switching blocks disagree") {
        for (FollowingBlock& each : blocks) each.value -= 0.05;
        CHECK(depends_on_before(*carry_over(blocks, resolution), 0.05, 0.05));
    }
}

TEST_CASE("the result depends on the preceding format if one format slows down the next pass") {
    // Each pass after the first format is 8 % slower. If a block begins with the last format of the block before, both
    // of its passes follow the same format. In any other block, each format follows the other one.
    Comparison comparison({.formats = 2, .terms = {.budget = 12}});
    std::size_t before = 1, number = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        std::vector<std::size_t> order{0, 1};
        if (i % 4 == 1 || i % 4 == 2) order = {1, 0};
        std::vector<Pass> passes;
        for (const std::size_t format : order) {
            const double noise = 1 + 0.002 * static_cast<double>(number++ % 3);
            passes.push_back({.format = format, .figures = {(before == 0 ? 92.0 : 100.0) * noise}});
            before = format;
        }
        comparison.add(passes);
        // That the result depends on the preceding format is reported only if there is a result.
        const PairResult& now = comparison.pair_results().front();
        if (now.look.call == Call::open) CHECK(now.verdict == ComparisonVerdict::open);
    }
    REQUIRE(comparison.ended());
    const PairResult& pair_result = comparison.pair_results().front();
    CHECK(pair_result.verdict == ComparisonVerdict::depends_on_before);
    REQUIRE(pair_result.before);
    CHECK(pair_result.before->switching.value == Approx(-std::log(0.92)).margin(0.005));
    CHECK_THAT(says(comparison), ContainsSubstring("depends on the preceding format: exFAT against HFS+ "));
    CHECK(comparison.fastest(0) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("a comparison without a budget continues until it is decided") {
    Comparison comparison({.formats = 2, .terms = {.budget = std::nullopt}});
    for (const Rates& rates : blocks_with(0, 0.3, 70)) comparison.add(pass_block(rates));
    CHECK(comparison.blocks() == 70);
    CHECK_FALSE(comparison.ended());
    Comparison clear({.formats = 2, .terms = {.budget = std::nullopt}});
    for (const Rates& rates : blocks_with(0.1, 0.01, 70)) clear.add(pass_block(rates));
    CHECK(clear.ended());
    CHECK(clear.pair_results().front().verdict == ComparisonVerdict::faster);
}

TEST_CASE("a claim about a cell requires Holm's correction, and a coloured cell the false discovery rate") {
    const std::vector<double> overall{0.0001, 0.004, 0.03, 0.6, 0.9};
    const auto marks = map_of(overall, overall, 0.05);
    CHECK(marks[0].claim);
    CHECK(marks[1].claim);
    CHECK_FALSE(marks[2].claim);
    CHECK(marks[2].coloured);
    CHECK_FALSE(marks[3].coloured);
    // Cells whose difference random orders can explain have no colour.
    CHECK_FALSE(map_of(overall, std::vector<double>{0.004, 0.004, 1, 1, 1}, 0.05)[2].coloured);
    CHECK(map_of({}, {}, 0.05).empty());
    CHECK(holm(std::vector<double>{0.02, 0.02}) == std::vector<double>{0.04, 0.04});
    CHECK(benjamini_hochberg(std::vector<double>{0.9, 0.02}) == std::vector<double>{0.9, 0.04});
}

TEST_CASE("each verdict of a comparison has a name") {
    CHECK(name_of(ComparisonVerdict::open) == "open");
    CHECK(name_of(ComparisonVerdict::faster) == "faster");
    CHECK(name_of(ComparisonVerdict::same) == "same");
    CHECK(name_of(ComparisonVerdict::out_of_budget) == "out_of_budget");
    CHECK(name_of(ComparisonVerdict::hopeless) == "hopeless");
    CHECK(name_of(ComparisonVerdict::depends_on_before) == "depends_on_before");
    CHECK(name_of(ComparisonVerdict::perhaps_faster) == "perhaps_faster");
}

TEST_CASE("a medium whose two levels of speed alternate together with the orders gives no faster format") {
    // The medium is fast for two passes and slow for two passes. In each of these blocks the first format was measured
    // while the medium was fast.
    std::vector<Rates> levels;
    for (std::size_t i = 0; i < 4; ++i) levels.push_back({118 + 0.5 * static_cast<double>(i % 2), 100});
    const Comparison four = after(levels, {.budget = 4});
    CHECK(four.ended());
    CHECK(four.pair_results().front().verdict == ComparisonVerdict::out_of_budget);
    CHECK_THAT(says(four),
               ContainsSubstring("; a difference needs at least 6 blocks: on a medium with two levels, chance "
                                 "alone favours one format in all of 4 blocks with a probability of 1 in 8"));
    // In seven of eight blocks the first format was measured at the fast level, in one block at the slow level.
    for (std::size_t i = 0; i < 4; ++i) levels.push_back({118 + 0.5 * static_cast<double>(i % 2), 100});
    levels[2] = {84, 100};
    const Comparison eight = after(levels, {.budget = 8});
    CHECK(eight.pair_results().front().verdict != ComparisonVerdict::faster);
}

TEST_CASE("independent orders are equal for equal seeds, and each format is equally often at each place") {
    CHECK(measure::random_orders(3, 13, SplitMix(5)) == measure::random_orders(3, 13, SplitMix(5)));
    CHECK(measure::random_orders(3, 13, SplitMix(5)) != measure::random_orders(3, 13, SplitMix(6)));
    constexpr std::size_t rows = 6000;
    std::size_t first = 0, equal = 0;
    std::vector<std::size_t> before;
    for (const auto& row : measure::random_orders(2, rows, SplitMix(1))) {
        first += row.front();
        if (row == before) ++equal;
        before = row;
    }
    // Five standard deviations.
    CHECK(std::abs(static_cast<double>(first) - 3000) < 195);
    CHECK(std::abs(static_cast<double>(equal) - 3000) < 195);
}

TEST_CASE("orders are shuffled, mirrored in pairs and equal for equal seeds") {
    const auto rows = measure::shuffled_pairs(3, 13, SplitMix(5));
    REQUIRE(rows.size() == 13);
    CHECK(rows == measure::shuffled_pairs(3, 13, SplitMix(5)));
    CHECK(rows != measure::shuffled_pairs(3, 13, SplitMix(6)));
    std::size_t repeated = 0;
    for (std::size_t row = 0; row + 1 < rows.size(); row += 2) {
        CHECK(std::vector(rows[row].rbegin(), rows[row].rend()) == rows[row + 1]);
        if (row > 0 && rows[row] == rows[row - 2]) ++repeated;
    }
    CHECK(repeated < 5);
    std::size_t first = 0;
    constexpr std::size_t pairs = 1000;
    for (const auto& row : measure::shuffled_pairs(2, 2 * pairs, SplitMix(1))) first += row.front();
    CHECK(first == pairs); // each pair begins once with either format
}
