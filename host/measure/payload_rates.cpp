// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/payload_rates.hpp"

#include <algorithm>
#include <cmath>

#include "host/measure/statistics.hpp"

namespace mediarig::measure {

std::optional<PayloadDifference> payload_difference(std::span<const PayloadRates> payloads, std::size_t reference) {
    double widest = 1;
    for (const PayloadRates& rates : payloads) {
        if (rates.size() < least_payload_rates) return std::nullopt;
        const auto range = spread(rates);
        if (range->least <= 0) return std::nullopt;
        widest = std::max(widest, range->most / range->least);
    }
    if (reference >= payloads.size()) return std::nullopt;
    const Spread base = *spread(payloads[reference]);
    const double base_mean = *geometric_mean(payloads[reference]);
    std::optional<PayloadDifference> largest;
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        if (i == reference) continue;
        const Spread own = *spread(payloads[i]);
        const double gap = std::max(own.least / base.most, base.least / own.most);
        const double ratio = *geometric_mean(payloads[i]) / base_mean;
        const double size = std::abs(std::log(ratio));
        if (gap <= widest || size < std::log(least_payload_ratio)) continue;
        if (!largest || size > std::abs(std::log(largest->ratio)))
            largest = PayloadDifference{.payload = i, .ratio = ratio, .spread = widest};
    }
    return largest;
}

} // namespace mediarig::measure
