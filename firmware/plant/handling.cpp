// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of the cup on cards: find, lift, put down, lose.
#include <cstdlib>

#include "firmware/plant/plant.hpp"

namespace mediarig::plant {

using Kind = PlantEvent::Kind;
using CardPlace = Card::CardPlace;

namespace {
constexpr double discharged_mv = 500;
constexpr std::int32_t touch_slack = 8; ///< the cup is springy
} // namespace

Plant::Spot Plant::spot() const {
    const auto& geometry = config_.geometry;
    const auto at = [&](std::int32_t middle, Spot::Kind kind, std::uint8_t index, Spot& found) {
        const std::int32_t beside = std::abs(x_.position() - middle);
        if (beside > config_.cup_reach) return false;
        found = {.kind = kind, .index = index, .aligned = beside <= config_.slot_tolerance};
        return true;
    };
    Spot found;
    for (std::uint8_t pocket = 0; pocket < geometry.pockets; ++pocket)
        if (at(geometry.x_first_pocket + pocket * geometry.x_pocket_pitch + pocket_shift_[pocket], Spot::Kind::pocket,
               pocket, found))
            return found;
    for (std::uint8_t port = 0; port < geometry.ports; ++port)
        if (at(geometry.x_first_port + port * geometry.x_port_pitch + port_shift_[port], Spot::Kind::port, port, found))
            return found;
    if (geometry.z_nest != 0 && at(geometry.x_nest, Spot::Kind::nest, 0, found)) return found;
    for (std::uint8_t bin = 0; bin < rigproto::bin_count; ++bin)
        if (at(geometry.x_bin[bin], Spot::Kind::bin, bin, found)) return found;
    return {};
}

/// Returns the card on which the cup rests while it holds none.
std::uint8_t Plant::touched() const {
    const Spot here = spot();
    const auto& geometry = config_.geometry;
    if (here.kind == Spot::Kind::pocket && z_.position() >= geometry.z_pocket - touch_slack)
        return cards_.in_pocket(here.index);
    if (here.kind == Spot::Kind::port && z_.position() >= geometry.z_port - touch_slack)
        return cards_.in_port(here.index);
    if (here.kind == Spot::Kind::nest && z_.position() >= geometry.z_nest - touch_slack) return cards_.on_nest();
    return no_card;
}

void Plant::moved_x() {
    if (z_.position() > clear_of_everything) ++hazards_.x_moved_with_z_down;
    if (held_ == no_card) return;
    ++carried_;
    if (cards_[held_].slippery && cards_[held_].where == CardPlace::cup && carried_ >= config_.slips_after) drop();
}

void Plant::moved_z(std::int32_t before) {
    const Spot here = spot();
    if (here.kind == Spot::Kind::port && z_.position() > before && z_.position() >= mouth() &&
        ports_[here.index].millivolts(now_) >= discharged_mv)
        ++(before < mouth() ? hazards_.reached_into_live_port : hazards_.pressed_into_live_port);
    lift_or_lower();
    const std::uint8_t lay = on_nest_;
    update_vacuum();
    if (on_nest_ != lay && actuators_.nest_power) ++hazards_.card_moved_on_live_nest;
}

void Plant::lift_or_lower() {
    if (held_ == no_card) return;
    const auto& geometry = config_.geometry;
    const Spot here = spot();
    const CardPlace where = cards_[held_].where;
    if (where == CardPlace::cup) {
        enter(here);
    } else if ((where == CardPlace::pocket && z_.position() < geometry.z_pocket - config_.pocket_depth) ||
               (where == CardPlace::port && z_.position() < geometry.z_port - config_.contact_depth) ||
               (where == CardPlace::nest && z_.position() < geometry.z_nest - config_.contact_depth)) {
        leave();
    }
}

void Plant::enter(const Spot& here) {
    Card& card = cards_[held_];
    const auto& geometry = config_.geometry;
    if (here.kind == Spot::Kind::pocket && z_.position() >= geometry.z_pocket - config_.pocket_depth) {
        if (cards_.in_pocket(here.index) != no_card) {
            ++hazards_.card_pushed_onto_card;
        } else if (here.aligned) {
            card.where = CardPlace::pocket;
            card.index = here.index;
            happen(Kind::card_stored, here.index, held_);
        }
    } else if (here.kind == Spot::Kind::port && z_.position() >= geometry.z_port - config_.contact_depth) {
        if (cards_.in_port(here.index) != no_card) {
            ++hazards_.card_pushed_onto_card;
        } else if (here.aligned && !card.bent) {
            if (ports_[here.index].millivolts(now_) >= discharged_mv) ++hazards_.card_moved_under_voltage;
            card.where = CardPlace::port;
            card.index = here.index;
            update_ports();
            happen(Kind::card_inserted, here.index, held_);
        }
    }
}

void Plant::leave() {
    Card& card = cards_[held_];
    const std::uint8_t place = card.index;
    if (card.where == CardPlace::port) {
        if (card.stuck) {
            // The reader holds the card more firmly than the cup.
            detach();
            return;
        }
        if (ports_[place].millivolts(now_) >= discharged_mv) ++hazards_.card_moved_under_voltage;
        card.where = CardPlace::cup;
        update_ports();
        happen(Kind::card_removed, place, held_);
        return;
    }
    const bool from_pocket = card.where == CardPlace::pocket;
    card.where = CardPlace::cup;
    if (from_pocket) happen(Kind::card_picked, place, held_);
}

void Plant::detach() {
    held_ = no_card;
    carried_ = 0;
    update_vacuum();
}

/// The cup releases the card: it stays in its place, or falls.
void Plant::drop() {
    const std::uint8_t id = held_;
    Card& card = cards_[id];
    if (card.where == CardPlace::cup) {
        const Spot here = spot();
        if (here.kind == Spot::Kind::bin && z_.position() >= config_.geometry.z_bin - config_.contact_depth) {
            card.where = CardPlace::bin;
            card.index = here.index;
            detach();
            happen(Kind::card_binned, here.index, id);
            return;
        }
        if (on_nest_ == id) {
            card.where = CardPlace::nest;
            card.index = 0;
            detach();
            return;
        }
        card.where = CardPlace::lost;
        detach();
        happen(Kind::card_lost, 0, id);
        return;
    }
    detach();
}

void Plant::take_over(const Cards& cards) {
    cards_ = cards;
    held_ = no_card;
    for (std::uint8_t card = 0; card < Cards::count(); ++card)
        if (cards_[card].where == CardPlace::cup) cards_[card].where = CardPlace::lost;
    update_ports();
    update_vacuum();
}

void Plant::remove_card(std::uint8_t id) {
    Card& card = cards_[id];
    const bool in_port = card.where == CardPlace::port;
    const std::uint8_t place = card.index;
    card.where = CardPlace::nowhere;
    if (held_ == id) detach();
    update_ports();
    update_vacuum();
    if (in_port) happen(Kind::card_removed, place, id);
}

} // namespace mediarig::plant
