// SPDX-License-Identifier: GPL-3.0-or-later
/// Evaluates the registers of a card that a rig's nest read: the card's identity, and contradictions. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/rig/port/nest_reading.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

/// A card in the store whose registers are known.
struct KnownCard {
    store::DeviceRecord device; ///< record whose `identity.sd` has a CID
    std::string campaign;       ///< name of the campaign; empty: the running campaign, in which each card occurs once
};

/// True if the medium identifies itself by a CID.
[[nodiscard]] bool has_cid(const media::Medium& medium);

/// Returns the cards among `devices` that have a CID.
[[nodiscard]] std::vector<KnownCard> known_cards(const std::vector<store::DeviceView>& devices,
                                                 const std::string& campaign);

/// Copies registers that the nest read to the medium, unless the agent reads the registers itself.
void add_registers(media::Medium& medium, const rig::NestReading& nest);

/// Findings about a card after add_registers(): another card has the same CID or serial number; the CSD claims a
/// different capacity than the medium has; the nest could not read some registers (`nest` is null for a reader that
/// passes registers on). A card of an earlier campaign with the same lot, label, capacity and SCR is considered the
/// same card.
[[nodiscard]] measure::Findings findings_about_card(const store::DeviceRecord& card, const rig::NestReading* nest,
                                                    const std::vector<KnownCard>& known);

} // namespace mediarig::campaign
