// SPDX-License-Identifier: GPL-3.0-or-later
/// Histograms and series as bytes, for the columns of the store. Both begin with a format number (1) and go on in
/// variable-length integers: 7 bits a byte, least significant first, the high bit says "more follows".
///
///   histogram: 1, sum, min, max, buckets, then for each non-empty bucket: distance from the one before, count
///   series:    1, seconds, then for each: length, bytes moved, operations, longest operation (times in nanoseconds)
///
/// Why not JSON: a histogram takes a quarter of the room, and the text would be parsed for each cell of a campaign.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/measure/histogram.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::store {

[[nodiscard]] std::vector<std::uint8_t> pack(const measure::Histogram& histogram);
[[nodiscard]] std::vector<std::uint8_t> pack(const std::vector<workload::SeriesSample>& series);

/// Nothing where the bytes are damaged or of an unknown format number. They trust no byte.
[[nodiscard]] std::optional<measure::Histogram> unpack_histogram(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::optional<std::vector<workload::SeriesSample>> unpack_series(std::span<const std::uint8_t> bytes);

} // namespace mediarig::store
