// SPDX-License-Identifier: GPL-3.0-or-later
/// What a card's own registers, as a rig's nest read them, say of the card: which one it is, and what does not fit.
/// Pure.
#pragma once

#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/rig/port/nest_reading.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

/// A card that the store knows by its registers.
struct KnownCard {
    store::DeviceRecord device; ///< with `identity.sd`, whose CID is not empty
    std::string campaign;       ///< its name; empty: the one that is running, in which no card is met twice
};

/// Whether it says itself which card it is.
[[nodiscard]] bool has_cid(const media::Medium& medium);

/// Those of `devices` that say which card they are.
[[nodiscard]] std::vector<KnownCard> cards_among(const std::vector<store::DeviceView>& devices,
                                                 const std::string& campaign);

/// Registers that were read become the medium's, unless the agent sees them itself.
void add_registers(media::Medium& medium, const rig::NestReading& nest);

/// About a card with the registers added: its CID or serial number is another card's too; its CSD claims another
/// capacity than the medium has; what the nest could not read, where there is one (`nest`: null for a reader that
/// passes registers on). A card that an earlier campaign met in the same lot,
/// under the same label and with the same capacity and SCR is taken for the same card.
[[nodiscard]] measure::Findings findings_about_card(const store::DeviceRecord& card, const rig::NestReading* nest,
                                                    const std::vector<KnownCard>& known);

} // namespace mediarig::session
