// SPDX-License-Identifier: GPL-3.0-or-later
/// A person as the rig: asked to put the card of a slot into the reader and to take it out again. What counts is what
/// the agent sees: a device that vanished, and one that appeared alone.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "host/rig/port/rig.hpp"
#include "host/rig/station/operator.hpp"

namespace mediarig::rig {

struct ManualSetup {
    std::chrono::milliseconds within{300'000}; ///< how long a person has for each card
    std::chrono::milliseconds look_every{300};
};

/// Where a person puts a medium: "to those that passed".
[[nodiscard]] std::string place_for(const Sorting& to);

class ManualRig final : public Rig {
public:
    /// `person` outlives the rig.
    explicit ManualRig(Operator& person, ManualSetup setup = {}) : person_(person), setup_(setup) {}

    /// Besides: no_medium where nobody did it in time, or where "skip" was typed. A device that appeared is taken only
    /// after a person read what it is and typed the slot's number: anything may be plugged in while a card is awaited.
    boost::asio::awaitable<Result<Loaded>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<Unloaded>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    void give_up() override { given_up_ = true; }
    std::string description() const override { return "a person"; }

private:
    boost::asio::awaitable<Result<media::Medium>> appeared(SlotId slot, const std::vector<media::Medium>& before,
                                                           agent::AgentClient& agent);
    boost::asio::awaitable<Result<void>> confirmed_by_person(SlotId slot, const media::Medium& medium,
                                                             agent::AgentClient& agent);

    Operator& person_;
    ManualSetup setup_;
    bool given_up_{false};
    std::map<SlotId, media::Medium> loaded_;
    std::optional<media::Medium> last_; ///< that was taken out
};

} // namespace mediarig::rig
