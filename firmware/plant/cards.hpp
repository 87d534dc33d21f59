// SPDX-License-Identifier: GPL-3.0-or-later
/// Place and defect of each card. A card is identified by its initial pocket (from 0).
#pragma once

#include <array>
#include <cstdint>

#include "firmware/plant/fingerprint.hpp"
#include "firmware/plant/sd_card.hpp"
#include "firmware/plant/values.hpp"

namespace mediarig::plant {

struct Card {
    enum class CardPlace : std::uint8_t {
        nowhere, ///< never in this rig, or taken away by hand
        pocket,
        port,
        bin,
        cup,
        lost, ///< fell off the cup
        nest  ///< the card is on the identity nest
    } where{};
    std::uint8_t index{}; ///< number of the pocket or port, or Bin
    bool bent{}, slippery{}, porous{}, stuck{}, clings{};
    SdDefect defect{}; ///< defect that the identity nest sees
    bool operator==(const Card&) const = default;
};

class Cards {
public:
    [[nodiscard]] const Card& operator[](std::uint8_t card) const { return cards_[card]; }
    [[nodiscard]] Card& operator[](std::uint8_t card) { return cards_[card]; }
    [[nodiscard]] static constexpr std::uint8_t count() { return rigproto::max_pockets; }

    [[nodiscard]] std::uint8_t in_pocket(std::uint8_t pocket) const { return find(Card::CardPlace::pocket, pocket); }
    [[nodiscard]] std::uint8_t in_port(std::uint8_t port) const { return find(Card::CardPlace::port, port); }
    [[nodiscard]] std::uint8_t on_nest() const { return find(Card::CardPlace::nest, 0); }

    void add_to(StateHash& hash) const {
        for (const Card& card : cards_) {
            hash.add(card.where);
            hash.add(card.index);
            hash.add((card.bent ? 1 : 0) | (card.slippery ? 2 : 0) | (card.porous ? 4 : 0) | (card.stuck ? 8 : 0) |
                     (card.clings ? 16 : 0));
            hash.add(card.defect);
        }
    }

private:
    [[nodiscard]] std::uint8_t find(Card::CardPlace where, std::uint8_t index) const {
        for (std::uint8_t card = 0; card < count(); ++card)
            if (cards_[card].where == where && cards_[card].index == index) return card;
        return no_card;
    }

    std::array<Card, rigproto::max_pockets> cards_{};
};

} // namespace mediarig::plant
