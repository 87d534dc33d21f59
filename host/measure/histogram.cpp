// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mediarig::measure {
namespace {

/// The middle of a bucket: the reported value of a quantile in this bucket.
std::uint64_t middle_of(std::size_t bucket) {
    constexpr std::size_t exact = std::size_t{2} << Histogram::sub_bits;
    if (bucket < exact) return bucket;
    const auto shift = static_cast<unsigned>((bucket >> Histogram::sub_bits) - 1);
    const std::uint64_t low = (bucket - (std::size_t{shift} << Histogram::sub_bits)) << shift;
    return low + ((std::uint64_t{1} << shift) >> 1);
}

} // namespace

void Histogram::merge(const Histogram& other) {
    std::vector<Bucket> merged;
    merged.reserve(buckets_.size() + other.buckets_.size());
    std::ranges::merge(buckets_, other.buckets_, std::back_inserter(merged), {}, &Bucket::first, &Bucket::first);
    buckets_.clear();
    for (const Bucket& bucket : merged)
        if (!buckets_.empty() && buckets_.back().first == bucket.first)
            buckets_.back().second += bucket.second;
        else
            buckets_.push_back(bucket);
    count_ += other.count_;
    sum_ns_ += other.sum_ns_;
    min_ns_ = std::min(min_ns_, other.min_ns_);
    max_ns_ = std::max(max_ns_, other.max_ns_);
}

Histogram::Duration Histogram::min() const {
    return Duration(empty() ? 0 : min_ns_);
}
Histogram::Duration Histogram::max() const {
    return Duration(max_ns_);
}

std::optional<Histogram::Duration> Histogram::mean() const {
    if (empty()) return std::nullopt;
    return Duration(sum_ns_ / count_);
}

std::optional<Histogram::Duration> Histogram::deviation() const {
    if (empty()) return std::nullopt;
    const double mean = static_cast<double>(sum_ns_) / static_cast<double>(count_);
    double squares = 0;
    for (const auto& [bucket, count] : buckets_) {
        const double distance = static_cast<double>(std::clamp(middle_of(bucket), min_ns_, max_ns_)) - mean;
        squares += static_cast<double>(count) * distance * distance;
    }
    return Duration(std::llround(std::sqrt(squares / static_cast<double>(count_))));
}

std::optional<Histogram::Duration> Histogram::quantile(double quantile) const {
    if (empty()) return std::nullopt;
    // Nearest rank: the smallest latency that at least this fraction of the operations did not exceed.
    const double wanted = std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_));
    const std::uint64_t rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t seen = 0;
    for (const auto& [bucket, count] : buckets_) {
        seen += count;
        // The exact extremes limit the middle of an outer bucket.
        if (seen >= rank) return Duration(std::clamp(middle_of(bucket), min_ns_, max_ns_));
    }
    return max();
}

Histogram::Summary Histogram::summary() const {
    if (empty()) return {};
    return {.sum_ns = sum_ns_, .min_ns = min_ns_, .max_ns = max_ns_};
}

std::optional<Histogram> Histogram::restore(std::vector<Bucket> buckets, Summary summary) {
    std::ranges::sort(buckets);
    Histogram result;
    for (const auto& [bucket, count] : buckets) {
        if (bucket >= bucket_count || count == 0) return std::nullopt;
        result.count_ += count;
    }
    if (std::ranges::adjacent_find(buckets, {}, &Bucket::first) != buckets.end()) return std::nullopt;
    if (result.empty()) return result;
    if (summary.min_ns > summary.max_ns) return std::nullopt;
    result.buckets_ = std::move(buckets);
    result.sum_ns_ = summary.sum_ns;
    result.min_ns_ = summary.min_ns;
    result.max_ns_ = summary.max_ns;
    return result;
}

Histogram HistogramRecorder::histogram() const {
    std::vector<Histogram::Bucket> buckets;
    for (std::size_t i = 0; i < counts_.size(); ++i)
        if (counts_[i] != 0) buckets.emplace_back(static_cast<std::uint32_t>(i), counts_[i]);
    return *Histogram::restore(std::move(buckets), {.sum_ns = sum_ns_, .min_ns = min_ns_, .max_ns = max_ns_});
}

} // namespace mediarig::measure
