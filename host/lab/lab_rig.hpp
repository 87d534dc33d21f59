// SPDX-License-Identifier: GPL-3.0-or-later
/// Presents the virtual lab as a rig: a load starts the slot's card model and plugs it into the virtual machine. The
/// rig has no bins: an unloaded medium stays in its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "host/lab/card/emulated_card.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/rig/port/rig.hpp"

namespace mediarig::rig {

struct LabCard {
    SlotKind kind{}; ///< kind of its slot
    lab::CardMedium medium;
    std::uint8_t smart_critical_warning{}; ///< warning in the card's description
    media::ModelFigures figures{};         ///< figures of the card's description
};

class LabRig final : public Rig {
public:
    /// `machine` is started; it and `starter` outlive the rig. `cards`: the card of each slot.
    LabRig(lab::VirtualMachine& machine, lab::CardStarter& starter, std::map<SlotId, LabCard> cards);
    LabRig(const LabRig&) = delete;
    LabRig& operator=(const LabRig&) = delete;
    /// Kills card models that still run.
    ~LabRig() override;

    /// Additional errors: no_driver (no nbdkit), io_failed (the card model's backing file).
    boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    /// The slots are independent of each other, but share the emulated machine. In virtual time, one after another
    /// gives the same result every time.
    Lanes lanes() const override {
        return {.most = machine_.runs_in_virtual_time() ? 1 : std::max<std::size_t>(cards_.size(), 1),
                .independent = 1};
    }
    std::string description() const override { return "lab"; }

    /// Returns the running model of a loaded slot; null if absent.
    [[nodiscard]] lab::EmulatedCard* card_in(SlotId slot);

private:
    lab::VirtualMachine& machine_;
    lab::CardStarter& starter_;
    std::map<SlotId, LabCard> cards_;
    std::map<SlotId, std::unique_ptr<lab::EmulatedCard>> working_;
};

} // namespace mediarig::rig
