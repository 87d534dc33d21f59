// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/measure/statistics.hpp"

namespace mediarig::report {
namespace {

/// Student's factor is 12.7 for two passes and 4.3 for three: such an interval says less than the passes themselves.
constexpr std::size_t least_for_interval = 4;

/// The power of ten of the first digit: 0 for 1 to 9.99, -1 for 0.1.
int magnitude(double value) {
    return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

/// `place` is the power of ten of the last digit that is shown.
std::string rounded(double value, int place) {
    const double unit = std::pow(10.0, place);
    return fmt::format("{:.{}f}", std::round(value / unit) * unit, std::clamp(-place, 0, 9));
}

/// To the first digit, to the second where the first is a 1.
int last_place(double half_width) {
    const int first = magnitude(half_width);
    return half_width < 2 * std::pow(10.0, first) ? first - 1 : first;
}

} // namespace

std::string three_digits(double value) {
    if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
    return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude(value), 0, 9));
}

FigureText figure_text(const std::vector<double>& passes, int decimals) {
    const auto mean = measure::mean(passes);
    if (!mean) return {"–", {}};
    if (passes.size() == 1) return {fmt::format("{:.{}f}", *mean, decimals), {}};
    if (passes.size() < least_for_interval) {
        const auto range = *measure::spread(passes);
        const std::string least = three_digits(range.least), most = three_digits(range.most);
        return {least, least == most ? "" : "to " + most};
    }
    const double half = *measure::half_width_95(passes);
    if (half <= 0 || !std::isfinite(half)) return {three_digits(*mean), "±0"};
    const int place = last_place(half);
    return {rounded(*mean, place), "±" + rounded(half, place)};
}

std::string text_of(const FigureText& figure) {
    return figure.spread.empty() ? figure.value : figure.value + " " + figure.spread;
}

std::string short_figure_text(const std::vector<double>& passes) {
    return passes.size() == 1 ? three_digits(passes.front()) : text_of(figure_text(passes, 0));
}

std::string rounds_text(std::size_t rounds) {
    return fmt::format("{} {}", rounds, rounds == 1 ? "round" : "rounds");
}

std::string passes_text(std::size_t passes) {
    return fmt::format("{} {}", passes, passes == 1 ? "pass" : "passes");
}

bool has_spread(std::string_view text) {
    if (text.find("±") != text.npos) return true;
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    constexpr std::string_view to = " to ";
    for (std::size_t at = text.find(to); at != text.npos; at = text.find(to, at + 1))
        if (at > 0 && is_digit(at - 1) && is_digit(at + to.size())) return true;
    return false;
}

std::string note_on_figures() {
    return "“31.1 ±0.6”: mean of four or more passes and half of its 95 % confidence interval. “4.4 to 4.6”: range of "
           "two or "
           "three passes. A number alone: one pass.";
}

} // namespace mediarig::report
