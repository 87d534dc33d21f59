// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/machine.hpp"

#include "firmware/core/geometry.hpp"

namespace mediarig::firmware {

using rigproto::Fault;
using rigproto::JobStage;
using rigproto::PortState;
using rigproto::State;

Machine::Machine(Events& events, Retained& retained, StepQueue& steps)
    : events_(&events),
      retained_(&retained),
      steps_(&steps),
      carriage_(steps),
      ports_(events),
      transfer_(carriage_, gripper_, ports_, cards_, nest_),
      // A fault that needs an operator's check stays latched across a reset.
      fault_(retained.fault.get().fault),
      fault_detail_(retained.fault.get().detail) {}

State Machine::state() const {
    if (fault_ != Fault::none) return State::latched;
    if (!booted_) return State::boot;
    switch (activity_) {
        case Activity::home:
            return State::homing;
        case Activity::transfer:
        case Activity::jog:
        case Activity::park:
        case Activity::self_park:
            return State::moving;
        default:
            break;
    }
    if (parked_) return State::parked;
    return carriage_.homed() ? State::ready : State::unhomed;
}

rigproto::StatusReply Machine::status() const {
    rigproto::StatusReply status{.state = state(),
                                 .fault = fault_,
                                 .fault_detail = fault_detail_,
                                 .running_job = job_,
                                 .stage = static_cast<std::uint8_t>(stage_),
                                 .cards = cards_.cards(),
                                 .powered = ports_.ports_not_off(),
                                 .x = carriage_.position(Axis::x),
                                 .z = carriage_.position(Axis::z),
                                 .occupied = retained_->readers.get().occupied,
                                 .unproven = retained_->readers.get().unproven};
    const auto raise = [&status](bool condition, rigproto::StatusFlag flag) {
        if (condition) status.flags |= flag;
    };
    raise(carriage_.homed(), rigproto::flag_homed);
    raise(safety_closed_, rigproto::flag_safety_closed);
    raise(gripper_.holding(), rigproto::flag_holding);
    raise(carriage_.motors_on(), rigproto::flag_motors_on);
    return status;
}

rigproto::PortStatusReply Machine::port(std::uint8_t number) const {
    rigproto::PortStatusReply reply = ports_[number].report();
    reply.port = number;
    reply.card = cards_.present(number) ? 1 : 0;
    reply.cycles = retained_->cycles.get()[number];
    return reply;
}

rigproto::NestReply Machine::nest() const {
    rigproto::NestReply reply = nest_.report();
    reply.card = nest_card_ ? 1 : 0;
    return reply;
}

// ---- ends of jobs ---------------------------------------------------------------------------------------------------

void Machine::progress(JobStage stage, std::uint64_t now_us) {
    if (stage == stage_) return;
    stage_ = stage;
    if (job_ != 0) events_->job_progress(job_, stage, now_us);
}

void Machine::done(std::uint64_t now_us) {
    const std::uint32_t job = job_;
    activity_ = Activity::none;
    stage_ = JobStage::idle;
    job_ = 0;
    if (job != 0) events_->job_done(job, now_us);
}

void Machine::failed(Fault fault, std::uint8_t detail, std::uint64_t now_us) {
    const std::uint32_t job = job_;
    const JobStage stage = stage_;
    activity_ = Activity::none;
    stage_ = JobStage::idle;
    job_ = 0;
    if (job != 0) events_->job_failed(job, stage, fault, detail, now_us);
}

void Machine::latch(Fault fault, std::uint8_t detail, std::uint64_t now_us) {
    carriage_.motors_off();
    gripper_.make_safe();
    nest_.stop(now_us);
    parked_ = false;
    if (fault == Fault::estop || fault == Fault::internal) {
        ports_.switch_off_all_but(0, now_us);
        guarded_ = 0;
    }
    if (activity_ != Activity::none) failed(fault, detail, now_us);
    // Keep the first fault, because it is the one to diagnose. Only the e-stop replaces it, because the e-stop switched
    // off everything.
    if (fault_ != Fault::none && (fault != Fault::estop || fault_ == Fault::estop)) return;
    fault_ = fault;
    fault_detail_ = detail;
    retained_->fault.set({fault, detail});
    events_->fault({fault, detail}, now_us);
}

void Machine::enter_park() {
    carriage_.motors_off();
    parked_ = true;
}

// ---- reports for the link ------------------------------------------------------------------------------------------

void Machine::stop(std::uint64_t now_us) {
    latch(Fault::stopped, 0, now_us);
}

void Machine::lease_lost(std::uint64_t now_us) {
    if (activity_ == Activity::nest_read) {
        nest_.stop(now_us);
        failed(Fault::lease, 0, now_us);
    }
    if (activity_ == Activity::transfer) transfer_.hold();
    if (activity_ == Activity::home || activity_ == Activity::jog) {
        lease_stop_ = true;
        carriage_.stop();
    }
}

void Machine::lease_parked(std::uint64_t now_us) {
    ports_.switch_off_all_but(guarded_, now_us);
    guarded_until_us_ = now_us + guard_longest_us;
    park_due_ = true;
}

void Machine::host_returned() {
    park_due_ = false;
    guarded_until_us_ = 0;
}

// ---- every tick -----------------------------------------------------------------------------------------------------

Outputs Machine::tick(const Inputs& inputs) {
    const std::uint64_t now_us = inputs.now_us;
    if (!started_) {
        started_ = true;
        safety_open_at_us_ = now_us; // the contact may bounce
        ports_.start(now_us);
    }
    const std::uint8_t changed = cards_.tick(now_us, inputs.cards);
    booted_ = booted_ || cards_.settled();
    for (std::uint8_t port = 0; port < port_count; ++port)
        if ((changed >> port & 1) != 0)
            events_->card({port, static_cast<std::uint8_t>(cards_.present(port) ? 1 : 0)}, now_us);

    if (cards_.settled()) remember_seen();
    watch_safety(inputs);
    ports_.tick(inputs, config_, cards_.cards());
    gripper_.tick(now_us, inputs.vacuum_mv, config_.vacuum_picked_mv);
    // Venting outside a job changes only the known state: a card is on the cup.
    if (activity_ != Activity::transfer && gripper_.state() == GripperState::stuck) gripper_.make_safe();
    driver_fault_ = inputs.driver_fault;
    nest_card_ = inputs.nest_card;
    no_carriage_ = inputs.no_carriage;
    nest_.tick(inputs);
    if (const Fault fault = carriage_.tick(inputs); fault != Fault::none)
        latch(fault, static_cast<std::uint8_t>(carriage_.fault_axis()), now_us);
    watch_cup(inputs);
    watch_guards(now_us);
    if (noted_job_ != 0) {
        const std::uint32_t job = noted_job_;
        noted_job_ = 0;
        events_->job_done(job, now_us);
    }
    proceed(now_us);
    return outputs(now_us);
}

void Machine::watch_safety(const Inputs& inputs) {
    const bool opened = opened_.load(std::memory_order_acquire);
    opened_.store(false, std::memory_order_release);
    if (!opened && inputs.safety_closed) {
        safety_closed_ = inputs.now_us - safety_open_at_us_ >= safety_closed_lasts_us;
        return;
    }
    safety_closed_ = false;
    pockets_ = {}; // a hand may change the magazine while the door is open
    safety_open_at_us_ = inputs.now_us;
    steps_->halt();
    latch(Fault::estop, 0, inputs.now_us);
}

/// Latches a fault if the cup falls, or if voltage appears in the reader that contains the cup: then neither moving on
/// nor pulling the cup out is safe.
void Machine::watch_cup(const Inputs& inputs) {
    // Only a valid step count identifies the reader below the cup, so switch off all readers.
    if (carriage_.z_falls() && ports_.outputs() != 0) {
        ports_.switch_off_all_but(0, inputs.now_us);
        guarded_ = 0;
        return latch(Fault::jam, static_cast<std::uint8_t>(Axis::z), inputs.now_us);
    }
    if (!carriage_.busy() || cup_free() || (activity_ == Activity::home && home_over_voltage_)) return;
    const auto port = port_below(config_, carriage_.position(Axis::x));
    latch(Fault::port_welded, port.value_or(0), inputs.now_us);
}

void Machine::watch_guards(std::uint64_t now_us) {
    if (guarded_until_us_ == 0 || now_us < guarded_until_us_) return;
    guarded_until_us_ = 0;
    guarded_ = 0;
    ports_.switch_off_all_but(0, now_us);
}

void Machine::proceed(std::uint64_t now_us) {
    switch (activity_) {
        case Activity::none:
            break;
        case Activity::home:
        case Activity::jog:
        case Activity::park:
        case Activity::self_park:
            continue_moving(now_us);
            break;
        case Activity::transfer:
            continue_transfer(now_us);
            break;
        case Activity::power_on:
            continue_switching_on(now_us);
            break;
        case Activity::power_off:
            continue_switching_off(now_us);
            break;
        case Activity::clear:
            continue_clearing(now_us);
            break;
        case Activity::nest_read:
            continue_reading_nest(now_us);
            break;
        case Activity::bootloader:
            if (job_ != 0) {
                events_->job_done(job_, now_us);
                job_ = 0;
            }
            break;
    }
    if (!park_due_ || activity_ != Activity::none || !booted_) return;
    park_due_ = false;
    if (fault_ != Fault::none || parked_) return;
    if (!carriage_.homed() || !cup_free()) return enter_park();
    activity_ = Activity::self_park;
    lease_stop_ = false;
    carriage_.to_origin(Axis::z);
}

void Machine::continue_moving(std::uint64_t now_us) {
    if (carriage_.busy()) {
        if (activity_ == Activity::home) return progress(carriage_.homing_stage(), now_us);
        const bool retracts = activity_ != Activity::jog && !carriage_.retracted();
        return progress(retracts ? JobStage::retracting : JobStage::travelling, now_us);
    }
    if (lease_stop_) return failed(Fault::lease, 0, now_us);
    if (activity_ == Activity::park || activity_ == Activity::self_park) {
        // Do not park above a reader: without current only a spring holds Z.
        if (carriage_.homed() && carriage_.position(Axis::x) > 0) return carriage_.to_origin(Axis::x);
        enter_park();
    }
    done(now_us);
}

bool Machine::occupied(std::uint8_t port) const {
    return cards_.present(port) || (retained_->readers.get().occupied >> port & 1) != 0;
}

bool Machine::unproven(std::uint8_t port) const {
    return (retained_->readers.get().unproven >> port & 1) != 0;
}

void Machine::remember(std::uint8_t port, bool card) {
    KeptReaders readers = retained_->readers.get();
    const auto bit = static_cast<std::uint8_t>(1U << port);
    readers.occupied = static_cast<std::uint8_t>(card ? readers.occupied | bit : readers.occupied & ~bit);
    readers.unproven = static_cast<std::uint8_t>(readers.unproven & ~bit);
    retained_->readers.set(readers);
}

void Machine::remember(const CardTransfer::PocketResult& result) {
    using Content = CardTransfer::PocketResult::Content;
    const std::uint32_t bit = 1U << result.pocket;
    pockets_.empty = result.content == Content::empty ? pockets_.empty | bit : pockets_.empty & ~bit;
    pockets_.full = result.content == Content::card ? pockets_.full | bit : pockets_.full & ~bit;
}

void Machine::remember_seen() {
    const KeptReaders was = retained_->readers.get();
    const std::uint8_t seen = cards_.cards();
    // Without a carriage cards are inserted and removed by hand, so the memory follows the card-detect switches.
    const bool by_hand = configured_ && !has_carriage(config_);
    const KeptReaders now{.occupied = static_cast<std::uint8_t>(by_hand ? seen : was.occupied | seen),
                          .unproven = static_cast<std::uint8_t>(was.unproven & ~seen)};
    if (now != was) retained_->readers.set(now);
}

void Machine::continue_transfer(std::uint64_t now_us) {
    const CardTransfer::Progress outcome = transfer_.tick(now_us);
    if (const auto port = transfer_.mated()) {
        auto cycles = retained_->cycles.get();
        ++cycles[*port];
        retained_->cycles.set(cycles);
    }
    if (const auto port = transfer_.entered()) remember(*port, true);
    if (const auto port = transfer_.emptied()) remember(*port, false);
    if (const auto result = transfer_.pocket_result()) remember(*result);
    switch (outcome) {
        case CardTransfer::Progress::running:
            return progress(transfer_.stage(), now_us);
        case CardTransfer::Progress::done:
            return done(now_us);
        case CardTransfer::Progress::failed:
            return failed(transfer_.fault(), transfer_.detail(), now_us);
        case CardTransfer::Progress::broken:
            return latch(transfer_.fault(), transfer_.detail(), now_us);
    }
}

void Machine::continue_switching_on(std::uint64_t now_us) {
    progress(JobStage::switching, now_us);
    if (!switched_) {
        if (!ports_.may_switch(now_us)) return;
        if (!cards_.present(port_)) return failed(Fault::card_pulled, port_, now_us);
        if (!cup_is_clear()) return failed(Fault::jam, static_cast<std::uint8_t>(Axis::z), now_us);
        if (!ports_[port_].without_voltage()) return failed(ports_[port_].fault(), port_, now_us);
        ports_.switch_on(port_, now_us);
        switched_ = true;
    }
    if (ports_[port_].state() == PortState::on) return done(now_us);
    if (!ports_[port_].output()) failed(ports_[port_].fault(), port_, now_us);
}

void Machine::continue_switching_off(std::uint64_t now_us) {
    progress(JobStage::switching, now_us);
    const Port& port = ports_[port_];
    if (port.output()) {
        if (ports_.may_switch(now_us)) ports_.switch_off(port_, now_us);
        return;
    }
    if (port.without_voltage()) return done(now_us);
    if (port.fault() == Fault::port_welded || port.fault() == Fault::port_not_discharged)
        failed(port.fault(), port_, now_us);
}

void Machine::continue_clearing(std::uint64_t now_us) {
    const Fault was = fault_;
    const std::uint8_t detail = fault_detail_;
    fault_ = Fault::none;
    fault_detail_ = 0;
    retained_->fault.set({});
    steps_->release();
    // The safety chain may have opened in this moment: the halt by its interrupt must persist.
    if (opened_.load(std::memory_order_acquire)) steps_->halt();
    if (was != Fault::none) events_->cleared({was, detail}, now_us);
    done(now_us);
}

void Machine::continue_reading_nest(std::uint64_t now_us) {
    if (nest_.busy()) return progress(JobStage::checking, now_us);
    done(now_us); // any result of the reading is a valid answer
}

std::uint8_t Machine::lights(std::uint64_t now_us) const {
    const bool phase = (now_us >> 17 & 1) != 0; // about 4 changes in half a second
    const std::uint8_t blinking = ports_.tripped();
    return static_cast<std::uint8_t>((ports_.outputs() & ~blinking) | (phase ? blinking : 0));
}

Outputs Machine::outputs(std::uint64_t now_us) const {
    return {.enabled = booted_ && fault_ != Fault::estop,
            .motors_on = carriage_.motors_on(),
            .arm = carriage_.energising() && safety_closed_,
            .pump = gripper_.pump(),
            .valve = gripper_.valve(),
            .jaw_open = gripper_.jaw_open(),
            .ports_on = ports_.outputs(),
            .sample = ports_.wanted(),
            .leds = lights(now_us),
            .nest = nest_.burst(),
            .nest_sense = nest_.busy(),
            .enter_bootloader = activity_ == Activity::bootloader && now_us - begun_at_us_ >= bootloader_delay_us};
}

} // namespace mediarig::firmware
