// SPDX-License-Identifier: GPL-3.0-or-later
/// Does the rate of a medium depend on the written data? Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mediarig::measure {

/// Rates with one payload, in any single unit; > 0.
using PayloadRates = std::vector<double>;

struct PayloadDifference {
    std::size_t payload{}; ///< index of the payload that differs most
    double ratio{};        ///< mean rate with it / mean rate with the reference; geometric means
    double spread{};       ///< largest ratio of two rates with one payload, at least 1
    bool operator==(const PayloadDifference&) const = default;
};

/// A smaller difference does not change a comparison of media.
inline constexpr double least_payload_ratio = 1.1;
/// Fewer rates do not show the scatter.
inline constexpr std::size_t least_payload_rates = 3;

/// Compares each payload with the payload `reference`, if the scatter permits it: their rates do not overlap, and the
/// gap between them is larger than the largest spread of any payload. So a drift, which widens all spreads, gives no
/// difference. Returns the largest difference of at least least_payload_ratio; nothing with fewer than
/// least_payload_rates of any payload, or with a rate <= 0.
[[nodiscard]] std::optional<PayloadDifference> payload_difference(std::span<const PayloadRates> payloads,
                                                                  std::size_t reference);

} // namespace mediarig::measure
