// SPDX-License-Identifier: GPL-3.0-or-later
// Effects of injections on the rig.
#include <algorithm>

#include "firmware/plant/plant.hpp"

namespace mediarig::plant {

using What = Injection::What;

void Plant::cause(const TriggeredInjection& injection, Nanoseconds at) {
    advance(at);
    switch (injection.cue.on) {
        case InjectionTrigger::On::now:
            act(injection.injection);
            break;
        case InjectionTrigger::On::delay:
            waiting_.push_back({.injection = injection, .due = now_ + injection.cue.delay});
            break;
        case InjectionTrigger::On::passing:
        case InjectionTrigger::On::counted:
            waiting_.push_back({.injection = injection});
            break;
    }
}

std::optional<Injection> Plant::opposite(const Injection& injection) {
    Injection after = injection;
    after.lasting = 0;
    switch (injection.what) {
        case What::press_estop:
            after.what = What::release_estop;
            return after;
        case What::open_door:
            after.what = What::close_door;
            return after;
        case What::jam_carriage:
            after.what = What::free_carriage;
            return after;
        case What::driver_fails:
            after.what = What::driver_works;
            return after;
        case What::pump_fails:
            after.what = What::pump_works;
            return after;
        case What::weak_motor:
            after.what = What::strong_motor;
            return after;
        case What::contact_broken:
            after.what = What::contact_works;
            return after;
        default:
            return {};
    }
}

void Plant::act(const Injection& injection) {
    if (injection.lasting != 0)
        if (const auto after = opposite(injection))
            waiting_.push_back({.injection = {.cue = {.on = InjectionTrigger::On::delay}, .injection = *after},
                                .due = now_ + injection.lasting});
    Card& card = cards_[std::min<std::uint8_t>(injection.place, Cards::count() - 1)];
    switch (injection.what) {
        case What::empty_pocket:
            if (const auto id = cards_.in_pocket(injection.place); id != no_card) remove_card(id);
            break;
        case What::fill_pocket:
            if (cards_.in_pocket(injection.place) != no_card) break;
            remove_card(injection.place);
            card = {.where = Card::CardPlace::pocket, .index = injection.place};
            update_vacuum();
            break;
        case What::card_fine:
            card.bent = card.slippery = card.porous = card.stuck = card.clings = false;
            card.defect = SdDefect::none;
            update_vacuum();
            break;
        case What::card_bent:
            card.bent = true;
            break;
        case What::card_slippery:
            card.slippery = true;
            break;
        case What::card_porous:
            card.porous = true;
            update_vacuum();
            break;
        case What::card_stuck:
            card.stuck = true;
            break;
        case What::card_clings:
            card.clings = true;
            break;
        case What::clear_cup:
            if (held_ != no_card) remove_card(held_);
            break;
        case What::pull_card:
            if (const auto id = cards_.in_port(injection.place); id != no_card) remove_card(id);
            break;
        case What::shift_pocket:
            pocket_shift_[injection.place] = injection.amount;
            break;
        case What::shift_port:
            port_shift_[injection.place] = injection.amount;
            break;
        case What::contact_works:
        case What::contact_broken:
        case What::contact_closed:
            contact_broken_[injection.place] = injection.what == What::contact_broken;
            contact_closed_[injection.place] = injection.what == What::contact_closed;
            update_ports();
            break;
        case What::driver_fails:
        case What::driver_works:
            driver_failed_ = injection.what == What::driver_fails;
            break;
        case What::pump_fails:
        case What::pump_works:
            pump_broken_ = injection.what == What::pump_fails;
            update_vacuum();
            break;
        case What::jaw_works:
        case What::jaw_sticks_closed:
        case What::jaw_sticks_open:
            jaw_fault_ = injection.what;
            update_vacuum();
            break;
        case What::spike:
            spike_ends_[static_cast<std::size_t>(injection.amount) % wire_count] = now_ + config_.spike;
            break;
        case What::switch_works:
        case What::switch_on_vacuum:
        case What::switch_on_nest:
            nest_switch_ = injection.what;
            break;
        case What::vacuum_works:
            vacuum_stuck_.reset();
            break;
        case What::vacuum_high:
        case What::vacuum_low:
            vacuum_stuck_ = injection.what == What::vacuum_high ? config_.vacuum.sealed_mv : std::uint16_t{0};
            break;
        case What::port_unread:
            unread_[injection.place] = true;
            break;
        case What::press_estop:
        case What::release_estop:
            estop_ = injection.what == What::press_estop;
            chain_changed();
            break;
        case What::open_door:
        case What::close_door:
            door_open_ = injection.what == What::open_door;
            chain_changed();
            break;
        case What::comb_fine:
        case What::comb_covered:
        case What::comb_open:
            comb_fault_ = injection.what == What::comb_fine      ? AxisModel::Flag::fine
                          : injection.what == What::comb_covered ? AxisModel::Flag::covered
                                                                 : AxisModel::Flag::open;
            break;
        case What::card_registers:
        case What::lay_on_nest:
        case What::clear_nest:
            act_on_nest(injection);
            break;
        case What::jam_carriage:
        case What::free_carriage:
        case What::weak_motor:
        case What::strong_motor:
        case What::lose_steps:
        case What::flag_fine:
        case What::flag_covered:
        case What::flag_open:
        case What::flag_wanders:
        case What::push_carriage:
            act_on_axis(injection);
            break;
        default:
            act_on_port(injection);
            break;
    }
}

void Plant::chain_changed() {
    armed_ = armed_ && chain_closed();
    safety_.set(chain_closed(), now_);
    update_vacuum();
}

void Plant::act_on_axis(const Injection& injection) {
    AxisModel& axis = injection.axis == rigproto::Axis::x ? x_ : z_;
    switch (injection.what) {
        case What::jam_carriage:
            x_.jam(injection.amount);
            break;
        case What::free_carriage:
            x_.free();
            break;
        case What::push_carriage: {
            // The carriage cannot be moved by hand while the cup is down in a pocket, a reader or a bin.
            if (z_.position() > clear_of_everything) break;
            const std::int32_t before = x_.position();
            x_.push(injection.amount);
            if (x_.position() != before) moved_x();
            break;
        }
        case What::weak_motor:
            axis.weaken(static_cast<std::uint32_t>(injection.amount));
            break;
        case What::strong_motor:
            axis.weaken(0);
            break;
        case What::lose_steps:
            axis.lose(static_cast<std::uint32_t>(injection.amount));
            break;
        case What::flag_fine:
            axis.break_flag(AxisModel::Flag::fine);
            axis.drift_flag(0);
            break;
        case What::flag_covered:
            axis.break_flag(AxisModel::Flag::covered);
            break;
        case What::flag_open:
            axis.break_flag(AxisModel::Flag::open);
            break;
        case What::flag_wanders:
            axis.drift_flag(injection.amount);
            break;
        default:
            break;
    }
}

void Plant::act_on_nest(const Injection& injection) {
    const std::uint8_t lying = cards_.on_nest();
    switch (injection.what) {
        case What::card_registers:
            cards_[injection.place].defect = static_cast<SdDefect>(injection.amount);
            break;
        case What::lay_on_nest:
            if (lying == injection.place) break;
            if (lying != no_card) remove_card(lying);
            remove_card(injection.place);
            cards_[injection.place].where = Card::CardPlace::nest;
            cards_[injection.place].index = 0;
            update_nest();
            break;
        case What::clear_nest:
            if (lying != no_card) remove_card(lying);
            break;
        default:
            break;
    }
}

void Plant::act_on_port(const Injection& injection) {
    PortModel& port = ports_[injection.place];
    switch (injection.what) {
        case What::port_fine:
            unread_[injection.place] = false;
            port.repair(now_);
            break;
        case What::port_shorted:
            port.break_by(PortModel::Fault::shorted, now_);
            break;
        case What::port_draws:
            port.add_current(static_cast<std::uint16_t>(injection.amount), now_);
            break;
        case What::port_welds:
            port.break_by(PortModel::Fault::welds, now_);
            break;
        case What::port_stuck_on:
            port.break_by(PortModel::Fault::stuck_on, now_);
            break;
        case What::port_dead:
            port.break_by(PortModel::Fault::dead, now_);
            break;
        case What::port_back_fed:
            port.break_by(PortModel::Fault::back_fed, now_);
            break;
        case What::port_slow:
            port.break_by(PortModel::Fault::slow, now_);
            break;
        case What::port_cuts_off:
            port.break_by(PortModel::Fault::cuts_off, now_);
            break;
        default:
            break;
    }
}

} // namespace mediarig::plant
