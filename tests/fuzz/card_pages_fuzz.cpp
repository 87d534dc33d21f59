// SPDX-License-Identifier: GPL-3.0-or-later
/// Parses any bytes as a health page and as an EXT_CSD. Values are in range, and the health survives a round trip.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "host/media/history/earlier_use.hpp"
#include "host/media/identity/health/card_health.hpp"
#include "host/media/identity/rows.hpp"

using namespace mediarig::media;

namespace {
void require(bool promise) {
    if (!promise) std::abort();
}

void check(const CardHealth& health) {
    require(health.state == HealthState::reported && !health.layout.empty() && health.detail.empty());
    require(!health.life_used || *health.life_used >= 0);
    Medium card;
    card.node = "/dev/mmcblk0";
    card.health = health;
    for (const IdentityRow& row : identity_rows(card)) require(!row.value.empty() && !row.source.empty());
    require(earlier_use_of(card, std::nullopt).verdict != UseVerdict::used);
    const auto back = card_health_from_json(nlohmann::json::parse(to_json(health).dump()));
    require(back && *back == health);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    HealthPage page{};
    std::transform(data, data + std::min(size, page.size()), page.begin(),
                   [](std::uint8_t byte) { return std::byte{byte}; });
    if (const auto parsed = parse_card_page(page)) check(health_of(*parsed, "CMD56"));
    if (const auto parsed = parse_phison_page(page)) check(health_of(*parsed, "CMD56"));
    if (const auto parsed = parse_ext_csd_health(page)) check(health_of(*parsed));
    return 0;
}
