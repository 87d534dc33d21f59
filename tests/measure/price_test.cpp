// SPDX-License-Identifier: GPL-3.0-or-later
/// On made-up repeats, where the price is known.
#include "host/measure/price.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "common/split_mix.hpp"
#include "host/measure/counterbalance.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;

namespace {

/// Standard normal numbers from a start value: Box and Muller.
class Normal {
public:
    explicit Normal(std::uint64_t seed) : numbers_(seed) {}
    double next() {
        const double radius = std::sqrt(-2 * std::log(1 - fraction()));
        return radius * std::cos(2 * std::numbers::pi * fraction());
    }

private:
    double fraction() { return static_cast<double>(numbers_.next() >> 11) * 0x1p-53; }
    SplitMix numbers_;
};

/// A campaign on a made-up card.
struct Card {
    std::vector<double> prices;                                      ///< of each deviation, in parts
    double scatter{};                                                ///< of a single measurement, in parts
    std::function<double(double)> drift{[](double) { return 1.0; }}; ///< by the number of measurements before
};

/// The pairs of each deviation, in counterbalanced order.
std::vector<std::vector<PricePair>> campaign(const Card& card, std::size_t repeats, Normal& noise) {
    const std::size_t formats = card.prices.size() + 1;
    std::vector<std::vector<PricePair>> all(card.prices.size());
    double measured = 0;
    for (const auto& row : counterbalanced(formats, repeats)) {
        std::vector<double> value(formats), place(formats);
        for (std::size_t at = 0; at < row.size(); ++at, ++measured) {
            const double cost = row[at] == 0 ? 0 : card.prices[row[at] - 1];
            value[row[at]] = 60 * (1 - cost) * card.drift(measured) * std::exp(card.scatter * noise.next());
            place[row[at]] = static_cast<double>(at);
        }
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].push_back({.baseline = value[0], .deviation = value[i + 1], .places = place[i + 1] - place[0]});
    }
    return all;
}

/// ABBA over and over: a deviation measured right behind its baseline, then right before it.
std::vector<PricePair> pairs(const std::vector<double>& ratios) {
    std::vector<PricePair> all;
    double place = 1;
    for (const double ratio : ratios) {
        all.push_back({.baseline = 50, .deviation = 50 * ratio, .places = place});
        place = -place;
    }
    return all;
}

Price alone(const std::vector<PricePair>& of) {
    const std::vector<std::vector<PricePair>> one{of};
    return prices_of(one).front();
}

} // namespace

TEST_CASE("a planted price is found within its interval, and none where none was planted") {
    Normal noise(7);
    const auto prices = prices_of(campaign({.prices = {0.12, 0, -0.08}, .scatter = 0.01}, 8, noise));
    REQUIRE(prices.size() == 3);
    CHECK(prices[0].verdict == PriceVerdict::costs);
    CHECK(prices[0].interval->from < 0.12);
    CHECK(prices[0].interval->to > 0.12);
    CHECK(prices[1].verdict == PriceVerdict::not_found);
    CHECK(prices[2].verdict == PriceVerdict::gains);
    CHECK(prices[2].interval->from < -0.08);
    CHECK(prices[2].interval->to > -0.08);
    for (const Price& price : prices) {
        CHECK(price.pairs == 8);
        CHECK(price.comparisons == 3);
    }
}

TEST_CASE("the interval is Student's t on logarithms of ratios, with a degree of freedom for the order") {
    // Places are centred, so the height is the mean: ln 0.9 and its scatter. Residuals after the slope are ±0.01.
    std::vector<PricePair> of;
    const double logs[] = {std::log(0.9) + 0.01, std::log(0.9) + 0.01, std::log(0.9) - 0.01, std::log(0.9) - 0.01};
    const double places[] = {1, -1, 1, -1};
    for (std::size_t i = 0; i < 4; ++i)
        of.push_back({.baseline = 1, .deviation = std::exp(logs[i]), .places = places[i]});
    const Price price = alone(of);
    // Two degrees of freedom: t = 4.302653; error = sqrt(4 * 0.0001 / 2 / 4).
    const double half = 4.302653 * std::sqrt(0.0004 / 2 / 4);
    CHECK(price.price.value() == Approx(0.1));
    CHECK(price.interval->from == Approx(1 - 0.9 * std::exp(half)));
    CHECK(price.interval->to == Approx(1 - 0.9 * std::exp(-half)));
    CHECK(price.by_place.value() == Approx(0).margin(1e-12));
    CHECK(price.verdict == PriceVerdict::costs);
}

TEST_CASE("a card that slows down all the time costs no deviation anything") {
    // 2 % with each measurement: a naive comparison against the first format would call that a price.
    Normal noise(3);
    for (const std::size_t deviations : {1u, 2u, 3u, 4u}) {
        CAPTURE(deviations);
        const Card card{.prices = std::vector<double>(deviations, 0.0), .scatter = 0, .drift = [](double measured) {
                            return std::pow(0.98, measured);
                        }};
        for (const Price& price : prices_of(campaign(card, 2 * rows_of_full_cycle(deviations + 1), noise))) {
            CHECK(price.verdict == PriceVerdict::not_found);
            CHECK(price.price.value() == Approx(0).margin(1e-9));
            CHECK(price.by_place.value() == Approx(-0.02));
        }
    }
    SECTION("and a price is found beneath the drift, as it is") {
        const Card card{
            .prices = {0.05, 0.0}, .scatter = 0, .drift = [](double measured) { return std::pow(0.98, measured); }};
        const auto prices = prices_of(campaign(card, 6, noise));
        CHECK(prices[0].verdict == PriceVerdict::costs);
        CHECK(prices[0].price.value() == Approx(0.05));
        CHECK(prices[1].verdict == PriceVerdict::not_found);
    }
}

TEST_CASE("of a thousand intervals 95 % hold the price that was planted") {
    struct Row {
        std::size_t deviations, repeats;
    };
    for (const Row row : {Row{1, 4}, Row{2, 6}, Row{3, 8}}) {
        CAPTURE(row.deviations, row.repeats);
        Normal noise(row.repeats);
        std::size_t held = 0;
        constexpr std::size_t campaigns = 1000;
        for (std::size_t i = 0; i < campaigns; ++i) {
            const auto prices = prices_of(
                campaign({.prices = std::vector<double>(row.deviations, 0.1), .scatter = 0.03}, row.repeats, noise));
            if (prices[0].interval->from <= 0.1 && 0.1 <= prices[0].interval->to) ++held;
        }
        // 950 expected, with a standard deviation of 7.
        CHECK(held >= 925);
        CHECK(held <= 975);
    }
}

TEST_CASE("where nothing was planted, at most one campaign in twenty calls any comparison a price") {
    Normal noise(11);
    std::size_t wrong = 0, doubtful = 0;
    constexpr std::size_t campaigns = 1000;
    for (std::size_t i = 0; i < campaigns; ++i) {
        const auto prices = prices_of(campaign({.prices = {0, 0, 0, 0, 0}, .scatter = 0.02}, 6, noise));
        const auto any = [&](auto... verdicts) {
            return std::any_of(prices.begin(), prices.end(),
                               [&](const Price& price) { return ((price.verdict == verdicts) || ...); });
        };
        if (any(PriceVerdict::costs, PriceVerdict::gains)) ++wrong;
        if (any(PriceVerdict::doubtful)) ++doubtful;
    }
    CHECK(wrong <= 65); // 50 allowed, and two standard deviations
    // What Holm's rule is for: without it these would be prices, too.
    CHECK(doubtful > 100);
}

TEST_CASE("of campaigns that plant the smallest price they claim to find, four in five find it") {
    Normal noise(5);
    std::size_t found = 0;
    constexpr std::size_t campaigns = 1000;
    // The smallest price for a known scatter: its mean over campaigns that plant nothing.
    double smallest = 0;
    for (std::size_t i = 0; i < campaigns; ++i)
        smallest += alone(campaign({.prices = {0}, .scatter = 0.01}, 12, noise).front()).smallest.value() / campaigns;
    for (std::size_t i = 0; i < campaigns; ++i)
        if (alone(campaign({.prices = {smallest}, .scatter = 0.01}, 12, noise).front()).verdict == PriceVerdict::costs)
            ++found;
    CHECK(found >= 740);
    CHECK(found <= 860);
}

TEST_CASE("too few repeats say nothing, and unusable ones do not count") {
    for (const auto& ratios :
         {std::vector<double>{}, {0.5}, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5, 0.0}, {0.5, 0.5, 0.5, -1}}) {
        const Price price = alone(pairs(ratios));
        CHECK(price.verdict == PriceVerdict::too_few);
        CHECK(price.pairs <= 3);
        CHECK_FALSE(price.price);
        CHECK_FALSE(price.interval);
        CHECK(text_of(price) == "too few repeats to say");
    }
    SECTION("nor do repeats in one and the same order, which cannot tell it from the deviation") {
        auto of = pairs({0.5, 0.6, 0.5, 0.6});
        for (PricePair& pair : of) pair.places = 1;
        CHECK(alone(of).verdict == PriceVerdict::too_few);
    }
    CHECK(prices_of({}).empty());
}

TEST_CASE("repeats that agree to the last digit find what is there, and nothing in the last digit") {
    CHECK(alone(pairs({0.5, 0.5, 0.5, 0.5})).verdict == PriceVerdict::costs);
    CHECK(alone(pairs({1, 1, 1, 1})).verdict == PriceVerdict::not_found);
    CHECK(alone(pairs({1 - 1e-9, 1 - 1e-9, 1 - 1e-9, 1 - 1e-9})).verdict == PriceVerdict::not_found);
}

TEST_CASE("prices are judged by Holm's rule, and among more comparisons a weak one becomes doubtful") {
    const auto weak = pairs({0.97, 0.975, 0.972, 0.98, 0.969, 0.985});
    const Price by_itself = alone(weak);
    REQUIRE(by_itself.verdict == PriceVerdict::costs);
    std::vector<std::vector<PricePair>> many(20, pairs({1.01, 0.99, 0.995, 1.01, 0.99, 1.002}));
    for (std::vector<PricePair>& each : many) REQUIRE(alone(each).verdict == PriceVerdict::not_found);
    auto scattered = weak;
    for (PricePair& pair : scattered) pair.deviation *= pair.places > 0 ? 1.0 : 1.004;
    scattered[0].deviation *= 0.975;
    many.push_back(scattered);
    const Price among = prices_of(many).back();
    CHECK(among.verdict == PriceVerdict::doubtful);
    CHECK(among.comparisons == 21);
    CHECK(among.adjusted.value() == Approx(among.chance.value() * 21));
    CHECK(among.interval == alone(scattered).interval);
    CHECK(among.smallest.value() > alone(scattered).smallest.value());
}

TEST_CASE("a price in words") {
    const auto with = [](PriceVerdict verdict, double price, double from, double to) {
        return text_of({.verdict = verdict, .pairs = 6, .comparisons = 8, .price = price, .interval = {{from, to}}});
    };
    CHECK(with(PriceVerdict::costs, 0.123, 0.101, 0.144) == "costs 12.3 % [10.1, 14.4]");
    CHECK(with(PriceVerdict::gains, -0.05, -0.07, -0.03) == "gains 5.0 % [3.0, 7.0]");
    CHECK(with(PriceVerdict::not_found, 0.001, -0.012, 0.009) == "no price found: between -1.2 and +0.9 %");
    CHECK(with(PriceVerdict::not_found, 0, -0.0001, 0.0004) == "no price found: below 0.1 % either way");
    CHECK(with(PriceVerdict::doubtful, 0.03, 0.002, 0.058) == "perhaps +3.0 % [+0.2, +5.8], but 1 of 8 comparisons");
    CHECK(name_of(PriceVerdict::costs) == "costs");
    CHECK(name_of(PriceVerdict::gains) == "gains");
    CHECK(name_of(PriceVerdict::not_found) == "not_found");
    CHECK(name_of(PriceVerdict::doubtful) == "doubtful");
    CHECK(name_of(PriceVerdict::too_few) == "too_few");
}

TEST_CASE("counterbalanced orders: each thing at each place, and behind each other one, equally often") {
    for (const std::size_t things : {2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
        CAPTURE(things);
        const std::size_t cycle = rows_of_full_cycle(things);
        CHECK(cycle == (things % 2 == 0 ? things : 2 * things));
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> at, behind;
        const auto rows = counterbalanced(things, cycle);
        REQUIRE(rows.size() == cycle);
        for (const auto& row : rows)
            for (std::size_t place = 0; place < things; ++place) {
                ++at[{row[place], place}];
                if (place > 0) ++behind[{row[place - 1], row[place]}];
            }
        CHECK(at.size() == things * things);
        for (const auto& [where, often] : at) CHECK(often == cycle / things);
        CHECK(behind.size() == things * (things - 1));
        for (const auto& [who, often] : behind) CHECK(often == cycle / things);
    }
}

TEST_CASE("counterbalanced orders come in pairs of mirror images, so that linear drift adds the same to each") {
    const auto rows = counterbalanced(5, 6);
    for (std::size_t row = 0; row < rows.size(); row += 2) {
        auto mirrored = rows[row];
        std::reverse(mirrored.begin(), mirrored.end());
        CHECK(rows[row + 1] == mirrored);
    }
    CHECK(counterbalanced(1, 2) == std::vector<std::vector<std::size_t>>{{0}, {0}});
    CHECK(counterbalanced(2, 3) == std::vector<std::vector<std::size_t>>{{0, 1}, {1, 0}, {1, 0}});
}
