// SPDX-License-Identifier: GPL-3.0-or-later
/// When something was interrupted or failed: bringing the rig to rest, and finding out where cards are.
#include <fmt/format.h>

#include <utility>

#include "host/rig/station/recovery.hpp"
#include "host/rig/station/station_rig.hpp"
#include "host/rig/text/text.hpp"

namespace mediarig::rig {
namespace {

namespace asio = boost::asio;
using rigproto::Fault;

/// More than a magazine ever had under way; what is older cannot be in a reader.
constexpr std::size_t ledger_reach = 500;

} // namespace

/// A board that is lost, hangs or refuses is the rig's fault, whatever its line's word for it: no slot is set aside for
/// it.
Error StationRig::of_the_rig(Error error) {
    const bool keeps = error.code == Errc::store_failed || error.code == Errc::cancelled;
    if (!keeps) error.code = Errc::rig_fault;
    return error;
}

asio::awaitable<std::optional<Error>> StationRig::trouble() {
    if (setup_.trouble_of_emulation)
        if (auto why = setup_.trouble_of_emulation()) co_return why;
    auto status = co_await board_.status();
    if (!status) co_return of_the_rig(status.error());
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

/// What was left by whoever used the rig before, this program or another one, living or killed.
asio::awaitable<Result<void>> StationRig::come_to_rest() {
    if (rested_) co_return Result<void>{};
    auto status = co_await board_.status();
    if (!status) co_return fail(of_the_rig(status.error()));
    const auto jobs = co_await log_.latest(ledger_reach);
    if (!jobs) co_return fail(jobs.error());
    const BoardReport says{.cold_start = board_.hello().cold_start != 0, .status = *status};
    const Recovery recovery = recover(*jobs, says);
    if (recovery.person) co_return fail(Errc::rig_fault, *recovery.person);
    if (recovery.clear && !may_be_cleared(status->fault))
        co_return fail(Errc::rig_fault,
                       fmt::format("{} (a campaign does not clear this: look, then run mediarig rig reset)",
                                   explain(status->fault, status->fault_detail)));
    if (recovery.clear) {
        auto cleared = co_await board_.clear();
        if (!cleared) co_return fail(of_the_rig(cleared.error()));
        if (cleared->fault != Fault::none) co_return fail(Errc::rig_fault, explain(cleared->fault, cleared->detail));
    }
    if (recovery.home) {
        auto homed = co_await board_.home();
        if (!homed) co_return fail(of_the_rig(homed.error()));
        if (homed->fault != Fault::none) co_return fail(Errc::rig_fault, explain(homed->fault, homed->detail));
    }
    rested_ = true;
    readers_.clear();
    for (auto& [pocket, slot] : slots_)
        if (slot.state == SlotState::unknown || slot.state == SlotState::fault_rig) step(pocket, SlotEvent::found_out);
    for (const FoundCard& card : recovery.cards) {
        if (!card.pocket) {
            if (auto away = co_await clear_away(card.port, rigproto::Bin::unknown); !away) co_return away;
            continue;
        }
        readers_[card.port] = *card.pocket;
        Slot& slot = slots_[*card.pocket];
        slot = Slot{.state = PortSet{status->powered}.contains(card.port) ? SlotState::powered : SlotState::present};
    }
    co_return Result<void>{};
}

/// A card that does not belong to the slot that is wanted.
asio::awaitable<Result<void>> StationRig::clear_away(Port port, Destination to) {
    auto off = co_await board_.power_off(port);
    if (!off) co_return fail(of_the_rig(off.error()));
    auto out = co_await board_.unload(port, to);
    if (!out) co_return fail(of_the_rig(out.error()));
    if (out->fault == Fault::none) co_return Result<void>{};
    blocked_.insert(port);
    co_return co_await get_over(*out);
}

asio::awaitable<Result<void>> StationRig::get_over(const JobOutcome& outcome) {
    if (!outcome.latched) co_return Result<void>{};
    const std::string why = explain(outcome.fault, outcome.detail);
    for (auto& [pocket, slot] : slots_)
        if (!may_move(slot.state)) step(pocket, SlotEvent::doubted);
    // Whoever stopped it may have a hand inside; a card that fell lies somewhere; what else latches is broken.
    if (outcome.fault != Fault::jam || jams_in_a_row_ > 0) {
        rested_ = false;
        co_return fail(Errc::rig_fault, why);
    }
    ++jams_in_a_row_;
    auto cleared = co_await board_.clear();
    if (!cleared) co_return fail(of_the_rig(cleared.error()));
    if (cleared->fault != Fault::none) co_return fail(Errc::rig_fault, why);
    auto homed = co_await board_.home();
    if (!homed) co_return fail(of_the_rig(homed.error()));
    if (homed->fault != Fault::none)
        co_return fail(Errc::rig_fault, fmt::format("{}; then {}", why, explain(homed->fault, homed->detail)));
    co_return Result<void>{};
}

Error StationRig::hangs_on_cup(Pocket pocket) {
    rested_ = false;
    return {Errc::rig_fault, fmt::format("the card of slot {} hangs on the cup; take it off by hand, then go on",
                                         slot_of(pocket).number)};
}

/// Where a card is after a motion that failed.
asio::awaitable<Result<void>> StationRig::look_again(Pocket pocket, Port port) {
    auto status = co_await board_.status();
    if (!status) co_return fail(of_the_rig(status.error()));
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

} // namespace mediarig::rig
