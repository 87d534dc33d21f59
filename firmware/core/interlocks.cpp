// SPDX-License-Identifier: GPL-3.0-or-later
// Starts of jobs, and the interlocks that forbid them.
#include "firmware/core/geometry.hpp"
#include "firmware/core/machine.hpp"

namespace mediarig::firmware {

using rigproto::Fault;
using rigproto::Interlock;
using rigproto::Reject;
using rigproto::Rejection;

namespace {
constexpr Rejection refused_by(Interlock interlock) {
    return {Reject::interlock, interlock};
}

CardLocation reader(const rigproto::Config& rig, std::uint8_t port) {
    return {port_x(rig, port), rig.z_port, port, port};
}
CardLocation pocket(const rigproto::Config& rig, std::uint8_t number) {
    return {pocket_x(rig, number), rig.z_pocket, std::nullopt, number, true};
}
CardLocation bin(const rigproto::Config& rig, std::uint8_t number) {
    return {rig.x_bin[number], rig.z_bin, std::nullopt, number};
}
} // namespace

Rejection Machine::begin(const RigCommand& command, std::uint64_t now_us) {
    const Rejection rejection = visit_command([&](const auto& request) { return start(request, now_us); }, command);
    if (rejection.reject != Reject::none) return rejection;
    begun_at_us_ = now_us;
    return {};
}

Rejection Machine::configure(const rigproto::Config& config, std::uint64_t) {
    if (!plausible(config)) return {Reject::out_of_range};
    if (activity_ != Activity::none) return {Reject::busy};
    // A wrong rig file must not hide a cup that is down in a reader. (Before the first tick the jumper was not read
    // yet; a mismatch then shows in later refusals.)
    if (started_ && has_carriage(config) == no_carriage_) return refused_by(Interlock::carriage_jumper);
    // If a first configuration leaves out a port, the port could no longer be switched off or emptied. A later
    // configuration would also shift the readers while a cup or a card is at a position of the old one.
    const auto left_out = static_cast<std::uint8_t>(0xFF << config.ports);
    const auto live = static_cast<std::uint8_t>(ports_.outputs() | ports_.tripped());
    if (configured_ ? ports_.ports_not_off() != 0 : (live & left_out) != 0) return refused_by(Interlock::port_powered);
    for (std::uint8_t port = 0; port < port_count; ++port)
        if ((configured_ || (left_out >> port & 1) != 0) && occupied(port)) return refused_by(Interlock::card_present);
    if (gripper_.state() != GripperState::idle) return refused_by(Interlock::pump_running);
    if (configured_ && carriage_.homed() && !carriage_.retracted()) return refused_by(Interlock::z_not_retracted);
    configured_ = true;
    config_ = config;
    pockets_ = {};
    carriage_.configure(config);
    return {};
}

bool Machine::cup_free() const {
    if (!carriage_.homed()) return carriage_.z_up() || ports_.all_discharged();
    if (carriage_.retracted()) return true;
    const auto below = port_below(config_, carriage_.position(Axis::x));
    return !below || ports_[*below].without_voltage();
}

bool Machine::cup_is_clear() const {
    if (no_carriage_ && !has_carriage(config_)) return true;
    // Without a valid step count the cup may be down in any reader.
    return carriage_.homed() ? carriage_.retracted() : carriage_.z_up();
}

Rejection Machine::may_move() const {
    if (!has_carriage(config_)) return {Reject::out_of_range};
    if (!idle()) return {Reject::busy};
    if (fault_ != Fault::none) return {Reject::latched};
    if (gripper_.state() != GripperState::idle) return refused_by(Interlock::pump_running);
    if (!cup_free()) return refused_by(Interlock::port_powered);
    return {};
}

Rejection Machine::start(const rigproto::HomeRequest& request, std::uint64_t now_us) {
    if (const Rejection rejection = may_move(); rejection.reject != Reject::none) return rejection;
    job_ = request.job;
    activity_ = Activity::home;
    parked_ = lease_stop_ = false;
    home_over_voltage_ = carriage_.z_up();
    carriage_.home(now_us);
    gripper_.blow_off(now_us);
    return {};
}

Rejection Machine::start(const rigproto::LoadRequest& request, std::uint64_t) {
    if (request.pocket >= config_.pockets || request.port >= config_.ports) return {Reject::out_of_range};
    if (const Rejection rejection = may_move(); rejection.reject != Reject::none) return rejection;
    if (!carriage_.homed()) return {Reject::not_homed};
    if (gripper_.hanging()) return refused_by(Interlock::pump_running);
    if (!ports_[request.port].safe_for_cards()) return refused_by(Interlock::port_powered);
    if (occupied(request.port)) return refused_by(Interlock::card_present);
    if (unproven(request.port)) return refused_by(Interlock::reader_unproven);
    job_ = request.job;
    activity_ = Activity::transfer;
    transfer_.start(pocket(config_, request.pocket), reader(config_, request.port));
    return {};
}

Rejection Machine::start(const rigproto::UnloadRequest& request, std::uint64_t) {
    using To = rigproto::UnloadRequest::To;
    const bool to_pocket = request.to == To::pocket;
    if (request.port >= config_.ports || (!to_pocket && request.to != To::bin) ||
        request.index >= (to_pocket ? config_.pockets : rigproto::bin_count))
        return {Reject::out_of_range};
    if (const Rejection rejection = may_move(); rejection.reject != Reject::none) return rejection;
    if (!carriage_.homed()) return {Reject::not_homed};
    if (gripper_.hanging()) return refused_by(Interlock::pump_running);
    if ((guarded_ >> request.port & 1) != 0) return refused_by(Interlock::port_guarded);
    if (!ports_[request.port].safe_for_cards()) return refused_by(Interlock::port_powered);
    if (!occupied(request.port) && !unproven(request.port)) return refused_by(Interlock::no_card);
    if (to_pocket && (pockets_.full >> request.index & 1U) != 0) return refused_by(Interlock::pocket_occupied);
    job_ = request.job;
    activity_ = Activity::transfer;
    if (to_pocket)
        transfer_.start(reader(config_, request.port), pocket(config_, request.index),
                        (pockets_.empty >> request.index & 1U) == 0);
    else
        transfer_.start(reader(config_, request.port), bin(config_, request.index));
    return {};
}

Rejection Machine::may_switch_on(std::uint8_t port) const {
    if (fault_ != Fault::none) return {Reject::latched};
    if (!cards_.present(port)) return refused_by(Interlock::no_card);
    if (!cup_is_clear()) return refused_by(Interlock::z_not_retracted);
    // A card that kept its state would start in its previous mode.
    if (!ports_[port].output() && !ports_[port].without_voltage()) return refused_by(Interlock::port_settling);
    return {};
}

Rejection Machine::start(const rigproto::PowerRequest& request, std::uint64_t) {
    if (request.port >= config_.ports || request.on > 1) return {Reject::out_of_range};
    if (!idle()) return {Reject::busy};
    const bool on = request.on == 1;
    if (on) {
        if (const Rejection rejection = may_switch_on(request.port); rejection.reject != Reject::none) return rejection;
    } else if ((guarded_ >> request.port & 1) != 0 && ports_[request.port].output()) {
        return refused_by(Interlock::port_guarded);
    }
    job_ = request.job;
    port_ = request.port;
    activity_ = on ? Activity::power_on : Activity::power_off;
    switched_ = ports_[request.port].output() == on;
    return {};
}

Rejection Machine::start(const rigproto::ClearRequest& request, std::uint64_t) {
    if (!idle()) return {Reject::busy};
    if (!safety_closed_) return refused_by(Interlock::safety_open);
    if (fault_ == Fault::driver_fault && driver_fault_) return {Reject::latched};
    job_ = request.job;
    activity_ = Activity::clear;
    return {};
}

Rejection Machine::start(const rigproto::JogRequest& request, std::uint64_t) {
    const bool x = request.axis == Axis::x;
    if ((!x && request.axis != Axis::z) || request.position < 0 ||
        request.position > (x ? config_.x_travel : deepest(config_)))
        return {Reject::out_of_range};
    if (const Rejection rejection = may_move(); rejection.reject != Reject::none) return rejection;
    if (!carriage_.homed()) return {Reject::not_homed};
    if (x && !carriage_.retracted()) return refused_by(Interlock::z_not_retracted);
    // Require all readers to be without voltage: only the step count identifies the reader here, since the teeth of the
    // comb look alike.
    if (!x && !ports_.all_discharged()) return refused_by(Interlock::port_powered);
    job_ = request.job;
    activity_ = Activity::jog;
    lease_stop_ = false;
    carriage_.move(request.axis, request.position);
    return {};
}

Rejection Machine::start(const rigproto::ParkRequest& request, std::uint64_t) {
    if (const Rejection rejection = may_move(); rejection.reject != Reject::none) return rejection;
    job_ = request.job;
    activity_ = Activity::park;
    lease_stop_ = false;
    carriage_.to_origin(Axis::z);
    return {};
}

Rejection Machine::start(const rigproto::GuardRequest& request, std::uint64_t) {
    if ((request.ports >> config_.ports) != 0) return {Reject::out_of_range};
    if (noted_job_ != 0 || !booted_) return {Reject::busy};
    guarded_ = request.ports;
    noted_job_ = request.job;
    return {};
}

Rejection Machine::start(const rigproto::IdentifyRequest& request, std::uint64_t) {
    if (request.pocket >= config_.pockets || config_.z_nest == 0) return {Reject::out_of_range};
    if (const Rejection rejection = may_move(); rejection.reject != Reject::none) return rejection;
    if (!carriage_.homed()) return {Reject::not_homed};
    if (gripper_.hanging()) return refused_by(Interlock::pump_running);
    if (nest_card_) return refused_by(Interlock::card_present);
    job_ = request.job;
    activity_ = Activity::transfer;
    transfer_.identify(pocket(config_, request.pocket), {config_.x_nest, config_.z_nest, std::nullopt, request.pocket},
                       request.job);
    return {};
}

Rejection Machine::start(const rigproto::NestReadRequest& request, std::uint64_t now_us) {
    if (!idle()) return {Reject::busy};
    if (fault_ != Fault::none) return {Reject::latched};
    job_ = request.job;
    activity_ = Activity::nest_read;
    nest_.start(request.job, now_us);
    return {};
}

/// The user's statement overrides the memory, but not the card-detect switches.
Rejection Machine::start(const rigproto::EmptyRequest& request, std::uint64_t) {
    if (request.ports == 0 || (request.ports >> config_.ports) != 0) return {Reject::out_of_range};
    if (!idle() || noted_job_ != 0) return {Reject::busy};
    if ((request.ports & cards_.cards()) != 0) return refused_by(Interlock::card_present);
    for (std::uint8_t port = 0; port < config_.ports; ++port)
        if ((request.ports >> port & 1) != 0) remember(port, false);
    noted_job_ = request.job;
    return {};
}

Rejection Machine::start(const rigproto::BootloaderRequest& request, std::uint64_t) {
    if (!idle()) return {Reject::busy};
    if (ports_.outputs() != 0) return refused_by(Interlock::port_powered);
    carriage_.motors_off();
    job_ = request.job;
    activity_ = Activity::bootloader;
    return {};
}

} // namespace mediarig::firmware
