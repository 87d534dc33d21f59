// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/lab_rig.hpp"

#include <fmt/format.h>

#include <utility>

namespace mediarig::rig {
namespace asio = boost::asio;

LabRig::LabRig(lab::VirtualMachine& machine, lab::CardStarter& starter, std::map<SlotId, LabCard> cards)
    : machine_(machine), starter_(starter), cards_(std::move(cards)) {}

LabRig::~LabRig() = default;

asio::awaitable<Result<LoadResult>> LabRig::load(SlotId slot, agent::AgentClient& agent) {
    const auto card = cards_.find(slot);
    if (card == cards_.end())
        co_return fail(Errc::bad_request, fmt::format("the lab has no medium for slot {}", slot.number));
    if (!working_.contains(slot)) {
        lab::CardMedium wanted = card->second.medium;
        auto server = co_await starter_.start(std::move(wanted));
        if (!server) co_return fail(std::move(server.error()));
        // Use a named variable instead of a temporary: GCC 12 destroys an aggregate twice if it is created inside a
        // co_await expression.
        lab::LabMedium medium{.source = (*server)->source(),
                              .serial = says_a_serial(card->second.kind) ? card->second.medium.name : "",
                              .smart_critical_warning = card->second.smart_critical_warning,
                              .figures = card->second.figures};
        auto plugged = co_await machine_.plug(slot, std::move(medium));
        if (!plugged) {
            (void)co_await (*server)->stop();
            co_return fail(std::move(plugged.error()));
        }
        working_[slot] = std::move(*server);
    }
    auto there = co_await machine_.wait_for(slot, agent);
    if (!there) co_return fail(std::move(there.error()));
    LoadResult loaded{.medium = std::move(*there), .how = {}, .detachment = {}};
    co_return loaded;
}

asio::awaitable<Result<UnloadResult>> LabRig::unload(SlotId slot, Sorting, agent::AgentClient& agent) {
    const auto working = working_.find(slot);
    if (working == working_.end()) co_return UnloadResult{};
    const std::unique_ptr<lab::EmulatedCard> server = std::move(working->second);
    working_.erase(working);
    auto gone = co_await machine_.unplug(slot);
    if (gone) gone = co_await machine_.wait_until_gone(slot, agent);
    auto stopped = co_await server->stop();
    if (!gone) co_return fail(std::move(gone.error()));
    if (!stopped) co_return fail(std::move(stopped.error()));
    // The machine removed the device, and the agent saw its block device disappear.
    UnloadResult unloaded{.how = {}, .detachment = {}};
    unloaded.detachment =
        Detachment(DetachLevel::withdrawn, {.vanished = true, .supply = {}, .plug_watts = {}}, description(),
                   /*emulated=*/true);
    co_return unloaded;
}

lab::EmulatedCard* LabRig::card_in(SlotId slot) {
    const auto working = working_.find(slot);
    return working == working_.end() ? nullptr : working->second.get();
}

} // namespace mediarig::rig
