// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/firmware/rig_model.hpp"

#include <algorithm>
#include <cstdlib>

#include "hw/parts.hpp"

namespace mediarig::firmware::test {

namespace {
constexpr std::int32_t aligned = 10;   // tolerance in steps at which the cup still meets a card
constexpr std::int32_t end_stop = 140; // steps beyond the flags
constexpr bool has(std::uint8_t mask, std::uint8_t port) {
    return (mask >> port & 1) != 0;
}
bool sensed(Sensor sensor, bool truth) {
    return sensor == Sensor::true_to_life ? truth : sensor == Sensor::stuck_on;
}
} // namespace

RigModel::RigModel(rigproto::Config config) : rig(config), pockets(rigproto::max_pockets, true) {
    retained.readers.set({}); // as if each reader had been inspected
    machine.configure(rig, now_us);
}

std::optional<std::uint8_t> RigModel::reader_below() const {
    for (std::uint8_t port = 0; port < rig.ports; ++port)
        if (std::abs(x - port_x(rig, port)) <= aligned) return port;
    return std::nullopt;
}

std::optional<std::uint8_t> RigModel::pocket_below() const {
    for (std::uint8_t pocket = 0; pocket < rig.pockets; ++pocket)
        if (std::abs(x - pocket_x(rig, pocket)) <= aligned) return pocket;
    return std::nullopt;
}

std::uint8_t RigModel::detects() const {
    std::uint8_t mask = broken.detect_stuck;
    for (std::uint8_t port = 0; port < port_count; ++port)
        if (readers[port] || pushed_into_ == port) mask |= static_cast<std::uint8_t>(1U << port);
    return mask;
}

Inputs RigModel::look() {
    Inputs inputs;
    inputs.now_us = now_us;
    const bool x_covered = x <= x_edge_, z_covered = z <= z_edge_;
    // The edge moves while the axis is clear of both of its positions.
    const auto wander = [](bool covered, bool& was_covered, std::int32_t at, std::int32_t by, std::int32_t& edge) {
        if (covered) was_covered = true;
        if (covered || !was_covered || at <= by) return;
        was_covered = false;
        edge = edge == 0 ? by : 0;
    };
    wander(x_covered, x_was_covered_, x, broken.x_flag_wanders, x_edge_);
    wander(z_covered, z_was_covered_, z, broken.z_flag_wanders, z_edge_);
    // A repaired flag has its nominal edge.
    if (broken.x_flag_wanders == 0) x_edge_ = 0;
    if (broken.z_flag_wanders == 0) z_edge_ = 0;
    inputs.x_home = sensed(broken.x_flag, x_covered);
    inputs.z_home = sensed(broken.z_flag, z_covered);
    inputs.x_comb = sensed(broken.comb, comb_distance(rig, x) <= rig.x_comb);
    inputs.safety_closed = !broken.safety_open;
    inputs.driver_fault = broken.driver_fault;
    inputs.cards = detects();
    inputs.port_faults = broken.cut_off;
    if (outputs.enabled && outputs.nest_sense)
        inputs.nest_microamperes = on_nest.microamperes() + broken.nest_offset_ua;
    else if (!broken.vacuum_unseen)
        inputs.vacuum_mv = vacuum_mv;
    inputs.sampled = wanted_;
    inputs.nest_card = nest_card;
    inputs.no_carriage = rig.pockets == 0;
    inputs.nest = nest_;
    for (std::uint8_t port = 0; port < port_count; ++port) {
        const bool live = has(outputs.ports_on, port) || has(broken.welded, port);
        const bool shorted = has(broken.shorted, port) && live;
        inputs.ports[port] = {shorted ? std::uint16_t{300} : millivolts[port], shorted ? parts::limit_ma
                                                                               : live && millivolts[port] > 0
                                                                                   ? broken.load_ma[port]
                                                                                   : std::uint16_t{1}};
    }
    return inputs;
}

void RigModel::tick() {
    const Inputs inputs = look();
    outputs = machine.tick(inputs);
    wanted_ = outputs.sample;
    watch(inputs);
    x_stepped_ = z_stepped_ = made_step_ = false;
    if (!next_step_us_ && steps.waiting()) next_step_us_ = now_us;
    make_steps(now_us + tick_us);
    if (x_stepped_ && z_stepped_) hazards.insert("two motions");
    pull();
    feed_ports();
    press_onto_nest();
    clock_nest();
    now_us += tick_us;

    if (const auto progress = events.take_progress()) stages.push_back(progress->event.stage);
    const EventIds ids = events.ring().ids();
    for (std::uint32_t id = ids.oldest; id != ids.next; ++id) {
        const KeptEvent& event = events.ring().at(id);
        history.push_back({event.kind, {event.bytes.begin(), event.bytes.begin() + event.size}});
        events.ring().acknowledge(id);
    }
}

void RigModel::pass(std::uint64_t us) {
    for (const std::uint64_t end = now_us + us; now_us < end;) tick();
}

void RigModel::make_steps(std::uint64_t end_us) {
    while (next_step_us_ && *next_step_us_ < end_us) {
        MotorStep made;
        if (!steps.next(made)) {
            next_step_us_.reset();
            return;
        }
        step(made);
        *next_step_us_ += made.interval_us;
    }
}

void RigModel::step(const MotorStep& made) {
    made_step_ = true;
    if (!outputs.motors_on) hazards.insert("a step without motors");
    if (outputs.nest_sense) hazards.insert("a step while the vacuum is not measured");
    if (machine.status().state == State::latched) hazards.insert("a step while latched");
    const std::int32_t by = made.direction == Direction::away ? 1 : -1;
    const auto reader = reader_below();
    if (made.axis == Axis::x) {
        x_stepped_ = true;
        if (z > rig.home_tolerance) hazards.insert("X moved with Z down");
        if (broken.x_loses > 0) {
            --broken.x_loses;
            return;
        }
        if (by > 0 && broken.x_blocked_at && x >= *broken.x_blocked_at) return;
        if (by < 0 && x <= -end_stop) return;
        x += by;
    } else {
        z_stepped_ = true;
        // Homing lowers Z by at most an eighth of the travel, so the cup stays above the mouth of any reader.
        const bool homing = machine.status().state == State::homing;
        if (reader && millivolts[*reader] >= 500 && z > (homing ? rig.z_travel / 8 : rig.home_tolerance))
            hazards.insert("Z moved in a reader with voltage");
        if (by > 0 && broken.z_blocked_at && z >= *broken.z_blocked_at) return;
        if (by < 0 && z <= -end_stop) return;
        z += by;
    }
    move_card();
}

void RigModel::move_card() {
    const auto reader = reader_below();
    const bool deep = reader && z >= rig.z_port - 50;
    if (on_cup && deep && !deep_) ++insertions;
    deep_ = deep;
    if (!on_cup) return;
    const bool leaves = pushed_into_ && !deep;
    if (leaves && broken.slips_in_reader) {
        readers[*pushed_into_] = true;
        pushed_into_.reset();
        on_cup = false;
        return;
    }
    pushed_into_ = deep && !(broken.bent && !pushed_into_) ? reader : std::nullopt;
    const bool dropped =
        (broken.drops_at_x && x == *broken.drops_at_x) || (broken.drops_at_z && z == *broken.drops_at_z);
    if (dropped) release();
}

void RigModel::release() {
    if (!on_cup) return;
    on_cup = false;
    const auto pocket = pocket_below();
    if (pushed_into_) {
        readers[*pushed_into_] = true;
        pushed_into_.reset();
        return;
    }
    if (pocket && std::abs(z - rig.z_pocket) <= aligned && !pockets[*pocket]) {
        pockets[*pocket] = true;
        return;
    }
    for (std::size_t bin = 0; bin < bins.size(); ++bin)
        if (std::abs(x - rig.x_bin[bin]) <= aligned && std::abs(z - rig.z_bin) <= aligned) {
            ++bins[bin];
            return;
        }
    ++fallen;
}

/// Vacuum, and the cards that it picks and releases.
void RigModel::pull() {
    pumping_us_ = outputs.pump ? pumping_us_ + tick_us : 0;
    pulled_us_ = outputs.pump ? 0 : pulled_us_ + tick_us;
    const bool leaked = outputs.valve || (!outputs.pump && pulled_us_ > 200'000);
    const bool vacuum_gone = leaked && !broken.vent_stuck;
    if (vacuum_gone && outputs.jaw_open && !broken.jaw_stuck && !broken.clings) release();
    if (!on_cup && pumping_us_ >= 30'000 && !broken.porous) {
        const auto reader = reader_below();
        const auto pocket = pocket_below();
        if (reader && readers[*reader] && std::abs(z - rig.z_port) <= aligned) {
            readers[*reader] = false;
            pushed_into_ = reader;
            on_cup = true;
        } else if (pocket && pockets[*pocket] && std::abs(z - rig.z_pocket) <= aligned) {
            pockets[*pocket] = false;
            on_cup = true;
        }
    }
    if (on_cup && !vacuum_gone)
        vacuum_mv = 2'500;
    else if (!broken.vent_stuck || outputs.pump)
        vacuum_mv = outputs.pump ? 400 : 0;
}

void RigModel::feed_ports() {
    for (std::uint8_t port = 0; port < port_count; ++port) {
        const bool live = (has(outputs.ports_on, port) || has(broken.welded, port)) && !has(broken.dead, port);
        const int change = live ? 1'250 : has(broken.slow, port) ? 0 : -250;
        millivolts[port] = static_cast<std::uint16_t>(std::clamp(millivolts[port] + change, 0, 5'000));
    }
}

void RigModel::press_onto_nest() {
    const bool pressed = on_cup && rig.z_nest != 0 && std::abs(x - rig.x_nest) <= aligned && z >= rig.z_nest - aligned;
    if (pressed == pressed_) return;
    if (outputs.nest.power) hazards.insert("a card moved on a live nest");
    pressed_ = nest_card = pressed;
    if (pressed)
        on_nest.insert(carried, plant::SdDefect::none);
    else
        on_nest.remove();
}

void RigModel::clock_nest() {
    const NestBurst& burst = outputs.nest;
    on_nest.power(burst.power && outputs.enabled);
    nest_ = {.clocks = burst.clocks};
    if (burst.clocks != 0) bursts.push_back(burst);
    for (unsigned i = 0; i < burst.clocks; ++i) {
        const std::uint32_t bit = 1U << (31 - i);
        const bool host = !burst.drives || (burst.bits & bit) != 0;
        on_nest.lines(true, host, now_us * 1'000);
        if (host && on_nest.command()) nest_.command |= bit;
        if (on_nest.data()) nest_.data |= bit;
        on_nest.lines(false, host, now_us * 1'000);
    }
}

void RigModel::watch(const Inputs& inputs) {
    if ((outputs.nest != NestBurst{} || outputs.nest_sense) &&
        (!outputs.enabled || machine.status().state == State::latched))
        hazards.insert("the nest is live while latched");
    if (outputs.nest.clocks > burst_clocks || (outputs.nest.clocks != 0 && !outputs.nest.power))
        hazards.insert("more clocks than fit into a tick, or clocks without supply");
    for (std::uint8_t port = 0; port < port_count; ++port) {
        absent_us_[port] = has(inputs.cards, port) ? 0 : absent_us_[port] + tick_us;
        if (has(outputs.ports_on, port) && absent_us_[port] > card_debounce_us + tick_us)
            hazards.insert("voltage without a card");
    }
    if (!outputs.enabled &&
        (outputs.motors_on || outputs.pump || outputs.valve || outputs.jaw_open || outputs.ports_on != 0))
        hazards.insert("outputs that only the hardware keeps off");
    if (broken.safety_open && (outputs.enabled || outputs.motors_on || outputs.ports_on != 0))
        hazards.insert("outputs with the safety chain open");
    if (outputs.pump && outputs.jaw_open) hazards.insert("pump on with the jaw open");
    if (outputs.pump && outputs.valve) hazards.insert("pump and vent at once");
    if (machine.status().state == State::latched &&
        (outputs.motors_on || outputs.pump || outputs.valve || outputs.jaw_open))
        hazards.insert("actuators while latched");
}

rigproto::JobStatusReply RigModel::finish() {
    until([this] { return last().state != JobState::running; }, 120'000'000);
    return last();
}

RigModel& RigModel::ready() {
    pass(30'000);
    run(rigproto::HomeRequest{});
    return *this;
}

rigproto::JobStatusReply RigModel::load(std::uint8_t pocket, std::uint8_t port) {
    return run(rigproto::LoadRequest{.pocket = pocket, .port = port});
}
rigproto::JobStatusReply RigModel::unload_to_bin(std::uint8_t port, std::uint8_t bin) {
    return run(rigproto::UnloadRequest{.port = port, .to = rigproto::UnloadRequest::To::bin, .index = bin});
}
rigproto::JobStatusReply RigModel::power(std::uint8_t port, bool on) {
    return run(rigproto::PowerRequest{.port = port, .on = static_cast<std::uint8_t>(on ? 1 : 0)});
}
rigproto::JobStatusReply RigModel::clear() {
    return run(rigproto::ClearRequest{});
}

std::size_t RigModel::told(rigproto::EventKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(history.begin(), history.end(), [kind](const Told& event) { return event.kind == kind; }));
}

} // namespace mediarig::firmware::test
