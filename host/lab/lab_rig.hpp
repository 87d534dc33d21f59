// SPDX-License-Identifier: GPL-3.0-or-later
/// Presents the virtual lab as a rig: a load starts the slot's card model and plugs it into the virtual machine. The
/// rig has no bins: an unloaded medium stays in its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "host/lab/card/card_server.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/rig/port/rig.hpp"

namespace mediarig::rig {

struct LabCard {
    SlotKind kind{}; ///< kind of its slot
    lab::CardMedium medium;
    std::uint8_t smart_critical_warning{}; ///< warning in the card's description
};

class LabRig final : public Rig {
public:
    /// `machine` is started and outlives the rig; `sockets` is a folder with a short path for the sockets of the card
    /// models. `cards`: the card of each slot.
    LabRig(lab::VirtualMachine& machine, lab::CardPrograms programs, std::map<SlotId, LabCard> cards,
           std::filesystem::path sockets);
    LabRig(const LabRig&) = delete;
    LabRig& operator=(const LabRig&) = delete;
    /// Kills card models that still run.
    ~LabRig() override;

    /// Additional errors: no_driver (no nbdkit), io_failed (the card model's backing file).
    boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    /// The slots are independent of each other, but share the emulated machine.
    Lanes lanes() const override { return {.most = std::max<std::size_t>(cards_.size(), 1), .independent = 1}; }
    std::string description() const override { return "lab"; }

    /// Returns the running model of a loaded slot; null if absent.
    [[nodiscard]] lab::CardServer* card_in(SlotId slot);

private:
    lab::VirtualMachine& machine_;
    lab::CardPrograms programs_;
    std::map<SlotId, LabCard> cards_;
    std::filesystem::path sockets_;
    std::map<SlotId, std::unique_ptr<lab::CardServer>> working_;
};

} // namespace mediarig::rig
