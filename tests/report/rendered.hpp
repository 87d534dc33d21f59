// SPDX-License-Identifier: GPL-3.0-or-later
/// Renderings of a campaign in memory.
#pragma once

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/report/output/html/certificate.hpp"
#include "host/report/output/html/html.hpp"
#include "host/report/output/terminal.hpp"

namespace mediarig::tests {

/// Number of occurrences of a part in a text.
inline std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

inline Result<void> whole_already(store::DeviceView&) {
    return {};
}

inline std::string page_of(store::CampaignView campaign) {
    auto page = report::render_html(std::move(campaign), whole_already);
    if (!page) throw std::runtime_error(page.error().detail);
    return std::move(*page);
}

inline std::string certificates_of(store::CampaignView campaign) {
    std::vector<std::size_t> devices(campaign.devices.size());
    std::iota(devices.begin(), devices.end(), std::size_t{});
    auto page = report::render_certificates(std::move(campaign), devices, whole_already);
    if (!page) throw std::runtime_error(page.error().detail);
    return std::move(*page);
}

inline std::string cards_text_of(store::CampaignView campaign, const report::TableOptions& options) {
    auto cards = report::render_cards(std::move(campaign), whole_already, options);
    if (!cards) throw std::runtime_error(cards.error().detail);
    return std::move(cards->cards);
}

} // namespace mediarig::tests
