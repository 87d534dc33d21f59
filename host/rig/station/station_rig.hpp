// SPDX-License-Identifier: GPL-3.0-or-later
/// A magazine, a carriage and switched readers as a rig: its slots are the pockets. A card is picked, pushed into a
/// free reader, switched on, and handed out only after the presence handshake: exactly one block device appears with
/// the port's voltage, vanishes with it and comes back with it. Whatever else appears or vanishes sets the slot aside.
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
    /// Of each port's reader, from port 0 on: the USB path its block device must have; empty or missing: not declared.
    std::vector<std::string> reader_paths;
    bool has_nest{};          ///< an identity nest, where each card is read before it goes into a reader
    bool emulated{};          ///< a simulated rig: what it separates is a model
    bool keeps_in_magazine{}; ///< every card goes back to its pocket; else into a bin by its verdict
    std::chrono::milliseconds appears_within{30'000}, vanishes_within{30'000}, look_every{200};
    /// Where media are emulated: why they no longer come and go with their supply.
    std::function<std::optional<Error>()> trouble_of_emulation{};
};

class StationRig final : public Rig {
public:
    /// `board` is connected, `log` is the ledger that it writes; both outlive the rig. Nothing moves before the first
    /// load or unload, which first brings a rig that was left in the middle of something to rest.
    StationRig(Board& board, AsyncRigLog& log, StationSetup setup);

    /// A slot that jams is set aside: the jam is cleared and the rig homed, once. If the next motion jams as well, it
    /// is rig_fault. Everything else that latches always is: only a person goes on after it.
    boost::asio::awaitable<Result<Loaded>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<Unloaded>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    boost::asio::awaitable<std::optional<Error>> trouble() override;
    /// One a reader, but for those whose card does not come out.
    Lanes lanes() const override;
    void give_up() override { given_up_ = true; }
    std::string description() const override { return board_.description(); }

    [[nodiscard]] SlotState state_of(SlotId slot) const;

private:
    using Done = boost::asio::awaitable<Result<void>>;
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    Done come_to_rest();
    Done clear_away(Port port, Destination to);
    Answer<Port> free_port(Pocket pocket);
    /// Has a card that is in its pocket read on the nest. That the card does not answer there is no error.
    Done read_on_nest(Pocket pocket);
    Done insert(Pocket pocket, Port port);
    Answer<Loaded> shake_hands(Pocket pocket, Port port, agent::AgentClient& agent);
    Done switch_on(Pocket pocket, Port port);
    Answer<SupplyReading> switch_off(Port port);
    [[nodiscard]] Detachment cut_of(Evidence evidence) const;
    Done take_out(Pocket pocket, Port port, Destination to);
    Answer<media::Medium> wait_for_one(const std::vector<media::Medium>& before, Port port, agent::AgentClient& agent);
    [[nodiscard]] PresenceWait waiting(std::chrono::milliseconds within) const;
    /// Clears a jam and homes, once; an Error is why the rig cannot go on at all.
    Done get_over(const JobOutcome& outcome);
    Done look_again(Pocket pocket, Port port);
    /// A card on the cup is for a person to take off.
    [[nodiscard]] Error hangs_on_cup(Pocket pocket);

    void step(Pocket pocket, SlotEvent event);
    [[nodiscard]] Result<void> allows(Pocket pocket, SlotEvent event) const;
    [[nodiscard]] std::optional<Port> port_of(Pocket pocket) const;
    /// A board that is lost, hangs or refuses is the rig's fault, whatever its line's word for it: no slot is set
    /// aside for it.
    [[nodiscard]] static Error of_the_rig(Error error);
    [[nodiscard]] Error set_aside(Pocket pocket, Errc code, const std::string& why);

    Board& board_;
    AsyncRigLog& log_;
    StationSetup setup_;
    bool rested_{};
    bool given_up_{};
    unsigned jams_in_a_row_{};
    std::map<Port, Pocket> readers_; ///< that the card in each belongs to
    std::set<Port> blocked_;         ///< whose card cannot be taken out
    std::set<Pocket> in_use_;        ///< whose card was asked for and not taken back yet
    PortSet guarded_;                ///< that carry a medium that may be written
    std::map<Pocket, Slot> slots_;
    std::map<Pocket, media::Medium> media_;  ///< what was handed out
    std::map<Pocket, NestReading> readings_; ///< of the cards that this run put into readers
};

} // namespace mediarig::rig
