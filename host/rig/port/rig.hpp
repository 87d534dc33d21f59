// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the rig presents the medium of a slot to the agent and removes it again. The adapter decides on the mechanism
/// (a carriage, a person, an emulated bus).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/rigproto/messages.hpp"
#include "common/units.hpp"
#include "host/agent/client/agent_client.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/rig/port/detachment.hpp"
#include "host/rig/port/nest_reading.hpp"

namespace mediarig::rig {

struct LoadResult {
    media::Medium medium; ///< medium that the agent reports
    std::string how;      ///< place of the medium, for the journal; may be empty
    /// Result of the presence handshake, if the rig performs it. The medium was powered again afterwards.
    std::optional<Detachment> detachment;
    /// Registers of the card, or the error, if the rig read them before the card went into a reader.
    std::optional<NestReading> nest{};
};

struct UnloadResult {
    std::string how;                      ///< current place of the medium, for the journal; may be empty
    bool in_bin{false};                   ///< true in a bin: the medium cannot be loaded again
    std::optional<Detachment> detachment; ///< unset if nothing was separated: the medium was already gone, or it stays
};

/// Returns the text for the journal.
[[nodiscard]] inline std::string journal_text(std::string how, const std::optional<Detachment>& detachment) {
    if (!detachment) return how;
    if (!how.empty()) how += "; ";
    return how + text_of(*detachment);
}

/// Destination of a medium: a bin, or its original place.
using Sorting = std::optional<rigproto::Bin>;

/// Number of media that can be loaded at the same time.
struct Lanes {
    std::size_t most{1};
    std::size_t independent{1}; ///< number of loaded media that do not affect each other: one per separate reader
};

class Rig {
public:
    virtual ~Rig() = default;

    /// Presents the slot's medium to the agent and waits until exactly that block device appears. For a loaded medium
    /// it only returns the entry. Fails with bad_request (no such slot), no_medium (it never appeared, or another one
    /// did: this slot is out of use), rig_fault (nothing can be loaded until an operator has checked the rig),
    /// agent_lost (the agent's machine is gone).
    [[nodiscard]] virtual boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient& agent) = 0;

    /// Removes the medium, waits until its block device is gone, and sorts it if the rig can. Idempotent; also for use
    /// after a load that failed halfway. Nothing on the medium may be mounted. Fails like load().
    [[nodiscard]] virtual boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to,
                                                                              agent::AgentClient& agent) = 0;

    /// Cuts the power of a loaded medium and presents it again. Nothing on it may be mounted. Fails like load().
    [[nodiscard]] virtual boost::asio::awaitable<Result<LoadResult>> reload(SlotId slot, agent::AgentClient& agent) {
        auto unloaded = co_await unload(slot, std::nullopt, agent);
        if (!unloaded) co_return fail(std::move(unloaded.error()));
        auto loaded = co_await load(slot, agent);
        if (loaded && !loaded->detachment) loaded->detachment = unloaded->detachment;
        co_return loaded;
    }

    /// Returns the reason why results of all media are not valid (emergency stop pressed, a port lost its power);
    /// nothing otherwise. Called when a medium seems to fail, so that faults of the rig are not attributed to the
    /// medium.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<Error>> rig_fault() { co_return std::nullopt; }

    /// Returns the current value: a reader may have failed since the last call.
    [[nodiscard]] virtual Lanes lanes() const { return {}; }

    /// Call when the campaign must stop: a load that waits for a person or a device ends soon with cancelled.
    virtual void abandon() {}

    /// Name for records and error messages: "lab".
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
