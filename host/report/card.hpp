// SPDX-License-Identifier: GPL-3.0-or-later
/// The answer about each device in a few lines: what terminal and page show first, in the same words. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/card_findings.hpp"
#include "host/report/figures.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// One subject of a card, such as "How fast?".
struct CardRow {
    std::string title;
    std::vector<std::string> lines; ///< at least one
};

/// Plain text, not yet made safe: it holds what people and media say.
struct Card {
    std::optional<measure::Grade> grade; ///< unset: not judged
    std::string title;                   ///< "fast: Sample Swift 64, 63.9 GB, serial …0117, slot 1, “blue”"
    std::string verdict;                 ///< why this grade, one sentence
    /// Those that have something to say, in this order: Genuine?, How fast?, Limits, Format, Distrust, Not tested,
    /// Next.
    std::vector<CardRow> rows;
    std::vector<FindingGroup> distrust; ///< what the row of that name says
};

/// Of one device, which is whole; the others may be as an outline has them.
[[nodiscard]] Card card_of(const store::CampaignView& campaign, std::size_t device);

/// Card::verdict of a device. `state`: of its campaign.
[[nodiscard]] std::string verdict_text(const std::optional<measure::Verdict>& verdict, store::CampaignState state);
/// The same; of a medium that could not be identified and is not judged, why it could not. Wants what was not tested.
[[nodiscard]] std::string verdict_text(const store::DeviceView& device, store::CampaignState state);

/// Whether the campaign's media are those of the virtual lab, whose identities are the emulator's.
[[nodiscard]] bool is_of_lab(const store::CampaignRecord& campaign);

} // namespace mediarig::report
