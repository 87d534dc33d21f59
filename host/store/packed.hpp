// SPDX-License-Identifier: GPL-3.0-or-later
/// Histograms and series as bytes, for the columns of the store. Both begin with a format number (1), followed by
/// variable-length integers: 7 bits per byte, least significant first, the high bit means "more follows".
///
///   histogram: 1, sum, min, max, buckets, then for each non-empty bucket: distance from the one before, count
///   series:    1, seconds, then for each: length, bytes moved, operations, longest operation (times in nanoseconds)
///
/// Compared with JSON, a histogram takes a quarter of the space, and no text has to be parsed for each cell of a
/// campaign.
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

/// These functions accept any input and return nothing if the bytes are damaged or have an unknown format number.
[[nodiscard]] std::optional<measure::Histogram> unpack_histogram(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::optional<std::vector<workload::SeriesSample>> unpack_series(std::span<const std::uint8_t> bytes);

} // namespace mediarig::store
