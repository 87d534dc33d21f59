// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/manual_rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/text.hpp"
#include "host/rig/station/presence.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;

std::string destination_text(const Sorting& to) {
    if (!to) return "back into its former place";
    switch (*to) {
        case rigproto::Bin::pass:
            return "with those that passed";
        case rigproto::Bin::fail:
            return "with those that failed";
        case rigproto::Bin::retest:
            return "with those to be tested again";
        case rigproto::Bin::unknown:
            break;
    }
    return "aside, as unknown";
}

std::string title_of(const media::Medium& medium) {
    std::string title = medium.node;
    if (!medium.vendor.empty()) title += ", " + medium.vendor;
    if (!medium.model.empty()) title += (medium.vendor.empty() ? ", " : " ") + medium.model;
    title += ", " + size_text(medium.size);
    return medium.serial.empty() ? title : title + ", serial " + medium.serial;
}

asio::awaitable<Result<LoadResult>> ManualRig::load(SlotId slot, agent::AgentClient& agent) {
    auto before = co_await agent.devices();
    if (!before) co_return fail(std::move(before.error()));
    if (const auto known = loaded_.find(slot); known != loaded_.end()) {
        for (const media::Medium& each : *before)
            if (each.node == known->second.node && same_medium(each, known->second)) {
                LoadResult still{.medium = each, .how = "still in the reader", .detachment = {}};
                co_return still;
            }
        loaded_.erase(known);
    }
    person_.tell(fmt::format("put the card of slot {} into the reader (type \"skip\" and Enter to omit the slot; {} s)",
                             slot.number, setup_.within.count() / 1000));
    auto medium = co_await appeared(slot, *before, agent);
    if (!medium) co_return fail(std::move(medium.error()));
    if (auto confirmed = co_await confirmed_by_person(slot, *medium, agent); !confirmed)
        co_return fail(std::move(confirmed.error()));
    loaded_[slot] = *medium;
    person_.tell(fmt::format("slot {}: {}, thank you", slot.number, medium->node));
    LoadResult loaded{.medium = std::move(*medium), .how = "inserted by the operator", .detachment = {}};
    co_return loaded;
}

asio::awaitable<Result<UnloadResult>> ManualRig::unload(SlotId slot, Sorting to, agent::AgentClient& agent) {
    const auto loaded = loaded_.find(slot);
    if (loaded == loaded_.end()) co_return UnloadResult{.how = "in no reader", .detachment = {}};
    const media::Medium medium = loaded->second;
    loaded_.erase(loaded);
    auto with = co_await agent.devices();
    if (!with) co_return fail(std::move(with.error()));
    const bool there = std::any_of(with->begin(), with->end(), [&](const media::Medium& each) {
        return each.node == medium.node && same_medium(each, medium);
    });
    last_ = medium;
    if (!there) co_return UnloadResult{.how = "was gone already", .detachment = {}};
    person_.tell(fmt::format("take the card of slot {} out and put it {} ({} s)", slot.number, destination_text(to),
                             setup_.within.count() / 1000));
    const auto deadline = std::chrono::steady_clock::now() + setup_.within;
    for (;;) {
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        const Change change = between(*with, *now);
        const bool gone = std::any_of(change.vanished.begin(), change.vanished.end(), [&](const media::Medium& each) {
            return each.node == medium.node && same_medium(each, medium);
        });
        if (gone) {
            UnloadResult unloaded{.how = {}, .detachment = {}};
            unloaded.detachment =
                Detachment(DetachLevel::withdrawn, {.vanished = true, .supply = {}, .plug_watts = {}}, description());
            co_return unloaded;
        }
        // If the campaign was stopped, the operator removes the card later.
        if (given_up_) co_return UnloadResult{.how = "left in the reader", .detachment = {}};
        if (std::chrono::steady_clock::now() > deadline) break;
        (void)co_await person_.hear(setup_.poll_interval);
    }
    co_return fail(Errc::rig_fault,
                   fmt::format("slot {}: the card was not taken out within {} s; take it out and continue", slot.number,
                               setup_.within.count() / 1000));
}

asio::awaitable<Result<media::Medium>> ManualRig::appeared(SlotId slot, const std::vector<media::Medium>& before,
                                                           agent::AgentClient& agent) {
    const auto deadline = std::chrono::steady_clock::now() + setup_.within;
    Result<media::Medium> seen = fail(Errc::no_medium, "");
    while (std::chrono::steady_clock::now() <= deadline) {
        if (given_up_)
            co_return fail(Errc::cancelled,
                           fmt::format("slot {}: cancelled while waiting for the medium", slot.number));
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        Change change = between(before, *now);
        // A card that is removed first to make room is no reason to refuse the new one.
        change.vanished.clear();
        auto found = appeared_alone(change, "");
        if (found && seen && *found == *seen) co_return found;
        if (!found && found.error().code != Errc::no_medium)
            co_return fail(Errc::refused, fmt::format("slot {}: {}", slot.number, found.error().detail));
        seen = std::move(found);
        const auto said = co_await person_.hear(setup_.poll_interval);
        if (said == "skip")
            co_return fail(Errc::no_medium, fmt::format("slot {}: skipped by the operator", slot.number));
    }
    co_return fail(Errc::no_medium,
                   fmt::format("slot {}: no card was inserted within {} s", slot.number, setup_.within.count() / 1000));
}

asio::awaitable<Result<void>> ManualRig::confirmed_by_person(SlotId slot, const media::Medium& medium,
                                                             agent::AgentClient& agent) {
    const std::string number = fmt::format("{}", slot.number);
    const bool as_before = last_ && same_medium(*last_, medium);
    const std::string ask =
        fmt::format("type {} and Enter to erase it as the card of slot {}, or skip", number, slot.number);
    person_.tell(fmt::format("{}{}: {}", title_of(medium),
                             as_before ? ", which cannot be distinguished from the card before" : "", ask));
    const auto deadline = std::chrono::steady_clock::now() + setup_.within;
    while (std::chrono::steady_clock::now() <= deadline) {
        if (given_up_)
            co_return fail(Errc::cancelled,
                           fmt::format("slot {}: cancelled while waiting for the confirmation", slot.number));
        const auto said = co_await person_.hear(setup_.poll_interval);
        if (said == "skip")
            co_return fail(Errc::no_medium, fmt::format("slot {}: skipped by the operator", slot.number));
        if (said && *said != number && !said->empty()) person_.tell(ask);
        if (said != number) continue;
        // The card may have been exchanged during the question.
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        if (std::ranges::find(*now, medium) != now->end()) co_return Result<void>{};
        co_return fail(Errc::no_medium,
                       fmt::format("slot {}: {} changed while it was confirmed", slot.number, medium.node));
    }
    co_return fail(Errc::no_medium, fmt::format("slot {}: no confirmation within {} s that {} is its card", slot.number,
                                                setup_.within.count() / 1000, title_of(medium)));
}

} // namespace mediarig::rig
