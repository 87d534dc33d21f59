// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/measure/statistics.hpp"

namespace mediarig::measure {
namespace {

double rate_at(std::span<const SweepPoint> points, std::size_t i) {
    return points[i].rate.bytes_per_second;
}

std::string block_text(Bytes block) {
    return fmt::format("{} KB", block.count / 1024);
}

/// Formats a rate with three digits. Two cells of a pass do not agree to more digits.
std::string rate_text(Rate rate) {
    const double megabytes = rate.megabytes_per_second();
    return megabytes >= 100 ? fmt::format("{:.0f}", megabytes) : fmt::format("{:.3g}", megabytes);
}

std::string neighbour_text(const SweepPoint& point) {
    return fmt::format("{} ({})", block_text(point.block), rate_text(point.rate));
}

} // namespace

double distance_from_neighbours(std::span<const SweepPoint> points, std::size_t i) {
    std::vector<double> neighbours;
    if (i > 0) neighbours.push_back(rate_at(points, i - 1));
    if (i + 1 < points.size()) neighbours.push_back(rate_at(points, i + 1));
    const auto expected = geometric_mean(neighbours);
    return expected ? std::abs(std::log(rate_at(points, i) / *expected)) : 0;
}

std::vector<std::size_t> outside_envelope(std::span<const SweepPoint> points) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const bool busy = points[i].host_was_busy || points[i + 1].host_was_busy;
        const double tolerance = busy ? busy_monotone_tolerance : monotone_tolerance;
        if (rate_at(points, i + 1) >= rate_at(points, i) * (1 - tolerance)) continue;
        const std::size_t culprit =
            distance_from_neighbours(points, i) > distance_from_neighbours(points, i + 1) ? i : i + 1;
        if (result.empty() || result.back() != culprit) result.push_back(culprit);
    }
    return result;
}

Finding not_monotone(std::string_view operation, std::span<const SweepPoint> points, std::size_t index,
                     std::string_view busy) {
    // The first and the last block size have only one neighbour.
    std::string neighbours = "beside " + neighbour_text(points[index > 0 ? index - 1 : index + 1]);
    if (index > 0 && index + 1 < points.size())
        neighbours =
            fmt::format("between {} and {}", neighbour_text(points[index - 1]), neighbour_text(points[index + 1]));
    return {.kind = FindingKind::not_monotone,
            .severity = Severity::warning,
            .detail = fmt::format(
                "{} at {}: {} MB/s does not fit {}; {}: compare the other passes, or repeat", operation,
                block_text(points[index].block), rate_text(points[index].rate), neighbours,
                busy.empty()
                    ? std::string("the medium's own garbage collection, or a host that was disturbed")
                    : fmt::format("probably the busy host ({}), otherwise the medium's own garbage collection", busy))};
}

std::optional<Finding> small_blocks_too_fast(std::string_view operation, std::span<const SweepPoint> points,
                                             std::string_view load) {
    const auto at = [&](Bytes block) {
        return std::find_if(points.begin(), points.end(), [&](const SweepPoint& p) { return p.block == block; });
    };
    const auto little = at(4_KiB);
    const auto large = at(256_KiB);
    if (little == points.end() || large == points.end()) return std::nullopt;
    const bool busy = little->host_was_busy || large->host_was_busy;
    const double factor = little->rate.bytes_per_second / large->rate.bytes_per_second;
    if (factor < (busy ? busy_least_cache_factor : least_cache_factor)) return std::nullopt;
    return Finding{.kind = FindingKind::cache_suspected,
                   .severity = Severity::warning,
                   .detail = fmt::format(
                       "{}: 4 KB transfers ({:.3f} MB/s) are {:.1f} times as fast as those of 256 KB ({:.3f} "
                       "MB/s); probably {}a cache served the requests: use direct I/O or drop the cache",
                       operation, little->rate.megabytes_per_second(), factor, large->rate.megabytes_per_second(),
                       load.empty() ? "" : fmt::format("the busy host ({}), otherwise ", load))};
}

std::optional<Rate> ceiling_of_usb(double speed_mbit) {
    if (speed_mbit <= 0) return std::nullopt;
    if (speed_mbit <= 12) return Rate{19 * 64 * 1e3};
    if (speed_mbit <= 480) return Rate{13 * 512 * 8e3};
    if (speed_mbit <= 5000) return Rate{speed_mbit * 1e6 / 10};
    return Rate{speed_mbit * 1e6 / 8 * 128 / 132};
}

std::optional<Rate> ceiling_of_sd(std::string_view timing, std::uint64_t clock_hz, std::uint32_t lines) {
    constexpr std::array<std::string_view, 6> once_a_clock{"legacy",       "sd high-speed", "sd uhs SDR12",
                                                           "sd uhs SDR25", "sd uhs SDR50",  "sd uhs SDR104"};
    const bool twice = timing == "sd uhs DDR50";
    if (clock_hz == 0 || lines == 0 || (!twice && std::ranges::find(once_a_clock, timing) == once_a_clock.end()))
        return std::nullopt;
    return Rate{static_cast<double>(clock_hz) * lines / 8 * (twice ? 2 : 1)};
}

BusLink usb_link(double speed_mbit) {
    return {.name = fmt::format("a USB link of {:.0f} Mbit/s", speed_mbit),
            .ceiling = ceiling_of_usb(speed_mbit),
            .usb = true};
}

BusLink sd_link(std::string_view timing, std::uint64_t clock_hz, std::uint32_t lines) {
    return {.name = fmt::format("an SD bus of {} lines at {:.3g} MHz ({})", lines, static_cast<double>(clock_hz) / 1e6,
                                timing),
            .ceiling = ceiling_of_sd(timing, clock_hz, lines)};
}

std::string level_text(std::string_view operation, const LevelChange& change) {
    return fmt::format("{}: the rate {} from {:.3f} to {:.3f} MB/s after {:.0f} s", operation,
                       change.after < change.before ? "fell" : "rose", change.before.megabytes_per_second(),
                       change.after.megabytes_per_second(), std::chrono::duration<double>(change.at).count());
}

std::string slope_text(std::string_view operation, const SteadySlope& slope) {
    return fmt::format("{}: the rate {} steadily from {:.3f} to {:.3f} MB/s", operation,
                       slope.change() < 0 ? "fell" : "rose", slope.first.megabytes_per_second(),
                       slope.last.megabytes_per_second());
}

Finding rate_unstable(std::string_view operation, const LevelChange& change, std::string_view busy) {
    return {
        .kind = FindingKind::rate_unstable,
        .severity = Severity::warning,
        .detail = fmt::format("{}; probably {}{}: the mean of both is not meaningful", level_text(operation, change),
                              busy.empty() ? "" : fmt::format("the busy host ({}), otherwise ", busy),
                              change.after < change.before ? "a full write cache or a throttled medium"
                                                           : "a medium that was still busy with earlier writes")};
}

} // namespace mediarig::measure
