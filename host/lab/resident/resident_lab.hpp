// SPDX-License-Identifier: GPL-3.0-or-later
/// A booted machine with cards that come and go as people ask for it.
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

/// What one plug or pull came to.
struct Moved {
    SlotId slot;
    std::chrono::milliseconds took{}; ///< until the guest listed the medium, or listed none any more
    std::string node;                 ///< of a medium that came: its block device in the guest
    std::string confirm;              ///< what confirms that it may be erased, as things are now
    std::string unseen;               ///< why nobody looked whether the guest sees it; empty where somebody did
};

/// Everything on the machine's executor. Calls for one slot do not overlap: the second one fails with bad_request.
class ResidentLab {
public:
    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    /// `machine` is started with `slots` and outlives the lab; `sockets` is a short-named folder, `media` keeps the
    /// contents of cards: the same card in the same slot, by name, size and seed, is the same medium again.
    ResidentLab(Machine& machine, CardPrograms programs, std::vector<Slot> slots, std::filesystem::path sockets,
                std::filesystem::path media);

    /// Fails with bad_request (no such slot or card, a slot that is taken, of another kind or of no use for that
    /// size), and as the machine and the card's server do.
    [[nodiscard]] Answer<Moved> plug(PlugCard wanted);
    /// Pulled without warning; the card keeps what it had acknowledged.
    [[nodiscard]] Answer<Moved> unplug(SlotId slot);
    /// The slot's power goes: the device is gone and the card has lost what its volatile cache held. Plugging it again
    /// gives it power.
    [[nodiscard]] Answer<WriteCache::SectorCounts> cut_power(CutPower cut);
    [[nodiscard]] Answer<CardAnswer> order(OrderCard order);
    [[nodiscard]] Answer<ShellAnswer> run(std::string script);

    /// Whose turn with the agent it is; ends with this object.
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
    /// Waits where the lab itself looks at something; fails with rig_fault where another client works.
    [[nodiscard]] Answer<AgentTurn> take_agent(std::string user);

    [[nodiscard]] nlohmann::json slots() const;
    /// Empty where nobody works with the agent.
    [[nodiscard]] const std::string& agent_user() const { return *agent_user_; }
    [[nodiscard]] Machine& machine() { return machine_; }
    /// What works in the slots now.
    [[nodiscard]] std::vector<CardAtWork> at_work() const;
    [[nodiscard]] const std::filesystem::path& media() const { return media_; }
    /// Switches all cards off in order.
    [[nodiscard]] boost::asio::awaitable<void> put_away();

private:
    struct Card {
        std::string name;
        Bytes size;
        std::string serial, node;
        std::string confirm; ///< as plug() said
        std::uint8_t smart_critical_warning{};
        std::unique_ptr<CardServer> server;
    };
    class SlotTurn;

    [[nodiscard]] Result<Slot> slot_for(const PlugCard& wanted) const;
    [[nodiscard]] Result<Card*> card_in(SlotId slot);
    [[nodiscard]] Answer<Card> switch_on(PlugCard wanted, Slot slot);
    [[nodiscard]] boost::asio::awaitable<void> see_it_come(Moved& moved);
    [[nodiscard]] boost::asio::awaitable<void> see_it_go(Moved& moved);
    template <class Look>
    [[nodiscard]] boost::asio::awaitable<void> look(Moved& moved, Look at);

    Machine& machine_;
    CardPrograms programs_;
    std::vector<Slot> slots_;
    std::filesystem::path sockets_, media_;
    std::map<SlotId, Card> cards_;
    std::shared_ptr<std::set<SlotId>> moving_ = std::make_shared<std::set<SlotId>>(); ///< may outlive the lab in a call
    std::shared_ptr<std::string> agent_user_ = std::make_shared<std::string>();
};

} // namespace mediarig::lab
