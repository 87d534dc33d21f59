// SPDX-License-Identifier: GPL-3.0-or-later
/// A booted machine with cards that users plug and pull.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "host/lab/card/card_server.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/resident/request.hpp"
#include "host/lab/resident/storage_watch.hpp"

namespace mediarig::lab {

/// Result of one plug or pull.
struct SlotChange {
    SlotId slot;
    std::chrono::milliseconds took{}; ///< time until the guest listed the medium, or no longer listed it
    std::string node;                 ///< block device of an inserted medium in the guest
    std::string confirm;              ///< confirmation text for erasing the medium in its current state
    std::string unseen;               ///< reason why the guest's view was not checked; empty if it was checked
};

/// All methods run on the machine's executor. Calls for one slot must not overlap: the second one fails with
/// bad_request.
class ResidentLab {
public:
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    /// `machine` is started with `slots` and outlives the lab. `sockets` is a folder with a short path. `media` stores
    /// the contents of cards: the same card in the same slot, by name, size and seed, is the same medium again.
    ResidentLab(VirtualMachine& machine, CardPrograms programs, std::vector<LabSlot> slots,
                std::filesystem::path sockets, std::filesystem::path media);

    /// Fails with bad_request (no such slot or card; the slot is occupied, of another kind or unsuitable for that
    /// size), and like the machine and the card's server.
    [[nodiscard]] Answer<SlotChange> plug(PlugCard wanted);
    /// Surprise removal; the card keeps acknowledged data.
    [[nodiscard]] Answer<SlotChange> unplug(SlotId slot);
    /// Cuts the slot's power: the device disappears and the card loses its volatile cache. Plugging the card again
    /// restores its power.
    [[nodiscard]] Answer<WriteCache::SectorCounts> cut_power(CutPower cut);
    [[nodiscard]] Answer<CardAnswer> order(OrderCard order);
    [[nodiscard]] Answer<ShellAnswer> run(std::string script);

    /// Exclusive use of the agent; ends with this object.
    class AgentTurn {
    public:
        explicit AgentTurn(std::shared_ptr<std::string> user) : user_(std::move(user)) {}
        AgentTurn(AgentTurn&&) = default;
        AgentTurn& operator=(AgentTurn&&) = delete;
        AgentTurn(const AgentTurn&) = delete;
        AgentTurn& operator=(const AgentTurn&) = delete;
        ~AgentTurn() {
            if (user_) user_->clear();
        }

    private:
        std::shared_ptr<std::string> user_;
    };
    /// Waits while the lab itself uses the agent; fails with rig_fault if another client uses it.
    [[nodiscard]] Answer<AgentTurn> take_agent(std::string user);

    [[nodiscard]] nlohmann::json slots() const;
    /// Empty if the agent is unused.
    [[nodiscard]] const std::string& agent_user() const { return *agent_user_; }
    [[nodiscard]] VirtualMachine& machine() { return machine_; }
    /// Returns the cards that are currently in the slots.
    [[nodiscard]] std::vector<ActiveCard> at_work() const;
    [[nodiscard]] const std::filesystem::path& media() const { return media_; }
    /// Switches all cards off in order.
    [[nodiscard]] boost::asio::awaitable<void> clean_up();

private:
    struct Card {
        std::string name;
        Bytes size;
        std::string serial, node;
        std::string confirm; ///< confirmation text that plug() returned
        std::uint8_t smart_critical_warning{};
        std::unique_ptr<CardServer> server;
    };
    class SlotTurn;

    [[nodiscard]] Result<LabSlot> slot_for(const PlugCard& wanted) const;
    [[nodiscard]] Result<Card*> card_in(SlotId slot);
    [[nodiscard]] Answer<Card> switch_on(PlugCard wanted, LabSlot slot);
    [[nodiscard]] boost::asio::awaitable<void> await_card(SlotChange& moved);
    [[nodiscard]] boost::asio::awaitable<void> await_removal(SlotChange& moved);
    template <class Look>
    [[nodiscard]] boost::asio::awaitable<void> look(SlotChange& moved, Look at);

    VirtualMachine& machine_;
    CardPrograms programs_;
    std::vector<LabSlot> slots_;
    std::filesystem::path sockets_, media_;
    std::map<SlotId, Card> cards_;
    std::shared_ptr<std::set<SlotId>> moving_ = std::make_shared<std::set<SlotId>>(); ///< may outlive the lab in a call
    std::shared_ptr<std::string> agent_user_ = std::make_shared<std::string>();
};

} // namespace mediarig::lab
