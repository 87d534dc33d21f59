// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/measure/statistics.hpp"

namespace mediarig::measure {
namespace {

double rate_at(std::span<const SweepPoint> points, std::size_t i) {
    return points[i].rate.bytes_per_second;
}

/// How far a cell stands from its neighbours, as a factor's logarithm; an outer cell has one neighbour.
double strangeness(std::span<const SweepPoint> points, std::size_t i) {
    std::vector<double> neighbours;
    if (i > 0) neighbours.push_back(rate_at(points, i - 1));
    if (i + 1 < points.size()) neighbours.push_back(rate_at(points, i + 1));
    const auto expected = geometric_mean(neighbours);
    return expected ? std::abs(std::log(rate_at(points, i) / *expected)) : 0;
}

std::string size_text(Bytes block) {
    return fmt::format("{} KB", block.count / 1024);
}

std::string neighbour_text(const SweepPoint& point) {
    return fmt::format("{} ({:.3f})", size_text(point.block), point.rate.megabytes_per_second());
}

struct Segment {
    double mean{};
    double squares{}; ///< summed squared distance from the mean
};

Segment segment_of(std::span<const double> rates) {
    Segment result{.mean = *mean(rates)};
    for (const double rate : rates) result.squares += (rate - result.mean) * (rate - result.mean);
    return result;
}

Rate rate_over(std::span<const RateSample> samples) {
    Bytes moved;
    std::chrono::nanoseconds length{};
    for (const RateSample& sample : samples) {
        moved += sample.moved;
        length += sample.length;
    }
    return rate_of(moved, length);
}

constexpr std::size_t least_samples = 3;
constexpr double least_change = 0.25;
constexpr double least_deviations = 3;

} // namespace

std::vector<std::size_t> outside_envelope(std::span<const SweepPoint> points) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        if (rate_at(points, i + 1) >= rate_at(points, i) * (1 - monotone_tolerance)) continue;
        const std::size_t culprit = strangeness(points, i) > strangeness(points, i + 1) ? i : i + 1;
        if (result.empty() || result.back() != culprit) result.push_back(culprit);
    }
    return result;
}

Finding not_monotone(std::string_view operation, std::span<const SweepPoint> points, std::size_t index) {
    std::string neighbours;
    if (index > 0) neighbours = neighbour_text(points[index - 1]);
    if (index + 1 < points.size()) {
        if (!neighbours.empty()) neighbours += " and ";
        neighbours += neighbour_text(points[index + 1]);
    }
    return {.kind = FindingKind::not_monotone,
            .severity = Severity::warning,
            .detail = fmt::format(
                "{} at {}: {:.3f} MB/s does not fit between {}; probably the medium's own garbage collection "
                "or a disturbed host: compare the other passes, or repeat",
                operation, size_text(points[index].block), points[index].rate.megabytes_per_second(), neighbours)};
}

std::optional<Finding> small_blocks_too_fast(std::string_view operation, std::span<const SweepPoint> points) {
    const auto at = [&](Bytes block) {
        return std::find_if(points.begin(), points.end(), [&](const SweepPoint& p) { return p.block == block; });
    };
    const auto little = at(4_KiB);
    const auto large = at(256_KiB);
    if (little == points.end() || large == points.end() || little->rate <= large->rate) return std::nullopt;
    return Finding{
        .kind = FindingKind::cache_suspected,
        .severity = Severity::warning,
        .detail = fmt::format("{}: 4 KB transfers ({:.3f} MB/s) are faster than those of 256 KB ({:.3f} "
                              "MB/s); probably a cache answered: use direct I/O or drop the cache",
                              operation, little->rate.megabytes_per_second(), large->rate.megabytes_per_second())};
}

std::optional<LevelChange> level_change(std::span<const RateSample> series) {
    std::vector<double> rates;
    for (const RateSample& sample : series) {
        if (sample.length.count() <= 0) return std::nullopt;
        rates.push_back(rate_of(sample.moved, sample.length).bytes_per_second);
    }
    // The last sample is usually a fraction of a second: too short to carry a level of its own.
    if (series.size() > 1 && series.back().length * 2 < series.front().length) rates.pop_back();
    if (rates.size() < 2 * least_samples) return std::nullopt;

    const std::span<const double> all(rates);
    std::size_t best = 0;
    double least_squares = 0;
    for (std::size_t split = least_samples; split + least_samples <= rates.size(); ++split) {
        const double squares = segment_of(all.first(split)).squares + segment_of(all.subspan(split)).squares;
        if (best == 0 || squares < least_squares) {
            best = split;
            least_squares = squares;
        }
    }
    const double before = segment_of(all.first(best)).mean;
    const double after = segment_of(all.subspan(best)).mean;
    const double gap = std::abs(before - after);
    // A lone outlier shifts a mean; it makes no level.
    const double middle_before = *median(all.first(best));
    const double middle_after = *median(all.subspan(best));
    if (std::abs(middle_before - middle_after) <= least_change * std::max(middle_before, middle_after))
        return std::nullopt;
    const double deviation = std::sqrt(least_squares / static_cast<double>(rates.size() - 2));
    if (gap <= least_change * std::max(before, after) || gap <= least_deviations * deviation) return std::nullopt;

    std::chrono::nanoseconds at{};
    for (const RateSample& sample : series.first(best)) at += sample.length;
    return LevelChange{.at = at, .before = rate_over(series.first(best)), .after = rate_over(series.subspan(best))};
}

Finding rate_unstable(std::string_view operation, const LevelChange& change) {
    const bool falls = change.after < change.before;
    return {.kind = FindingKind::rate_unstable,
            .severity = Severity::warning,
            .detail = fmt::format("{}: the rate {} from {:.3f} to {:.3f} MB/s after {:.0f} s; probably {}: the mean "
                                  "of both says little",
                                  operation, falls ? "fell" : "rose", change.before.megabytes_per_second(),
                                  change.after.megabytes_per_second(), std::chrono::duration<double>(change.at).count(),
                                  falls ? "a full write cache or a throttled medium"
                                        : "a medium that was still busy with earlier writes")};
}

} // namespace mediarig::measure
