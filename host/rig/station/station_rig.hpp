// SPDX-License-Identifier: GPL-3.0-or-later
/// A magazine, a carriage and switched readers as a rig: its slots are the pockets. The rig picks a card, pushes it
/// into a free reader, switches it on, and hands it out only after the presence handshake: exactly one block device
/// appears with the port's voltage, disappears with it and returns with it. Any other appearance or disappearance sets
/// the slot aside.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/rig/port/async_rig_log.hpp"
#include "host/rig/port/board.hpp"
#include "host/rig/port/rig.hpp"
#include "host/rig/station/await_presence.hpp"
#include "host/rig/station/slot_state.hpp"

namespace mediarig::rig {

struct StationSetup {
    std::uint8_t pockets{}, ports{};
    /// The required USB path of the block device in each port's reader, from port 0. An empty or missing path allows
    /// any.
    std::vector<std::string> reader_paths;
    bool has_nest{};          ///< each card is read on an identity nest before it goes into a reader
    bool emulated{};          ///< simulated rig: the separated media are models
    bool keeps_in_magazine{}; ///< every card returns to its pocket; false: it goes into a bin by its verdict
    std::chrono::milliseconds appears_within{30'000}, vanishes_within{30'000}, poll_interval{200};
    /// Returns the reason why emulated media no longer follow their supply.
    std::function<std::optional<Error>()> trouble_of_emulation{};
};

class StationRig final : public Rig {
public:
    /// `board` is connected, `log` is its ledger; both outlive the rig. Nothing moves before the first load or unload,
    /// which first brings an interrupted rig to rest.
    StationRig(Board& board, AsyncRigLog& log, StationSetup setup);

    /// A slot that jams is set aside: the jam is cleared and the rig homed, once. If the next motion jams too, the
    /// result is rig_fault. Every other latched fault is rig_fault at once: only an operator can continue.
    boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    boost::asio::awaitable<std::optional<Error>> rig_fault() override;
    /// One lane per reader, except readers whose card cannot be removed.
    Lanes lanes() const override;
    void abandon() override { given_up_ = true; }
    std::string description() const override { return board_.description(); }

    [[nodiscard]] SlotState state_of(SlotId slot) const;

private:
    using Done = boost::asio::awaitable<Result<void>>;
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    Done stop_motion();
    Done unload_stray_card(PortIndex port, Destination to);
    Answer<PortIndex> free_port(Pocket pocket);
    /// Reads a card from its pocket on the nest. A card that does not answer is not an error.
    Done read_on_nest(Pocket pocket);
    Done insert(Pocket pocket, PortIndex port);
    Answer<LoadResult> run_handshake(Pocket pocket, PortIndex port, agent::AgentClient& agent);
    Done switch_on(Pocket pocket, PortIndex port);
    Answer<SupplyReading> switch_off(PortIndex port);
    [[nodiscard]] Detachment detachment_by(Evidence evidence) const;
    Done unload_reader(Pocket pocket, PortIndex port, Destination to);
    Answer<media::Medium> wait_for_one(const std::vector<media::Medium>& before, PortIndex port,
                                       agent::AgentClient& agent);
    [[nodiscard]] PresenceWait waiting(std::chrono::milliseconds within) const;
    /// Clears a jam and homes, once; an Error is the reason why the rig cannot continue.
    Done recover_from(const RigJobOutcome& outcome);
    Done look_again(Pocket pocket, PortIndex port);
    /// An operator must remove a card from the cup.
    [[nodiscard]] Error hangs_on_cup(Pocket pocket);

    void step(Pocket pocket, SlotEvent event);
    [[nodiscard]] Result<void> allows(Pocket pocket, SlotEvent event) const;
    [[nodiscard]] std::optional<PortIndex> port_of(Pocket pocket) const;
    /// Reports a lost, hung or refusing board as a fault of the rig, whatever the error of the line: no slot is set
    /// aside for it.
    [[nodiscard]] static Error as_rig_error(Error error);
    [[nodiscard]] Error set_aside(Pocket pocket, Errc code, const std::string& why);

    Board& board_;
    AsyncRigLog& log_;
    StationSetup setup_;
    bool rested_{};
    bool given_up_{};
    unsigned jams_in_a_row_{};
    std::map<PortIndex, Pocket> readers_; ///< owner of the card in each reader
    std::set<PortIndex> blocked_;         ///< readers whose card cannot be removed
    std::set<Pocket> in_use_;             ///< pockets whose card was loaded and not unloaded yet
    PortSet guarded_;                     ///< ports with a medium that may be written
    std::map<Pocket, Slot> slots_;
    std::map<Pocket, media::Medium> media_;  ///< media that were handed out
    std::map<Pocket, NestReading> readings_; ///< readings of the cards that this run put into readers
};

} // namespace mediarig::rig
