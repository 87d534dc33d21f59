// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "host/measure/comparison/estimate.hpp"

namespace mediarig::measure::comparison {
namespace {

constexpr std::size_t fewest = 3;

std::size_t one_more_than_last(std::span<const Observation> passes, std::size_t Observation::*member) {
    std::size_t last = 0;
    for (const Observation& pass : passes) last = std::max(last, pass.*member);
    return last + 1;
}

/// Adds an indicator column (0 or 1) for each value of the member.
void add_groups(std::vector<Regressor>& columns, std::span<const Observation> passes,
                std::size_t Observation::*member) {
    for (std::size_t group = 0; group < one_more_than_last(passes, member); ++group) {
        Regressor& column = columns.emplace_back();
        for (const Observation& pass : passes) column.push_back(pass.*member == group ? 1 : 0);
    }
}

/// The slope of the last column of the fit.
std::optional<Slope> last_slope(const Fit& fit, std::size_t values) {
    if (fit.last_squares <= 0 || values <= fit.rank) return std::nullopt;
    const auto freedom = static_cast<double>(values - fit.rank);
    Slope slope{
        .value = fit.last_coefficient, .error = std::sqrt(fit.rest / freedom / fit.last_squares), .freedom = freedom};
    if (slope.error > 0) slope.p = t_two_sided(std::abs(slope.value) / slope.error, freedom);
    return slope;
}

/// The trend of the block means, from blocks that contain all formats equally.
std::optional<Slope> drift_of(std::span<const Observation> passes) {
    const std::size_t formats = one_more_than_last(passes, &Observation::format);
    std::vector<double> sums(one_more_than_last(passes, &Observation::block)), counts(sums.size());
    for (const Observation& pass : passes) {
        sums[pass.block] += pass.value;
        ++counts[pass.block];
    }
    std::vector<Regressor> columns(2);
    std::vector<double> means;
    for (std::size_t block = 0; block < sums.size(); ++block) {
        if (counts[block] < static_cast<double>(formats)) continue;
        columns[0].push_back(1);
        columns[1].push_back(static_cast<double>(block));
        means.push_back(sums[block] / counts[block]);
    }
    if (means.size() < fewest) return std::nullopt;
    return last_slope(fit(columns, means), means.size());
}

/// Fits the passes that follow another pass, by least squares, to blocks, places, formats and previous formats.
class FollowingPasses {
public:
    explicit FollowingPasses(std::span<const Observation> passes) {
        for (const Observation& pass : passes) {
            if (!pass.before) continue;
            passes_.push_back(pass);
            values_.push_back(pass.value);
            formats_ = std::max({formats_, pass.format + 1, *pass.before + 1});
        }
    }
    [[nodiscard]] std::size_t formats() const { return formats_; }
    [[nodiscard]] std::size_t count() const { return values_.size(); }

    enum class FormatRole : std::uint8_t { format, before };
    /// Adds the columns of all formats except `base`, followed by the column of `last`.
    void add(std::vector<Regressor>& columns, FormatRole of, std::size_t base,
             std::optional<std::size_t> last = {}) const {
        for (std::size_t format = 0; format < formats_; ++format)
            if (format != base && format != last) columns.push_back(column(of, format));
        if (last) columns.push_back(column(of, *last));
    }
    [[nodiscard]] std::vector<Regressor> blocks_and_places() const {
        std::vector<Regressor> columns{Regressor(count(), 1.0)};
        add_groups(columns, passes_, &Observation::block);
        Regressor& place = columns.emplace_back();
        for (const Observation& pass : passes_) place.push_back(static_cast<double>(pass.place));
        return columns;
    }
    [[nodiscard]] Fit fitted(const std::vector<Regressor>& columns) const { return fit(columns, values_); }

private:
    [[nodiscard]] Regressor column(FormatRole of, std::size_t format) const {
        Regressor column;
        for (const Observation& pass : passes_)
            column.push_back((of == FormatRole::format ? pass.format : *pass.before) == format ? 1 : 0);
        return column;
    }
    std::vector<Observation> passes_;
    std::vector<double> values_;
    std::size_t formats_{};
};

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace

std::optional<Effects> effects_of(std::span<const Observation> passes) {
    if (passes.empty() || one_more_than_last(passes, &Observation::block) < fewest) return std::nullopt;
    std::vector<double> values;
    for (const Observation& pass : passes) values.push_back(pass.value);
    std::vector<Regressor> columns{Regressor(passes.size(), 1.0)};
    const double about_mean = fit(columns, values).rest;
    add_groups(columns, passes, &Observation::block);
    const double within_blocks = fit(columns, values).rest;
    add_groups(columns, passes, &Observation::format);
    const double within_formats = fit(columns, values).rest;
    Regressor& place = columns.emplace_back();
    for (const Observation& pass : passes) place.push_back(static_cast<double>(pass.place));
    const Fit whole = fit(columns, values);
    return Effects{.blocks = about_mean - within_blocks,
                   .formats = within_blocks - within_formats,
                   .places = within_formats - whole.rest,
                   .rest = whole.rest,
                   .place = last_slope(whole, values.size()),
                   .drift = drift_of(passes)};
}

std::optional<FormatCarryOver> left_behind(std::span<const Observation> passes) {
    const FollowingPasses followers(passes);
    if (followers.formats() < 2) return std::nullopt;
    std::vector<Regressor> columns = followers.blocks_and_places();
    followers.add(columns, FollowingPasses::FormatRole::format, 0);
    const Fit without = followers.fitted(columns);
    FormatCarryOver found;
    double best = 0, worst = 0; // carry-over relative to that of the first format
    Fit with;
    for (std::size_t format = 1; format < followers.formats(); ++format) {
        std::vector<Regressor> all = columns;
        followers.add(all, FollowingPasses::FormatRole::before, 0, format);
        with = followers.fitted(all);
        const double left = with.last_coefficient;
        if (left > best) found.best = format;
        if (left < worst) found.worst = format;
        best = std::max(best, left);
        worst = std::min(worst, left);
    }
    if (with.rank <= without.rank || followers.count() <= with.rank || with.rest <= 0) return std::nullopt;
    found.difference = best - worst;
    const auto above = static_cast<double>(with.rank - without.rank);
    const auto below = static_cast<double>(followers.count() - with.rank);
    found.p = f_upper_tail(std::max(0.0, without.rest - with.rest) / above / (with.rest / below), above, below);
    return found;
}

std::optional<Slope> direct_difference(std::span<const Observation> passes, std::size_t first, std::size_t second) {
    const FollowingPasses followers(passes);
    if (followers.formats() <= std::max(first, second)) return std::nullopt;
    std::vector<Regressor> columns = followers.blocks_and_places();
    followers.add(columns, FollowingPasses::FormatRole::before, 0);
    followers.add(columns, FollowingPasses::FormatRole::format, second, first);
    return last_slope(followers.fitted(columns), followers.count());
}

std::vector<std::size_t> spikes_of(std::span<const double> values) {
    constexpr double normal_consistent = 1.4826, far = 3.5;
    std::vector<std::size_t> spikes;
    if (values.size() < fewest) return spikes;
    const double middle = median_of({values.begin(), values.end()});
    std::vector<double> off;
    for (const double value : values) off.push_back(std::abs(value - middle));
    const double limit = far * normal_consistent * median_of(off);
    for (std::size_t i = 0; i < off.size(); ++i)
        if (limit > 0 && off[i] > limit) spikes.push_back(i);
    return spikes;
}

std::optional<Scatter> scatter_of(std::span<const double> first, std::span<const double> second) {
    constexpr std::size_t enough = 4;
    if (first.size() != second.size() || first.size() < enough) return std::nullopt;
    const Estimate a = mean_of(first), b = mean_of(second);
    double squares_of_sum = 0, squares_of_difference = 0, products = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        const double x = first[i] - a.value, y = second[i] - b.value;
        squares_of_sum += (x + y) * (x + y);
        squares_of_difference += (x - y) * (x - y);
        products += (x + y) * (x - y);
    }
    if (squares_of_sum <= 0 || squares_of_difference <= 0) return std::nullopt;
    Scatter scatter{.correlation = products / std::sqrt(squares_of_sum * squares_of_difference)};
    const double freedom = static_cast<double>(first.size()) - 2;
    const double left = 1 - scatter.correlation * scatter.correlation;
    scatter.p = left <= 0 ? 0 : t_two_sided(std::abs(scatter.correlation) * std::sqrt(freedom / left), freedom);
    return scatter;
}

} // namespace mediarig::measure::comparison
