// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig without a carriage: media stay in their slots, and each slot has its own supply switch (a board's port, a
/// hub's port, a mains plug, an enclosure). A medium is handed out only after the presence handshake, like in a
/// station: it disappears with its supply and the same medium returns with it. A slot without a switch, or with a
/// switch that does not separate its medium, is left to the operator.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/rig/bank/supply.hpp"
#include "host/rig/port/rig.hpp"
#include "host/rig/station/await_presence.hpp"
#include "host/rig/station/manual_rig.hpp"

namespace mediarig::rig {

struct SwitchedSlot {
    std::unique_ptr<Supply> supply; ///< null: the operator
    std::string usb, serial;        ///< as in BankSlot
};

struct BankSetup {
    std::string name{"a rig without a carriage"}; ///< description of the rig, for records
    bool emulated{};                              ///< simulated rig: the separated media are models
    std::chrono::milliseconds appears_within{60'000}, vanishes_within{30'000}, poll_interval{200};
    std::chrono::milliseconds person_within{300'000}; ///< time limit for the operator, per medium
    /// See StationSetup.
    std::function<std::optional<Error>()> trouble_of_emulation{};
};

class BankRig final : public Rig {
public:
    /// The first slot has number 1. `person` outlives the rig.
    BankRig(std::vector<SwitchedSlot> slots, Operator& person, BankSetup setup);

    boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient& agent) override;
    /// Switches the medium off and leaves it in its slot; the operator is asked to put it where it belongs.
    boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    /// Only switches: the medium stays in its slot.
    boost::asio::awaitable<Result<LoadResult>> reload(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<std::optional<Error>> rig_fault() override;
    Lanes lanes() const override { return {.most = slots_.size(), .independent = 1}; }
    void abandon() override;
    std::string description() const override { return setup_.name; }

private:
    using Done = boost::asio::awaitable<Result<void>>;
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;
    using Devices = std::vector<media::Medium>;

    Answer<LoadResult> load_switched(SlotId slot, agent::AgentClient& agent);
    /// Returns the medium with its supply on, before the handshake.
    Answer<media::Medium> identify_powered(SlotId slot, agent::AgentClient& agent);
    Done wait_for_medium(SlotId slot);
    Answer<media::Medium> appearance(SlotId slot, const Devices& before, agent::AgentClient& agent);
    /// Returns the measurements, including `vanished`; timed_out if the medium stays.
    Answer<Evidence> cut(SlotId slot, const media::Medium& medium, agent::AgentClient& agent);
    /// Fails with refused if a device in use could lose its supply.
    Result<void> may_cut(SlotId slot, const media::Medium& medium, const Devices& devices) const;
    /// For use after a load that failed halfway: returns false if the medium is in use.
    Answer<bool> switch_off_unused(SlotId slot, agent::AgentClient& agent);
    Answer<LoadResult> load_by_hand(SlotId slot, const std::string& why, agent::AgentClient& agent);
    [[nodiscard]] Result<bool> is_at(SlotId slot, const media::Medium& medium) const;
    [[nodiscard]] Detachment separated(SlotId slot, Evidence evidence) const;
    [[nodiscard]] const SwitchedSlot& at(SlotId slot) const { return slots_[slot.number - 1U]; }
    [[nodiscard]] PresenceWait waiting(std::chrono::milliseconds within) const;

    std::vector<SwitchedSlot> slots_;
    Operator& person_;
    BankSetup setup_;
    ManualRig manual_;
    bool given_up_{};
    std::set<SlotId> by_hand_; ///< slots whose switch does not separate their medium
    std::map<SlotId, media::Medium> loaded_;
};

} // namespace mediarig::rig
