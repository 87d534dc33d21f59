// SPDX-License-Identifier: GPL-3.0-or-later
/// Recovery after an interruption or fault: brings the rig to rest and determines where the cards are.
#include "host/rig/station/station_rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/rig/port/rig_text.hpp"
#include "host/rig/station/recovery.hpp"

namespace mediarig::rig {
namespace {

namespace asio = boost::asio;
using rigproto::Fault;

Destination destination_of(const Sorting& to, Pocket pocket, bool keeps_in_magazine) {
    if (to && !keeps_in_magazine) return *to;
    return pocket;
}

/// True if this program did not respond or the board restarted: then the card is not at fault.
bool is_no_cards_fault(const RigJobOutcome& outcome) {
    return outcome.fault == Fault::lease || outcome.fault == Fault::watchdog;
}

} // namespace

Detachment StationRig::detachment_by(Evidence evidence) const {
    return Detachment(DetachLevel::supply_cut, std::move(evidence), description(), setup_.emulated);
}

StationRig::StationRig(Board& board, AsyncRigLog& log, StationSetup setup)
    : board_(board), log_(log), setup_(std::move(setup)) {}

SlotState StationRig::state_of(SlotId slot) const {
    const auto found = slots_.find(pocket_of(slot));
    return found == slots_.end() ? SlotState::empty : found->second.state;
}

Lanes StationRig::lanes() const {
    const std::size_t readers = std::max<std::size_t>(setup_.ports - blocked_.size(), 1);
    // A campaign without explicit lanes loads in the order of its slots, which the operator can follow.
    return {.most = readers, .independent = 1};
}

asio::awaitable<Result<LoadResult>> StationRig::load(SlotId slot, agent::AgentClient& agent) {
    if (slot.number < 1 || slot.number > setup_.pockets)
        co_return fail(Errc::bad_request,
                       fmt::format("the rig has no slot {}: its magazine has {} pockets", slot.number, setup_.pockets));
    const Pocket pocket = pocket_of(slot);
    board_.because(fmt::format("slot {}", slot.number));
    in_use_.insert(pocket);
    if (auto rested = co_await stop_motion(); !rested) co_return fail(std::move(rested.error()));

    auto port = port_of(pocket);
    // An earlier run left this card in a reader, and the nest has not read the card since then: return it to its pocket
    // first.
    if (port && setup_.has_nest && !readings_.contains(pocket)) {
        if (auto off = co_await switch_off(*port); !off) co_return fail(std::move(off.error()));
        if (auto out = co_await unload_reader(pocket, *port, pocket); !out) co_return fail(std::move(out.error()));
        port.reset();
    }
    if (!port) {
        if (setup_.has_nest)
            if (auto read = co_await read_on_nest(pocket); !read) co_return fail(std::move(read.error()));
        auto free = co_await free_port(pocket);
        if (!free) co_return fail(std::move(free.error()));
        port = *free;
        if (auto inserted = co_await insert(pocket, *port); !inserted) co_return fail(std::move(inserted.error()));
    }
    auto loaded = co_await run_handshake(pocket, *port, agent);
    if (!loaded) co_return fail(std::move(loaded.error()));
    media_[pocket] = loaded->medium;
    if (const auto reading = readings_.find(pocket); reading != readings_.end()) loaded->nest = reading->second;
    co_return std::move(*loaded);
}

asio::awaitable<Result<UnloadResult>> StationRig::unload(SlotId slot, Sorting to, agent::AgentClient& agent) {
    const Pocket pocket = pocket_of(slot);
    board_.because(fmt::format("slot {}", slot.number));
    in_use_.erase(pocket);
    if (auto rested = co_await stop_motion(); !rested) co_return fail(std::move(rested.error()));
    const auto port = port_of(pocket);
    if (!port) co_return UnloadResult{.how = "in no reader", .detachment = {}};

    std::vector<media::Medium> with;
    const auto medium = media_.find(pocket);
    if (medium != media_.end()) {
        auto listed = co_await agent.devices();
        if (!listed) co_return fail(std::move(listed.error()));
        with = std::move(*listed);
        for (const media::Medium& each : with) {
            if (each.node != medium->second.node || !same_medium(each, medium->second)) continue;
            if (const std::string holder = holder_of(each); !holder.empty())
                co_return fail(
                    set_aside(pocket, Errc::refused,
                              fmt::format("{} is still in use ({}), so its voltage stays on", each.node, holder)));
        }
    }
    auto cut = co_await switch_off(*port);
    if (!cut) co_return fail(std::move(cut.error()));
    std::optional<bool> seen_to_vanish;
    if (medium != media_.end()) {
        const media::Medium gone = medium->second;
        media_.erase(medium);
        auto vanished = co_await await_vanishing(with, gone, agent, waiting(setup_.vanishes_within));
        if (!vanished && vanished.error().code == Errc::timed_out) blocked_.insert(*port);
        // Another device that disappeared at the same time is no reason to keep this card.
        if (!vanished && vanished.error().code != Errc::refused)
            co_return fail(set_aside(pocket, vanished.error().code, vanished.error().detail));
        if (vanished) seen_to_vanish = true;
    }
    const Destination destination = destination_of(to, pocket, setup_.keeps_in_magazine);
    if (auto out = co_await unload_reader(pocket, *port, destination); !out) co_return fail(std::move(out.error()));
    UnloadResult unloaded{
        .how = told(destination), .in_bin = std::holds_alternative<rigproto::Bin>(destination), .detachment = {}};
    unloaded.detachment = detachment_by({.vanished = seen_to_vanish, .supply = *cut, .plug_watts = {}});
    co_return unloaded;
}

asio::awaitable<Result<PortIndex>> StationRig::free_port(Pocket pocket) {
    for (std::uint8_t index = 0; index < setup_.ports; ++index)
        if (const PortIndex port{index}; !readers_.contains(port) && !blocked_.contains(port)) co_return port;
    // An earlier attempt may have left the card of another slot in a reader: return that card to its pocket.
    for (const auto& [port, other] : std::map(readers_)) {
        if (blocked_.contains(port) || in_use_.contains(other)) continue;
        if (auto off = co_await switch_off(port); !off) co_return fail(std::move(off.error()));
        auto out = co_await unload_reader(other, port, other);
        if (out) co_return port;
        if (out.error().code != Errc::refused) co_return fail(std::move(out.error()));
    }
    co_return fail(Errc::rig_fault, fmt::format("slot {}: no reader is free: {} of {} hold a card that does not come "
                                                "out; take it out by hand, then continue",
                                                slot_of(pocket).number, blocked_.size(), setup_.ports));
}

asio::awaitable<Result<void>> StationRig::read_on_nest(Pocket pocket) {
    readings_.erase(pocket);
    auto moved = co_await board_.identify(pocket);
    if (moved && is_no_cards_fault(*moved)) {
        rested_ = false;
        if (auto rested = co_await stop_motion(); !rested) co_return rested;
        moved = co_await board_.identify(pocket);
    }
    if (!moved) co_return fail(as_rig_error(moved.error()));
    if (moved->fault == Fault::none) {
        auto reading = co_await board_.nest();
        if (!reading) co_return fail(as_rig_error(reading.error()));
        if (reading->report.job != moved->job)
            co_return fail(
                Errc::rig_fault,
                fmt::format(
                    "slot {}: the board restarted and lost the card registers that it had read; continue the campaign",
                    slot_of(pocket).number));
        readings_[pocket] = *reading;
        co_return Result<void>{};
    }
    const std::string why = explain(moved->fault, moved->detail);
    if (auto over = co_await recover_from(*moved); !over) co_return over;
    auto status = co_await board_.status();
    if (!status) co_return fail(as_rig_error(status.error()));
    if ((status->flags & rigproto::flag_holding) != 0) co_return fail(hangs_on_cup(pocket));
    co_return fail(set_aside(pocket, Errc::no_medium, why));
}

asio::awaitable<Result<void>> StationRig::insert(Pocket pocket, PortIndex port) {
    // Retry a slot that failed before: its pocket may contain another card now.
    if (!allows(pocket, SlotEvent::inserted)) slots_[pocket] = {};
    auto moved = co_await board_.load(pocket, port);
    if (!moved) co_return fail(as_rig_error(moved.error()));
    if (is_no_cards_fault(*moved)) {
        rested_ = false;
        if (auto rested = co_await stop_motion(); !rested) co_return rested;
        if (port_of(pocket)) co_return Result<void>{};
        moved = co_await board_.load(pocket, port);
        if (!moved) co_return fail(as_rig_error(moved.error()));
    }
    if (moved->fault == Fault::none) {
        jams_in_a_row_ = 0;
        readers_[port] = pocket;
        step(pocket, SlotEvent::inserted);
        co_return Result<void>{};
    }
    const std::string why = explain(moved->fault, moved->detail);
    if (auto over = co_await recover_from(*moved); !over) co_return over;
    if (auto seen = co_await look_again(pocket, port); !seen) co_return seen;
    co_return fail(set_aside(pocket, Errc::no_medium, why));
}

asio::awaitable<Result<LoadResult>> StationRig::run_handshake(Pocket pocket, PortIndex port,
                                                              agent::AgentClient& agent) {
    if (state_of(slot_of(pocket)) != SlotState::present) {
        if (auto off = co_await switch_off(port); !off) co_return fail(std::move(off.error()));
    }
    auto before = co_await agent.devices();
    if (!before) co_return fail(std::move(before.error()));
    if (auto on = co_await switch_on(pocket, port); !on) co_return fail(std::move(on.error()));
    auto medium = co_await wait_for_one(*before, port, agent);
    if (!medium) co_return fail(set_aside(pocket, medium.error().code, medium.error().detail));
    step(pocket, SlotEvent::appeared);

    auto with = co_await agent.devices();
    if (!with) co_return fail(std::move(with.error()));
    auto off = co_await board_.power_off(port);
    if (!off) co_return fail(as_rig_error(off.error()));
    if (off->fault != Fault::none) {
        if (auto over = co_await recover_from(*off); !over) co_return fail(std::move(over.error()));
        co_return fail(set_aside(pocket, Errc::no_medium, explain(off->fault, off->detail)));
    }
    if (auto gone = co_await await_vanishing(*with, *medium, agent, waiting(setup_.vanishes_within)); !gone)
        co_return fail(set_aside(pocket, gone.error().code, gone.error().detail));
    step(pocket, SlotEvent::vanished);
    auto measured = co_await board_.port(port);
    if (!measured) co_return fail(as_rig_error(measured.error()));

    auto without = co_await agent.devices();
    if (!without) co_return fail(std::move(without.error()));
    if (auto on = co_await switch_on(pocket, port); !on) co_return fail(std::move(on.error()));
    auto again = co_await wait_for_one(*without, port, agent);
    if (!again) co_return fail(set_aside(pocket, again.error().code, again.error().detail));
    if (!same_medium(*medium, *again))
        co_return fail(set_aside(pocket, Errc::refused,
                                 fmt::format("another medium came back with the voltage: {} {} instead of {} {}",
                                             again->node, again->serial, medium->node, medium->serial)));
    step(pocket, SlotEvent::returned);
    guarded_.insert(port);
    auto guarded = co_await board_.guard(guarded_);
    if (!guarded) co_return fail(as_rig_error(guarded.error()));
    step(pocket, SlotEvent::guarded);
    step(pocket, SlotEvent::handed_out);
    auto ramp = co_await board_.port(port);
    if (!ramp) co_return fail(as_rig_error(ramp.error()));

    SupplyReading supply = supply_reading(*measured);
    supply.ramp = std::chrono::microseconds(ramp->ramp_us);
    LoadResult loaded{.medium = std::move(*again), .how = fmt::format("port {}", number_of(port)), .detachment = {}};
    loaded.detachment = detachment_by({.vanished = true, .supply = supply, .plug_watts = {}});
    co_return loaded;
}

asio::awaitable<Result<void>> StationRig::switch_on(Pocket pocket, PortIndex port) {
    if (auto allowed = allows(pocket, SlotEvent::switched_on); !allowed) co_return allowed;
    auto on = co_await board_.power_on(port);
    if (!on) co_return fail(as_rig_error(on.error()));
    if (on->fault == Fault::none) {
        step(pocket, SlotEvent::switched_on);
        co_return Result<void>{};
    }
    if (auto over = co_await recover_from(*on); !over) co_return over;
    co_return fail(set_aside(pocket, Errc::no_medium, explain(on->fault, on->detail)));
}

asio::awaitable<Result<SupplyReading>> StationRig::switch_off(PortIndex port) {
    const Pocket pocket = readers_.at(port);
    guarded_.erase(port);
    auto unguarded = co_await board_.guard(guarded_);
    if (!unguarded) co_return fail(as_rig_error(unguarded.error()));
    if (allows(pocket, SlotEvent::released)) step(pocket, SlotEvent::released);
    auto off = co_await board_.power_off(port);
    if (!off) co_return fail(as_rig_error(off.error()));
    if (off->fault != Fault::none) {
        blocked_.insert(port);
        if (auto over = co_await recover_from(*off); !over) co_return fail(std::move(over.error()));
        co_return fail(set_aside(pocket, Errc::refused, explain(off->fault, off->detail)));
    }
    if (allows(pocket, SlotEvent::switched_off)) step(pocket, SlotEvent::switched_off);
    auto measured = co_await board_.port(port);
    if (!measured) co_return fail(as_rig_error(measured.error()));
    co_return supply_reading(*measured);
}

asio::awaitable<Result<void>> StationRig::unload_reader(Pocket pocket, PortIndex port, Destination to) {
    if (auto allowed = allows(pocket, SlotEvent::taken_out); !allowed) co_return allowed;
    auto moved = co_await board_.unload(port, to);
    if (!moved) co_return fail(as_rig_error(moved.error()));
    if (moved->fault == Fault::none) {
        jams_in_a_row_ = 0;
        readers_.erase(port);
        step(pocket, SlotEvent::taken_out);
        co_return Result<void>{};
    }
    const std::string why = explain(moved->fault, moved->detail);
    if (auto over = co_await recover_from(*moved); !over) co_return over;
    if (auto seen = co_await look_again(pocket, port); !seen) co_return seen;
    if (readers_.contains(port)) blocked_.insert(port);
    co_return fail(set_aside(pocket, Errc::refused, why));
}

namespace {

namespace asio = boost::asio;
using rigproto::Fault;

/// Number of jobs to search: more than a magazine ever had in progress; the cards of older jobs cannot be in a reader.
constexpr std::size_t ledger_reach = 500;

} // namespace

/// Reports a lost, hung or refusing board as a fault of the rig, whatever the error of the line, so that no slot is
/// set aside for the fault.
Error StationRig::as_rig_error(Error error) {
    const bool keeps = error.code == Errc::store_failed || error.code == Errc::cancelled;
    if (!keeps) error.code = Errc::rig_fault;
    return error;
}

asio::awaitable<std::optional<Error>> StationRig::rig_fault() {
    if (setup_.trouble_of_emulation)
        if (auto why = setup_.trouble_of_emulation()) co_return why;
    auto status = co_await board_.status();
    if (!status) co_return as_rig_error(status.error());
    std::string why;
    if (status->state == rigproto::State::latched) {
        why = explain(status->fault, status->fault_detail);
    } else {
        for (const auto& [port, pocket] : readers_) {
            const auto slot = slots_.find(pocket);
            if (slot == slots_.end() || !may_write(slot->second.state) || PortSet{status->powered}.contains(port))
                continue;
            why = lost_voltage(port);
        }
    }
    if (why.empty()) co_return std::nullopt;
    for (auto& [pocket, slot] : slots_)
        if (!may_move(slot.state)) step(pocket, SlotEvent::doubted);
    rested_ = false;
    Error error{Errc::rig_fault, why};
    co_return error;
}

/// Cleans up after the last user of the rig: this program or another one, running or killed.
asio::awaitable<Result<void>> StationRig::stop_motion() {
    if (rested_) co_return Result<void>{};
    auto status = co_await board_.status();
    if (!status) co_return fail(as_rig_error(status.error()));
    const auto jobs = co_await log_.latest(ledger_reach);
    if (!jobs) co_return fail(jobs.error());
    const BoardReport says{.cold_start = board_.hello().cold_start != 0, .status = *status};
    const Recovery recovery = recover(*jobs, says);
    if (recovery.person) co_return fail(Errc::rig_fault, *recovery.person);
    if (recovery.clear && !may_be_cleared(status->fault))
        co_return fail(Errc::rig_fault,
                       fmt::format("{} (a campaign does not clear this: check the rig, then run mediarig rig reset)",
                                   explain(status->fault, status->fault_detail)));
    if (recovery.clear) {
        auto cleared = co_await board_.clear();
        if (!cleared) co_return fail(as_rig_error(cleared.error()));
        if (cleared->fault != Fault::none) co_return fail(Errc::rig_fault, explain(cleared->fault, cleared->detail));
    }
    if (recovery.home) {
        auto homed = co_await board_.home();
        if (!homed) co_return fail(as_rig_error(homed.error()));
        if (homed->fault != Fault::none) co_return fail(Errc::rig_fault, explain(homed->fault, homed->detail));
    }
    rested_ = true;
    readers_.clear();
    for (auto& [pocket, slot] : slots_)
        if (slot.state == SlotState::unknown || slot.state == SlotState::fault_rig) step(pocket, SlotEvent::found_out);
    for (const FoundCard& card : recovery.cards) {
        if (!card.pocket) {
            if (auto away = co_await unload_stray_card(card.port, rigproto::Bin::unknown); !away) co_return away;
            continue;
        }
        readers_[card.port] = *card.pocket;
        Slot& slot = slots_[*card.pocket];
        slot = Slot{.state = PortSet{status->powered}.contains(card.port) ? SlotState::powered : SlotState::present};
    }
    co_return Result<void>{};
}

/// Removes a card of another slot from the reader.
asio::awaitable<Result<void>> StationRig::unload_stray_card(PortIndex port, Destination to) {
    auto off = co_await board_.power_off(port);
    if (!off) co_return fail(as_rig_error(off.error()));
    auto out = co_await board_.unload(port, to);
    if (!out) co_return fail(as_rig_error(out.error()));
    if (out->fault == Fault::none) co_return Result<void>{};
    blocked_.insert(port);
    co_return co_await recover_from(*out);
}

asio::awaitable<Result<void>> StationRig::recover_from(const RigJobOutcome& outcome) {
    if (!outcome.latched) co_return Result<void>{};
    const std::string why = explain(outcome.fault, outcome.detail);
    for (auto& [pocket, slot] : slots_)
        if (!may_move(slot.state)) step(pocket, SlotEvent::doubted);
    // After other faults the rig needs an operator: a person may be reaching into it, a card may have fallen, or a part
    // is broken.
    if (outcome.fault != Fault::jam || jams_in_a_row_ > 0) {
        rested_ = false;
        co_return fail(Errc::rig_fault, why);
    }
    ++jams_in_a_row_;
    auto cleared = co_await board_.clear();
    if (!cleared) co_return fail(as_rig_error(cleared.error()));
    if (cleared->fault != Fault::none) co_return fail(Errc::rig_fault, why);
    auto homed = co_await board_.home();
    if (!homed) co_return fail(as_rig_error(homed.error()));
    if (homed->fault != Fault::none)
        co_return fail(Errc::rig_fault, fmt::format("{}; then {}", why, explain(homed->fault, homed->detail)));
    co_return Result<void>{};
}

Error StationRig::hangs_on_cup(Pocket pocket) {
    rested_ = false;
    return {Errc::rig_fault, fmt::format("the card of slot {} is on the cup; take it off by hand, then continue",
                                         slot_of(pocket).number)};
}

/// Determines the place of a card after a failed motion.
asio::awaitable<Result<void>> StationRig::look_again(Pocket pocket, PortIndex port) {
    auto status = co_await board_.status();
    if (!status) co_return fail(as_rig_error(status.error()));
    if ((status->flags & rigproto::flag_holding) != 0) co_return fail(hangs_on_cup(pocket));
    step(pocket, SlotEvent::jammed);
    if (PortSet{static_cast<std::uint8_t>(status->cards | status->occupied)}.contains(port)) {
        readers_[port] = pocket;
        step(pocket, SlotEvent::found_in);
    } else {
        readers_.erase(port);
        step(pocket, SlotEvent::found_out);
    }
    co_return Result<void>{};
}

/// Waits for devices, and keeps each slot's state.
namespace asio = boost::asio;

asio::awaitable<Result<media::Medium>> StationRig::wait_for_one(const std::vector<media::Medium>& before,
                                                                PortIndex port, agent::AgentClient& agent) {
    const std::string place = port.index < setup_.reader_paths.size() ? setup_.reader_paths[port.index] : "";
    auto found = co_await await_appearance(before, place, agent, waiting(setup_.appears_within));
    if (!found && found.error().code == Errc::no_medium)
        found.error().detail =
            fmt::format("no block device appeared within {} s after port {} was switched on: a dead card",
                        setup_.appears_within.count() / 1000, number_of(port));
    co_return found;
}

PresenceWait StationRig::waiting(std::chrono::milliseconds within) const {
    return {.within = within, .poll_interval = setup_.poll_interval, .given_up = &given_up_};
}

void StationRig::step(Pocket pocket, SlotEvent event) {
    if (const auto to = next(slots_[pocket], event)) slots_[pocket] = *to;
}

Result<void> StationRig::allows(Pocket pocket, SlotEvent event) const {
    const auto found = slots_.find(pocket);
    const Slot slot = found == slots_.end() ? Slot{} : found->second;
    if (next(slot, event)) return {};
    return fail(Errc::refused, fmt::format("slot {}: {} is not allowed while it is {}", slot_of(pocket).number,
                                           name_of(event), name_of(slot.state)));
}

std::optional<PortIndex> StationRig::port_of(Pocket pocket) const {
    for (const auto& [port, other] : readers_)
        if (other == pocket) return port;
    return std::nullopt;
}

Error StationRig::set_aside(Pocket pocket, Errc code, const std::string& why) {
    if (allows(pocket, SlotEvent::failed)) step(pocket, SlotEvent::failed);
    return {code, fmt::format("slot {}: {}", slot_of(pocket).number, why)};
}

} // namespace mediarig::rig
