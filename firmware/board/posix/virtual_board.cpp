// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/posix/virtual_board.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace mediarig::board {

namespace {
constexpr Nanoseconds tick_period = plant::microseconds(firmware::tick_us);
}

VirtualBoard::VirtualBoard(plant::Plant& plant, firmware::Retained& retained, const firmware::BoardInfo& info)
    : plant_(&plant), retained_(&retained), info_(info) {
    start(info.reset);
}

void VirtualBoard::start(rigproto::ResetReason reason) {
    info_.reset = reason;
    firmware_.emplace(*retained_, info_);
    ++starts_;
    hung_ = false;
    started_ = fed_ = now();
    next_tick_ = now() + tick_period;
    next_step_.reset();
    restart_.reset();
    safety_closed_ = plant_->safety_closed();
}

void VirtualBoard::stop() {
    firmware_.reset();
    next_step_.reset();
    outputs_ = {};
    nest_ = {};
    apply();
}

void VirtualBoard::run_until(Nanoseconds time) {
    while (now() < time) {
        // Process the earliest event first. The tick is the last of the events that are due at the same time, because
        // its interrupt has the lowest priority on the board.
        Nanoseconds next = time;
        const auto consider = [&](Nanoseconds due) {
            if (due > now()) next = std::min(next, due);
        };
        if (const auto change = plant_->next_change()) consider(*change);
        if (restart_) consider(*restart_);
        if (firmware_) {
            consider(next_tick_);
            consider(fed_ + watchdog_bites_after);
            consider(fed_ + motor_supply_holds);
        }
        if (next_step_) next = std::min(next, std::max(*next_step_, now()));
        plant_->advance(next);

        detect_safety_edge();
        if (next_step_ && now() >= *next_step_) step();
        if (restart_ && now() >= *restart_) start(rigproto::ResetReason::watchdog);
        if (!firmware_) continue;
        if (now() >= fed_ + watchdog_bites_after) {
            stop();
            restart_ = now() + start_takes;
        } else if (now() >= next_tick_) {
            next_tick_ += tick_period;
            if (!hung_) tick();
        }
        apply();
    }
}

void VirtualBoard::tick() {
    const plant::Sensors seen = plant_->sense();
    firmware::Inputs inputs{.now_us = (now() - started_) / 1'000,
                            .x_home = seen.x_home,
                            .z_home = seen.z_home,
                            .x_comb = seen.x_comb,
                            .no_carriage = seen.no_carriage,
                            .safety_closed = seen.safety_closed,
                            .driver_fault = seen.driver_fault,
                            .cards = seen.cards,
                            .port_faults = seen.port_faults,
                            .sampled = outputs_.sample,
                            .nest_card = seen.nest_card,
                            .nest = nest_};
    if (outputs_.enabled && outputs_.nest_sense)
        inputs.nest_microamperes = seen.nest_microamperes;
    else
        inputs.vacuum_mv = seen.vacuum_mv;
    for (std::uint8_t port = 0; port < firmware::port_count; ++port)
        if ((outputs_.sample >> port & 1U) != 0) inputs.ports[port] = seen.ports[port];
    outputs_ = firmware_->tick(inputs);
    apply();
    clock_nest();
    // The second carrier is unconnected, but the main loop serves it.
    std::array<std::uint8_t, 64> uart{};
    while (firmware_->transmit(firmware::HostInterface::uart, uart) != 0) {
    }
    if (outputs_.feed_watchdog) fed_ = now();
    if (outputs_.enter_bootloader) {
        // The boot ROM has taken over: the firmware does not run until a power cycle.
        stop();
        return;
    }
    if (!next_step_ && firmware_->steps().waiting()) next_step_ = now();
}

/// Generates all clocks of a burst at once: no virtual time passes.
void VirtualBoard::clock_nest() {
    const firmware::NestBurst& burst = outputs_.nest;
    nest_ = {.clocks = burst.clocks};
    for (unsigned i = 0; i < burst.clocks; ++i) {
        const std::uint32_t bit = 1U << (31 - i);
        const bool host = !burst.drives || (burst.bits & bit) != 0;
        plant_->nest_lines(false, host, now());
        plant_->nest_lines(true, host, now());
        if (host && plant_->nest().command()) nest_.command |= bit;
        if (plant_->nest().data()) nest_.data |= bit;
        plant_->nest_lines(false, host, now());
    }
}

void VirtualBoard::step() {
    firmware::MotorStep made;
    if (!firmware_ || !firmware_->steps().next(made)) {
        next_step_.reset();
        return;
    }
    plant_->step(made.axis, made.direction == firmware::Direction::away ? 1 : -1, now());
    next_step_ = now() + plant::microseconds(std::max<std::uint32_t>(made.interval_us, 1));
}

void VirtualBoard::detect_safety_edge() {
    const bool closed = plant_->safety_closed();
    if (!closed && safety_closed_ && firmware_) firmware_->safety_opened();
    safety_closed_ = closed;
}

/// Passes the commands of the pins to the plant, as far as output enable and motor supply permit.
void VirtualBoard::apply() {
    plant::Actuators actuators;
    if (outputs_.enabled) {
        const bool supplied = now() < fed_ + motor_supply_holds;
        actuators = {.motors_on = outputs_.motors_on && supplied,
                     .pump = outputs_.pump && supplied,
                     .valve = outputs_.valve && supplied,
                     .jaw_open = outputs_.jaw_open && supplied,
                     .arm = outputs_.arm,
                     .ports_on = outputs_.ports_on,
                     .nest_power = outputs_.nest.power};
    }
    plant_->set(actuators, now());
}

void VirtualBoard::receive(std::span<const std::uint8_t> bytes) {
    if (firmware_ && !hung_) firmware_->receive(firmware::HostInterface::usb, bytes);
}

std::size_t VirtualBoard::transmit(std::span<std::uint8_t> into) {
    return firmware_ && !hung_ ? firmware_->transmit(firmware::HostInterface::usb, into) : 0;
}

void VirtualBoard::cut_power() {
    stop();
    plant_->lose_logic_supply();
    restart_.reset();
    // Not zeros: memory after a power loss has random contents.
    std::memset(static_cast<void*>(retained_), 0xA5, sizeof *retained_);
}

void VirtualBoard::restore_power() {
    if (!firmware_ && !restart_) start(rigproto::ResetReason::power_on);
}

} // namespace mediarig::board
