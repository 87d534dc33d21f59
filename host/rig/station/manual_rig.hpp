// SPDX-License-Identifier: GPL-3.0-or-later
/// A person acts as the rig, and is asked to put the card of a slot into the reader and to remove it. The result
/// depends on the agent's observations: a device that disappeared, and one that appeared alone.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "host/rig/port/rig.hpp"
#include "host/rig/station/operator.hpp"

namespace mediarig::rig {

struct ManualSetup {
    std::chrono::milliseconds within{300'000}; ///< time limit for the operator, per card
    std::chrono::milliseconds poll_interval{300};
};

/// Destination of a medium for the operator: "with those that passed".
[[nodiscard]] std::string destination_text(const Sorting& to);

/// "/dev/sdb, Acme Stick, 32.0 GB, serial 4C53"
[[nodiscard]] std::string title_of(const media::Medium& medium);

class ManualRig final : public Rig {
public:
    /// `person` outlives the rig.
    explicit ManualRig(Operator& person, ManualSetup setup = {}) : person_(person), setup_(setup) {}

    /// Additional error: no_medium if the operator does not act in time or types "skip". A new device is accepted only
    /// after the operator has read its description and typed the slot's number: another device may be plugged in during
    /// the wait.
    boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient& agent) override;
    boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to, agent::AgentClient& agent) override;
    void abandon() override { given_up_ = true; }
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
    std::optional<media::Medium> last_; ///< the medium that was removed last
};

} // namespace mediarig::rig
