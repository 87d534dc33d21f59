// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/packed.hpp"

#include <utility>

namespace mediarig::store {
namespace {

constexpr std::uint64_t format_number = 1;

void append(std::vector<std::uint8_t>& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::uint8_t>(value));
}

void append(std::vector<std::uint8_t>& out, std::chrono::nanoseconds value) {
    append(out, static_cast<std::uint64_t>(value.count()));
}

/// Reads a sequence of numbers; after an error the reader stays invalid.
class Numbers {
public:
    explicit Numbers(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    std::uint64_t next() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const std::uint8_t byte = rest_.front();
            rest_ = rest_.subspan(1);
            const std::uint64_t part = byte & 0x7Fu;
            if (shift == 63 && part > 1) break;
            value |= part << shift;
            if ((byte & 0x80u) == 0) return value;
        }
        good_ = false;
        rest_ = {};
        return 0;
    }
    std::chrono::nanoseconds next_time() { return std::chrono::nanoseconds(static_cast<std::int64_t>(next())); }

    [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] bool ended_well() const { return good_ && rest_.empty(); }

private:
    std::span<const std::uint8_t> rest_;
    bool good_{true};
};

} // namespace

std::vector<std::uint8_t> pack(const measure::Histogram& histogram) {
    const auto& buckets = histogram.buckets();
    const auto summary = histogram.summary();
    std::vector<std::uint8_t> out;
    out.reserve(32 + buckets.size() * 4);
    append(out, format_number);
    append(out, summary.sum_ns);
    append(out, summary.min_ns);
    append(out, summary.max_ns);
    append(out, buckets.size());
    std::uint64_t previous = 0;
    for (const auto& [bucket, count] : buckets) {
        append(out, bucket - previous);
        append(out, count);
        previous = bucket;
    }
    return out;
}

std::optional<measure::Histogram> unpack_histogram(std::span<const std::uint8_t> bytes) {
    Numbers numbers(bytes);
    if (numbers.next() != format_number) return std::nullopt;
    const measure::Histogram::Summary summary{
        .sum_ns = numbers.next(), .min_ns = numbers.next(), .max_ns = numbers.next()};
    const std::uint64_t size = numbers.next();
    if (!numbers.good() || size > measure::Histogram::bucket_count) return std::nullopt;
    std::vector<measure::Histogram::Bucket> buckets;
    buckets.reserve(size);
    std::uint64_t bucket = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t distance = numbers.next();
        if (distance >= measure::Histogram::bucket_count) return std::nullopt;
        bucket += distance;
        if (bucket >= measure::Histogram::bucket_count) return std::nullopt;
        buckets.emplace_back(static_cast<std::uint32_t>(bucket), numbers.next());
    }
    if (!numbers.ended_well()) return std::nullopt;
    return measure::Histogram::restore(std::move(buckets), summary);
}

std::vector<std::uint8_t> pack(const std::vector<workload::SeriesSample>& series) {
    std::vector<std::uint8_t> out;
    out.reserve(8 + series.size() * 16);
    append(out, format_number);
    append(out, series.size());
    for (const workload::SeriesSample& second : series) {
        append(out, second.length);
        append(out, second.moved.count);
        append(out, second.operations);
        append(out, second.worst);
    }
    return out;
}

std::optional<std::vector<workload::SeriesSample>> unpack_series(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t least_bytes_a_second = 4;
    Numbers numbers(bytes);
    if (numbers.next() != format_number) return std::nullopt;
    const std::uint64_t size = numbers.next();
    // Check the count before the allocation: a damaged count must not request all memory.
    if (!numbers.good() || size > numbers.bytes_left() / least_bytes_a_second) return std::nullopt;
    std::vector<workload::SeriesSample> series(size);
    for (workload::SeriesSample& second : series) {
        second.length = numbers.next_time();
        second.moved = {numbers.next()};
        second.operations = numbers.next();
        second.worst = numbers.next_time();
    }
    if (!numbers.ended_well()) return std::nullopt;
    return series;
}

} // namespace mediarig::store
