// SPDX-License-Identifier: GPL-3.0-or-later
/// Latency histogram: log-linear, 64 sub-buckets per power of two, so each value is known to within 1/128 (0.8 %). fio
/// uses the same buckets for its latencies, so both histograms are comparable.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace mediarig::measure {

/// The latency percentiles in records, tables and reports. A further percentile adds a column everywhere: it requires a
/// new version of the store's schema and a member in docs/schemas/results.schema.json.
struct Percentile {
    std::string_view column; ///< name of the column in CSV and SQL and of the member in JSON
    std::string_view title;
    double fraction{};
};
inline constexpr std::array percentiles{Percentile{"p50_ns", "p50", 0.50}, Percentile{"p90_ns", "p90", 0.90},
                                        Percentile{"p99_ns", "p99", 0.99}, Percentile{"p99_9_ns", "p99.9", 0.999}};

class Histogram {
public:
    using Duration = std::chrono::nanoseconds;
    static constexpr unsigned sub_bits = 6;
    static constexpr unsigned max_shift = 34; ///< up to 2^41 ns = 36 minutes; longer values go to the last bucket
    static constexpr std::size_t bucket_count = (std::size_t{max_shift} << sub_bits) + (std::size_t{2} << sub_bits);

    /// The bucket of a latency of `ns` nanoseconds. Exact below 128 ns. Runs once per I/O.
    static constexpr std::size_t bucket_of(std::uint64_t ns) {
        constexpr unsigned exact_bits = sub_bits + 1;
        const auto width = static_cast<unsigned>(std::bit_width(ns | ((1u << exact_bits) - 1)));
        const unsigned shift = width - exact_bits;
        const std::size_t bucket = (std::size_t{shift} << sub_bits) + static_cast<std::size_t>(ns >> shift);
        return bucket < bucket_count ? bucket : bucket_count - 1;
    }

    void merge(const Histogram& other);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    /// Exact, independent of buckets. Zero if empty.
    [[nodiscard]] Duration min() const;
    [[nodiscard]] Duration max() const;
    /// Exact arithmetic mean; returns nothing for an empty histogram.
    [[nodiscard]] std::optional<Duration> mean() const;
    /// Standard deviation of the whole population, with the resolution of the buckets. Returns nothing for an empty
    /// histogram.
    [[nodiscard]] std::optional<Duration> deviation() const;
    /// The latency that a fraction `quantile` (0…1) of all operations did not exceed; returns nothing for an
    /// empty histogram.
    [[nodiscard]] std::optional<Duration> quantile(double quantile) const;

    /// The number of a bucket, and its number of operations.
    using Bucket = std::pair<std::uint32_t, std::uint64_t>;
    /// The non-empty buckets in ascending order, for storage; `restore` is the inverse.
    [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
    struct Summary {
        std::uint64_t sum_ns{};
        std::uint64_t min_ns{};
        std::uint64_t max_ns{};
    };
    [[nodiscard]] Summary summary() const;
    /// Returns nothing if a bucket is out of range, empty or repeated.
    static std::optional<Histogram> restore(std::vector<Bucket> buckets, Summary summary);

    bool operator==(const Histogram&) const = default;

private:
    std::vector<Bucket> buckets_; ///< a cell uses some fifty of the 2304 buckets
    std::uint64_t count_{};
    std::uint64_t sum_ns_{};
    std::uint64_t min_ns_{~std::uint64_t{0}};
    std::uint64_t max_ns_{};
};

/// Records single latencies at minimum cost: all buckets exist from the start.
class HistogramRecorder {
public:
    void record(std::uint64_t ns) {
        ++counts_[Histogram::bucket_of(ns)];
        sum_ns_ += ns;
        min_ns_ = ns < min_ns_ ? ns : min_ns_;
        max_ns_ = ns > max_ns_ ? ns : max_ns_;
    }
    /// The histogram of all latencies so far.
    [[nodiscard]] Histogram histogram() const;

private:
    std::array<std::uint64_t, Histogram::bucket_count> counts_{};
    std::uint64_t sum_ns_{};
    std::uint64_t min_ns_{~std::uint64_t{0}};
    std::uint64_t max_ns_{};
};

} // namespace mediarig::measure
