// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/plant.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/core/geometry.hpp"
#include "firmware/plant/injection_text.hpp"
#include "hw/parts.hpp"

namespace mediarig::plant {

using firmware::port_count;
using rigproto::Axis;

namespace {
constexpr std::uint8_t bit(unsigned index) {
    return static_cast<std::uint8_t>(1U << index);
}
} // namespace

Plant::Plant(const PlantConfig& config)
    : config_(config),
      x_(config.x),
      z_(config.z),
      vacuum_(config.vacuum),
      safety_(true, config.safety_bounce, scatter(config.seed + 2)),
      nest_contact_(false, config.contact_bounce, scatter(config.seed + 3)) {
    for (std::uint8_t pocket = 0; pocket < config_.geometry.pockets && pocket < Cards::count(); ++pocket)
        if ((config_.full_pockets >> pocket & 1U) != 0)
            cards_[pocket] = {.where = Card::CardPlace::pocket, .index = pocket};
    for (std::uint8_t port = 0; port < port_count; ++port) {
        ports_[port] = PortModel(config_.port);
        // Without a carriage the cards are in the readers from the start.
        const bool filled =
            config_.geometry.pockets == 0 && port < config_.geometry.ports && (config_.full_pockets >> port & 1U) != 0;
        if (filled) cards_[port] = {.where = Card::CardPlace::port, .index = port};
        contacts_[port] = Contact(filled, config_.contact_bounce, scatter(config.seed + 16 + port));
    }
}

void Plant::advance(Nanoseconds to) {
    while (const auto event = next_event()) {
        if (*event > to) break;
        now_ = std::max(now_, *event);
        settle();
    }
    now_ = std::max(now_, to);
}

std::optional<Nanoseconds> Plant::next_event() const {
    std::optional<Nanoseconds> first;
    const auto consider = [&](std::optional<Nanoseconds> at) {
        if (at && (!first || *at < *first)) first = at;
    };
    for (const PortModel& port : ports_) consider(port.next_event(now_));
    if (held_ == no_card && touched() != no_card) consider(vacuum_.grips(now_) ? now_ : vacuum_.grip_time());
    if (loose()) consider(vacuum_.drops(now_) ? now_ : vacuum_.drop_time());
    for (const PendingInjection& waiting : waiting_)
        if (waiting.injection.cue.on == InjectionTrigger::On::delay) consider(waiting.due);
    return first;
}

void Plant::settle() {
    for (std::uint8_t port = 0; port < port_count; ++port) {
        const auto change = ports_[port].settle(now_);
        if (change == PortModel::Change::up) happen(PlantEvent::Kind::voltage_up, port, cards_.in_port(port));
        if (change == PortModel::Change::down) happen(PlantEvent::Kind::voltage_down, port, cards_.in_port(port));
    }
    if (held_ == no_card && touched() != no_card && vacuum_.grips(now_)) {
        held_ = touched();
        carried_ = 0;
        update_vacuum();
    } else if (loose() && vacuum_.drops(now_)) {
        drop();
    }
    for (std::size_t i = 0; i < waiting_.size();) {
        if (waiting_[i].injection.cue.on == InjectionTrigger::On::delay && waiting_[i].due <= now_) {
            const Injection injection = waiting_[i].injection.injection;
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
            act(injection);
            i = 0;
        } else {
            ++i;
        }
    }
}

std::optional<Nanoseconds> Plant::next_change() const {
    std::optional<Nanoseconds> first = next_event();
    const auto consider = [&](std::optional<Nanoseconds> at) {
        if (at && (!first || *at < *first)) first = at;
    };
    for (const Contact& contact : contacts_) consider(contact.next_change(now_));
    consider(safety_.next_change(now_));
    consider(nest_contact_.next_change(now_));
    for (const Nanoseconds ends : spike_ends_)
        if (ends > now_) consider(ends);
    return first;
}

void Plant::step(Axis axis, int direction, Nanoseconds at) {
    advance(at);
    if (!actuators_.motors_on || !powered()) return;
    AxisModel& model = axis == Axis::x ? x_ : z_;
    const std::int32_t before = model.position();
    if (!model.step(direction > 0 ? 1 : -1, now_)) return;
    if (axis == Axis::x) {
        moved_x();
        cue_position(before);
    } else {
        moved_z(before);
    }
    advance(now_);
}

void Plant::set(const Actuators& actuators, Nanoseconds at) {
    advance(at);
    if (actuators == actuators_) return;
    const auto switched_on = static_cast<std::uint8_t>(actuators.ports_on & ~actuators_.ports_on);
    if (!armed_ && actuators.arm && !actuators_.arm && chain_closed()) {
        armed_ = true;
        armed_at_ = now_;
    }
    actuators_ = actuators;
    for (std::uint8_t port = 0; port < port_count; ++port) {
        if ((switched_on & bit(port)) == 0) continue;
        if (cards_.in_port(port) == no_card) ++hazards_.empty_reader_switched_on;
        const Spot here = spot();
        if (here.kind == Spot::Kind::port && here.index == port && z_.position() >= mouth())
            ++hazards_.voltage_onto_cup;
    }
    update_ports();
    update_vacuum();
    nest_.power(actuators_.nest_power);
    advance(now_);
}

void Plant::nest_lines(bool clock, bool command, Nanoseconds at) {
    advance(at);
    nest_.lines(clock, command, now_);
}

void Plant::update_ports() {
    for (std::uint8_t port = 0; port < port_count; ++port) {
        ports_[port].command((actuators_.ports_on & bit(port)) != 0, now_);
        const bool card = cards_.in_port(port) != no_card;
        ports_[port].load_card(card, now_);
        contacts_[port].set(contact_closed_[port] || (card && !contact_broken_[port]), now_);
    }
}

/// Returns the card whose contacts touch those of the nest.
std::uint8_t Plant::on_contacts() const {
    if (const std::uint8_t lying = cards_.on_nest(); lying != no_card) return lying;
    const Spot here = spot();
    const bool down = z_.position() >= config_.geometry.z_nest - config_.contact_depth;
    return held_ != no_card && here.kind == Spot::Kind::nest && here.aligned && down ? held_ : no_card;
}

void Plant::update_nest() {
    const std::uint8_t card = on_contacts();
    if (card == on_nest_) return;
    on_nest_ = card;
    nest_.remove();
    if (card != no_card) {
        const SdDefect defect = cards_[card].defect;
        const std::uint8_t shown = defect == SdDefect::copied ? std::uint8_t{0} : card;
        const auto given = config_.registers.find(shown);
        nest_.insert(given != config_.registers.end() ? given->second : simulated_registers(shown), defect);
        nest_.power(actuators_.nest_power);
    }
    nest_contact_.set(card != no_card, now_);
}

void Plant::update_vacuum() {
    update_nest();
    const std::uint8_t card = held_ != no_card ? held_ : touched();
    vacuum_.set({.pump = actuators_.pump && powered() && !pump_broken_,
                 .vent = actuators_.valve && powered(),
                 .sealed = card != no_card && !cards_[card].porous && !jaw_open()},
                now_);
}

Sensors Plant::sense() const {
    Sensors sensors{
        .x_home = x_.flag(), .z_home = z_.flag(), .safety_closed = safety_.read(now_), .driver_fault = driver_failed_};
    // While their supply rises, enabled drivers report undervoltage.
    sensors.driver_fault |= actuators_.motors_on && powered() && now_ - armed_at_ < config_.drivers_wake;
    for (std::uint8_t port = 0; port < port_count; ++port) {
        if (contacts_[port].read(now_)) sensors.cards |= bit(port);
        if (ports_[port].fault_pin()) sensors.port_faults |= bit(port);
        sensors.ports[port] = ports_[port].sample(now_);
        if (unread_[port]) sensors.ports[port].millivolts = 0;
    }
    sensors.nest_card = nest_contact_.read(now_);
    sensors.no_carriage = config_.geometry.pockets == 0;
    sensors.nest_microamperes = nest_.microamperes();
    sensors.x_comb = comb_fault_ == AxisModel::Flag::fine
                         ? firmware::comb_distance(config_.geometry, x_.position()) <= config_.geometry.x_comb
                         : comb_fault_ == AxisModel::Flag::covered;
    sensors.x_home ^= spike(Wire::x_flag);
    sensors.z_home ^= spike(Wire::z_flag);
    sensors.x_comb ^= spike(Wire::comb);
    sensors.driver_fault ^= spike(Wire::driver);
    sensors.vacuum_mv = static_cast<std::uint16_t>(std::lround(std::max(vacuum_.millivolts(now_), 0.0)));
    if (vacuum_stuck_) sensors.vacuum_mv = *vacuum_stuck_;
    if (nest_switch_ == Injection::What::switch_on_vacuum)
        sensors.nest_microamperes = sensors.vacuum_mv * parts::nest_ua_per_mv;
    if (nest_switch_ == Injection::What::switch_on_nest)
        sensors.vacuum_mv = static_cast<std::uint16_t>(sensors.nest_microamperes / parts::nest_ua_per_mv);
    return sensors;
}

void Plant::happen(PlantEvent::Kind kind, std::uint8_t place, std::uint8_t card) {
    events_.push_back({.at = now_, .kind = kind, .place = place, .card = card});
    std::vector<Injection> due;
    std::erase_if(waiting_, [&](PendingInjection& waiting) {
        if (waiting.injection.cue.on != InjectionTrigger::On::counted || waiting.injection.cue.kind != kind)
            return false;
        if (++waiting.seen < waiting.injection.cue.count) return false;
        due.push_back(waiting.injection.injection);
        return true;
    });
    for (const Injection& injection : due) act(injection);
}

void Plant::cue_position(std::int32_t before) {
    const std::int32_t after = x_.position();
    std::vector<Injection> due;
    std::erase_if(waiting_, [&](const PendingInjection& waiting) {
        const std::int32_t mark = waiting.injection.cue.position;
        if (waiting.injection.cue.on != InjectionTrigger::On::passing || after != mark || before == mark) return false;
        due.push_back(waiting.injection.injection);
        // "It jams" applies to the current position, in the current direction.
        if (due.back().what == Injection::What::jam_carriage && due.back().amount == mark)
            due.back().amount = after + (after - before);
        return true;
    });
    for (const Injection& injection : due) act(injection);
}

std::vector<PlantEvent> Plant::take_events() {
    return std::exchange(events_, {});
}

std::int32_t Plant::position(Axis axis) const {
    return axis == Axis::x ? x_.position() : z_.position();
}

std::uint32_t Plant::steps_made(Axis axis) const {
    return axis == Axis::x ? x_.steps_made() : z_.steps_made();
}

tl::expected<void, std::string> Plant::say(std::string_view sentence, Nanoseconds at) {
    const auto injection =
        read_injection(sentence, {.pockets = config_.geometry.pockets, .ports = config_.geometry.ports});
    if (!injection) return tl::unexpected(injection.error());
    cause(*injection, at);
    return {};
}

std::uint64_t Plant::fingerprint() const {
    StateHash hash;
    hash.add(now_);
    hash.add(actuators_.motors_on);
    hash.add(actuators_.pump);
    hash.add(actuators_.valve);
    hash.add(actuators_.jaw_open);
    hash.add(jaw_fault_);
    for (const Nanoseconds ends : spike_ends_) hash.add(ends);
    hash.add(armed_);
    hash.add(armed_at_);
    hash.add(actuators_.ports_on);
    hash.add(actuators_.nest_power);
    nest_.add_to(hash);
    x_.add_to(hash);
    z_.add_to(hash);
    cards_.add_to(hash);
    vacuum_.add_to(hash);
    for (std::uint8_t port = 0; port < port_count; ++port) {
        ports_[port].add_to(hash);
        contacts_[port].add_to(hash);
        hash.add((contact_broken_[port] ? 1 : 0) | (contact_closed_[port] ? 2 : 0) | (unread_[port] ? 4 : 0));
    }
    safety_.add_to(hash);
    hash.add(estop_);
    hash.add(door_open_);
    hash.add(comb_fault_);
    hash.add(vacuum_stuck_.value_or(0xFFFF));
    hash.add((pump_broken_ ? 1 : 0) | (driver_failed_ ? 2 : 0));
    hash.add(held_);
    hash.add(carried_);
    hash.add(waiting_.size());
    return hash.value();
}

} // namespace mediarig::plant
