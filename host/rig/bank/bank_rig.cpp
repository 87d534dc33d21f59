// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/bank/bank_rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mediarig::rig {
namespace {

namespace asio = boost::asio;

std::string usb_path_of(const media::Medium& medium) {
    return medium.usb ? medium.usb->port_path : "";
}

Error about(SlotId slot, Error error) {
    error.detail = fmt::format("slot {}: {}", slot.number, error.detail);
    return error;
}

/// "sdb"
std::string kernel_name(const media::Medium& medium) {
    return medium.node.substr(medium.node.rfind('/') + 1);
}

} // namespace

BankRig::BankRig(std::vector<SwitchedSlot> slots, Operator& person, BankSetup setup)
    : slots_(std::move(slots)),
      person_(person),
      setup_(std::move(setup)),
      manual_(person, {.within = setup_.person_within, .poll_interval = setup_.poll_interval}) {}

void BankRig::abandon() {
    given_up_ = true;
    manual_.abandon();
}

PresenceWait BankRig::waiting(std::chrono::milliseconds within) const {
    return {.within = within, .poll_interval = setup_.poll_interval, .given_up = &given_up_};
}

Detachment BankRig::separated(SlotId slot, Evidence evidence) const {
    const Supply& supply = *at(slot).supply;
    return Detachment(supply.attempts(), std::move(evidence), supply.description(), setup_.emulated);
}

asio::awaitable<Result<LoadResult>> BankRig::load(SlotId slot, agent::AgentClient& agent) {
    if (slot.number < 1 || slot.number > slots_.size())
        co_return fail(Errc::bad_request,
                       fmt::format("the rig has no slot {}: it has {} slots", slot.number, slots_.size()));
    if (!at(slot).supply || by_hand_.contains(slot)) co_return co_await manual_.load(slot, agent);
    auto loaded = co_await load_switched(slot, agent);
    if (!loaded && loaded.error().code == Errc::timed_out)
        co_return co_await load_by_hand(slot, loaded.error().detail, agent);
    if (!loaded) co_return fail(about(slot, std::move(loaded.error())));
    co_return loaded;
}

asio::awaitable<Result<LoadResult>> BankRig::load_switched(SlotId slot, agent::AgentClient& agent) {
    auto listed = co_await agent.devices();
    if (!listed) co_return fail(std::move(listed.error()));
    if (const auto known = loaded_.find(slot); known != loaded_.end()) {
        for (const media::Medium& each : *listed)
            if (each.node == known->second.node && same_medium(each, known->second)) {
                LoadResult still{.medium = each, .how = "still in its slot", .detachment = {}};
                co_return still;
            }
        loaded_.erase(known);
    }
    auto first = co_await identify_powered(slot, agent);
    if (!first) co_return fail(std::move(first.error()));
    auto evidence = co_await cut(slot, *first, agent);
    if (!evidence) co_return fail(std::move(evidence.error()));
    auto without = co_await agent.devices();
    if (!without) co_return fail(std::move(without.error()));
    Supply& supply = *at(slot).supply;
    auto ramp = co_await supply.on();
    if (!ramp) co_return fail(std::move(ramp.error()));
    auto again = co_await appearance(slot, *without, agent);
    if (!again) co_return fail(std::move(again.error()));
    if (!same_medium(*first, *again))
        co_return fail(Errc::refused, fmt::format("another medium came back with its supply: {} {} instead of {} {}",
                                                  again->node, again->serial, first->node, first->serial));
    if (auto kept = co_await supply.keep_on(); !kept) co_return fail(std::move(kept.error()));
    if (evidence->supply) evidence->supply->ramp = *ramp;
    loaded_[slot] = *again;
    LoadResult loaded{.medium = std::move(*again), .how = supply.description(), .detachment = {}};
    loaded.detachment = separated(slot, std::move(*evidence));
    co_return loaded;
}

asio::awaitable<Result<media::Medium>> BankRig::identify_powered(SlotId slot, agent::AgentClient& agent) {
    Supply& supply = *at(slot).supply;
    auto on = co_await supply.is_on();
    if (!on) co_return fail(std::move(on.error()));
    auto listed = co_await agent.devices();
    if (!listed) co_return fail(std::move(listed.error()));
    if (*on) {
        for (const media::Medium& each : *listed) {
            const auto here = is_at(slot, each);
            if (!here) co_return fail(here.error());
            if (*here && each.size.count > 0) co_return each;
        }
        // The handshake has not been completed, so nothing on the medium is in use.
        if (auto off = co_await supply.off({}); !off) co_return fail(std::move(off.error()));
        auto again = co_await agent.devices();
        if (!again) co_return fail(std::move(again.error()));
        listed = std::move(again);
    }
    if (auto there = co_await wait_for_medium(slot); !there) co_return fail(std::move(there.error()));
    auto ramp = co_await supply.on();
    if (!ramp) co_return fail(std::move(ramp.error()));
    co_return co_await appearance(slot, *listed, agent);
}

asio::awaitable<Result<void>> BankRig::wait_for_medium(SlotId slot) {
    const auto deadline = std::chrono::steady_clock::now() + setup_.person_within;
    for (bool asked = false;; asked = true) {
        auto there = co_await at(slot).supply->holds_medium();
        if (!there) co_return fail(std::move(there.error()));
        if (*there) co_return Result<void>{};
        if (!asked)
            person_.tell(
                fmt::format("put the card of slot {} into its reader, at {} (type \"skip\" and Enter to omit the slot; "
                            "{} s)",
                            slot.number, at(slot).supply->description(), setup_.person_within.count() / 1000));
        if (given_up_) co_return fail(Errc::cancelled, "cancelled while waiting for the medium");
        if (std::chrono::steady_clock::now() > deadline) break;
        const auto said = co_await person_.hear(setup_.poll_interval);
        if (said == "skip") co_return fail(Errc::no_medium, "skipped by the operator");
    }
    co_return fail(Errc::no_medium,
                   fmt::format("no card was inserted within {} s", setup_.person_within.count() / 1000));
}

asio::awaitable<Result<media::Medium>> BankRig::appearance(SlotId slot, const Devices& before,
                                                           agent::AgentClient& agent) {
    auto found = co_await await_appearance(before, "", agent, waiting(setup_.appears_within));
    if (!found && found.error().code == Errc::no_medium)
        co_return fail(Errc::no_medium,
                       fmt::format("no block device appeared within {} s after {} was switched on: the slot is empty, "
                                   "or the medium is dead",
                                   setup_.appears_within.count() / 1000, at(slot).supply->description()));
    if (!found) co_return found;
    const auto places = at(slot).supply->places();
    if (!places) co_return fail(places.error());
    const bool declared = !places->empty() || !at(slot).usb.empty() || !at(slot).serial.empty();
    const auto here = is_at(slot, *found);
    if (!here) co_return fail(here.error());
    if (declared && !*here)
        co_return fail(
            Errc::refused,
            fmt::format("{} appeared (USB path '{}', serial '{}'), which is not the medium declared for the slot",
                        found->node, usb_path_of(*found), found->serial));
    co_return found;
}

Result<bool> BankRig::is_at(SlotId slot, const media::Medium& medium) const {
    const SwitchedSlot& declared = at(slot);
    if (!declared.serial.empty() && medium.serial != declared.serial) return false;
    const std::string path = usb_path_of(medium);
    if (!declared.usb.empty()) return path == declared.usb;
    const auto places = declared.supply->places();
    if (!places) return fail(places.error());
    if (!places->empty()) return std::ranges::find(*places, path) != places->end();
    return !declared.serial.empty();
}

Result<void> BankRig::may_cut(SlotId slot, const media::Medium& medium, const Devices& devices) const {
    const auto hubs = at(slot).supply->hubs();
    if (!hubs) return fail(hubs.error());
    for (const media::Medium& each : devices) {
        const std::string holder = holder_of(each);
        if (holder.empty()) continue;
        if (each.node == medium.node)
            return fail(Errc::refused,
                        fmt::format("{} is still in use ({}), so its supply stays on", each.node, holder));
        // Media in other slots of this rig may be in use.
        const bool ours =
            std::ranges::any_of(loaded_, [&](const auto& entry) { return entry.second.node == each.node; });
        const std::string path = usb_path_of(each);
        const bool beside = std::ranges::any_of(
            *hubs, [&](const std::string& hub) { return path.starts_with(hub + ".") || path.starts_with(hub + "-"); });
        if (beside && !ours)
            return fail(Errc::refused, fmt::format("{} is on the same hub and is in use ({}): unmount it, or plug it "
                                                   "in elsewhere; a hub may switch more ports than requested",
                                                   each.node, holder));
    }
    return {};
}

asio::awaitable<Result<Evidence>> BankRig::cut(SlotId slot, const media::Medium& medium, agent::AgentClient& agent) {
    auto with = co_await agent.devices();
    if (!with) co_return fail(std::move(with.error()));
    if (auto may = may_cut(slot, medium, *with); !may) co_return fail(std::move(may.error()));
    auto evidence = co_await at(slot).supply->off(kernel_name(medium));
    if (!evidence) co_return fail(std::move(evidence.error()));
    if (auto gone = co_await await_vanishing(*with, medium, agent, waiting(setup_.vanishes_within)); !gone)
        co_return fail(std::move(gone.error()));
    evidence->vanished = true;
    co_return evidence;
}

asio::awaitable<Result<LoadResult>> BankRig::load_by_hand(SlotId slot, const std::string& why,
                                                          agent::AgentClient& agent) {
    by_hand_.insert(slot);
    if (auto on = co_await at(slot).supply->on(); !on) co_return fail(about(slot, std::move(on.error())));
    person_.tell(fmt::format("slot {}: {} does not separate its medium ({}): take the medium out first", slot.number,
                             at(slot).supply->description(), why));
    co_return co_await manual_.load(slot, agent);
}

asio::awaitable<Result<UnloadResult>> BankRig::unload(SlotId slot, Sorting to, agent::AgentClient& agent) {
    if (slot.number < 1 || slot.number > slots_.size() || !at(slot).supply || by_hand_.contains(slot))
        co_return co_await manual_.unload(slot, to, agent);
    const auto loaded = loaded_.find(slot);
    if (loaded == loaded_.end()) {
        auto off = co_await switch_off_unused(slot, agent);
        if (!off) co_return fail(about(slot, std::move(off.error())));
        co_return UnloadResult{.how = *off ? "left in its slot, without power" : "left in its slot, under power",
                               .detachment = {}};
    }
    const media::Medium medium = loaded->second;
    auto evidence = co_await cut(slot, medium, agent);
    if (!evidence && evidence.error().code == Errc::timed_out) {
        loaded_.erase(slot);
        by_hand_.insert(slot);
        UnloadResult stays{.how = "its switch no longer separates the medium: " + evidence.error().detail,
                           .detachment = {}};
        stays.detachment = separated(slot, {.vanished = false, .supply = {}, .plug_watts = {}});
        co_return stays;
    }
    if (!evidence) co_return fail(about(slot, std::move(evidence.error())));
    loaded_.erase(slot);
    person_.tell(fmt::format("slot {} is without power: its medium may be taken out and put {}", slot.number,
                             destination_text(to)));
    UnloadResult unloaded{.how = "left in its slot, without power", .detachment = {}};
    unloaded.detachment = separated(slot, std::move(*evidence));
    co_return unloaded;
}

asio::awaitable<Result<bool>> BankRig::switch_off_unused(SlotId slot, agent::AgentClient& agent) {
    auto on = co_await at(slot).supply->is_on();
    if (!on || !*on) co_return on.map([](bool is_on) { return !is_on; });
    auto listed = co_await agent.devices();
    if (!listed) co_return fail(std::move(listed.error()));
    std::string disk;
    for (const media::Medium& each : *listed) {
        const auto here = is_at(slot, each);
        if (!here) co_return fail(here.error());
        if (!*here) continue;
        if (!may_cut(slot, each, *listed)) co_return false;
        disk = kernel_name(each);
    }
    auto off = co_await at(slot).supply->off(disk);
    if (!off) co_return fail(std::move(off.error()));
    co_return true;
}

asio::awaitable<Result<LoadResult>> BankRig::reload(SlotId slot, agent::AgentClient& agent) {
    if (slot.number < 1 || slot.number > slots_.size() || !at(slot).supply || by_hand_.contains(slot))
        co_return co_await manual_.reload(slot, agent);
    // The handshake of a load switches the supply off and on again.
    loaded_.erase(slot);
    co_return co_await load(slot, agent);
}

asio::awaitable<std::optional<Error>> BankRig::rig_fault() {
    if (setup_.trouble_of_emulation)
        if (auto why = setup_.trouble_of_emulation()) co_return why;
    for (const auto& [slot, medium] : loaded_)
        if (auto why = co_await at(slot).supply->rig_fault()) co_return about(slot, std::move(*why));
    co_return std::nullopt;
}

} // namespace mediarig::rig
