// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/price.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

namespace mediarig::measure {
namespace {

constexpr double wrong_at_most = 0.05;
constexpr double power = 0.8;
/// Parts that no clock of ours tells apart. It keeps repeats that agree to the last digit from proving a difference in
/// that digit.
constexpr double resolution = 1e-6;

/// The line through (places, log of the ratio): its height at no places, its slope, and how sure the height is.
struct Line {
    double height{}, slope{};
    double error{}; ///< standard error of the height
    double freedom{};
};

std::optional<Line> line_through(const std::vector<PricePair>& pairs) {
    if (pairs.size() < fewest_price_pairs) return std::nullopt;
    const auto n = static_cast<double>(pairs.size());
    double x_mean = 0, y_mean = 0;
    for (const PricePair& pair : pairs) {
        x_mean += pair.places / n;
        y_mean += std::log(pair.deviation / pair.baseline) / n;
    }
    double xx = 0, xy = 0;
    for (const PricePair& pair : pairs) {
        xx += (pair.places - x_mean) * (pair.places - x_mean);
        xy += (pair.places - x_mean) * (std::log(pair.deviation / pair.baseline) - y_mean);
    }
    if (xx <= 0) return std::nullopt;
    Line line{.height = {}, .slope = xy / xx, .error = {}, .freedom = n - 2};
    line.height = y_mean - line.slope * x_mean;
    double squares = 0;
    for (const PricePair& pair : pairs) {
        const double off = std::log(pair.deviation / pair.baseline) - line.height - line.slope * pair.places;
        squares += off * off;
    }
    line.error = std::max(resolution, std::sqrt(squares / line.freedom * (1 / n + x_mean * x_mean / xx)));
    return line;
}

/// From a logarithm of deviation over baseline to parts that are lost.
double lost(double logarithm) {
    return -std::expm1(logarithm);
}

/// The shift, in standard errors, that a two-sided test finds with the power above. Bisected: the quantile of the
/// noncentral t by its noncentrality has no closed form.
double found_at(double level, double freedom) {
    const double critical = boost::math::quantile(boost::math::students_t(freedom), 1 - level / 2);
    double low = 0, high = 4 * critical + 10;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        const double missed = boost::math::cdf(boost::math::non_central_t(freedom, middle), critical);
        (1 - missed < power ? low : high) = middle;
    }
    return high;
}

/// found_at() by degrees of freedom, for one level: it is a thousand times as dear as the rest.
using FoundAt = std::map<double, double>;

Price reckoned(const std::vector<PricePair>& pairs, std::size_t comparisons, FoundAt& found) {
    Price price{.pairs = pairs.size(), .comparisons = comparisons};
    const auto line = line_through(pairs);
    if (!line) return price;
    const boost::math::students_t distribution(line->freedom);
    const double half = boost::math::quantile(distribution, 1 - wrong_at_most / 2) * line->error;
    price.price = lost(line->height);
    price.interval = PriceInterval{lost(line->height + half), lost(line->height - half)};
    price.chance = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(line->height) / line->error));
    const auto [known, fresh] = found.try_emplace(line->freedom);
    if (fresh) known->second = found_at(wrong_at_most / static_cast<double>(comparisons), line->freedom);
    price.smallest = lost(-known->second * line->error);
    price.by_place = std::expm1(line->slope);
    return price;
}

/// Holm: the smallest p is held against all, the next one against one fewer; never smaller than the one before it.
void adjust(std::vector<Price>& prices) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < prices.size(); ++i)
        if (prices[i].chance) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return *prices[a].chance < *prices[b].chance; });
    double before = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        Price& price = prices[order[rank]];
        before = std::max(before, std::min(1.0, *price.chance * static_cast<double>(order.size() - rank)));
        price.adjusted = before;
    }
}

PriceVerdict judged(const Price& price) {
    if (!price.chance) return PriceVerdict::too_few;
    if (*price.chance > wrong_at_most) return PriceVerdict::not_found;
    if (*price.adjusted > wrong_at_most) return PriceVerdict::doubtful;
    return *price.price > 0 ? PriceVerdict::costs : PriceVerdict::gains;
}

} // namespace

std::string_view name_of(PriceVerdict verdict) {
    switch (verdict) {
        case PriceVerdict::costs:
            return "costs";
        case PriceVerdict::gains:
            return "gains";
        case PriceVerdict::not_found:
            return "not_found";
        case PriceVerdict::doubtful:
            return "doubtful";
        case PriceVerdict::too_few:
            break;
    }
    return "too_few";
}

std::vector<Price> prices_of(std::span<const std::vector<PricePair>> comparisons) {
    std::vector<std::vector<PricePair>> usable(comparisons.begin(), comparisons.end());
    for (std::vector<PricePair>& pairs : usable)
        std::erase_if(pairs, [](const PricePair& pair) { return !(pair.baseline > 0 && pair.deviation > 0); });
    const auto told =
        static_cast<std::size_t>(std::count_if(usable.begin(), usable.end(), [](const std::vector<PricePair>& pairs) {
            return line_through(pairs).has_value();
        }));
    std::vector<Price> prices;
    FoundAt found;
    for (const std::vector<PricePair>& pairs : usable)
        prices.push_back(reckoned(pairs, std::max<std::size_t>(told, 1), found));
    adjust(prices);
    for (Price& price : prices) price.verdict = judged(price);
    return prices;
}

std::string text_of(const Price& price) {
    if (price.verdict == PriceVerdict::too_few) return "too few repeats to say";
    const auto percent = [](double parts) { return parts * 100; };
    const double from = percent(price.interval->from), to = percent(price.interval->to);
    switch (price.verdict) {
        case PriceVerdict::costs:
            return fmt::format("costs {:.1f} % [{:.1f}, {:.1f}]", percent(*price.price), from, to);
        case PriceVerdict::gains:
            return fmt::format("gains {:.1f} % [{:.1f}, {:.1f}]", -percent(*price.price), -to, -from);
        case PriceVerdict::doubtful:
            return fmt::format("perhaps {:+.1f} % [{:+.1f}, {:+.1f}], but 1 of {} comparisons", percent(*price.price),
                               from, to, price.comparisons);
        default:
            if (std::max(std::abs(from), std::abs(to)) < 0.05) return "no price found: below 0.1 % either way";
            return fmt::format("no price found: between {:+.1f} and {:+.1f} %", from, to);
    }
}

} // namespace mediarig::measure
