// SPDX-License-Identifier: GPL-3.0-or-later
/// The virtual lab as a rig: loading a slot switches its card model on and plugs it into the virtual machine. It has no
/// bins: a medium that is unloaded is where it was.
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
    SlotKind kind{}; ///< of the slot that it belongs into
    lab::CardMedium medium;
    std::uint8_t smart_critical_warning{}; ///< as its description has it
};

class LabRig final : public Rig {
public:
    /// `machine` is started and outlives the rig; `sockets` is a short-named folder for the card models' sockets.
    /// `cards` says what belongs into which slot.
    LabRig(lab::Machine& machine, lab::CardPrograms programs, std::map<SlotId, LabCard> cards,
           std::filesystem::path sockets);
    LabRig(const LabRig&) = delete;
    LabRig& operator=(const LabRig&) = delete;
    /// Card models that still run are ended.
    ~LabRig() override;

    /// Besides: no_driver (no nbdkit), io_failed (the card model's backing file).
    boost::asio::awaitable<Result<Loaded>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<Unloaded>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    /// The slots are their own, the machine that they are emulated on is not.
    Lanes lanes() const override { return {.most = std::max<std::size_t>(cards_.size(), 1), .independent = 1}; }
    std::string description() const override { return "lab"; }

    /// The model that works in a loaded slot; null where none does.
    [[nodiscard]] lab::CardServer* card_in(SlotId slot);

private:
    lab::Machine& machine_;
    lab::CardPrograms programs_;
    std::map<SlotId, LabCard> cards_;
    std::filesystem::path sockets_;
    std::map<SlotId, std::unique_ptr<lab::CardServer>> working_;
};

} // namespace mediarig::rig
