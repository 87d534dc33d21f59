// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: where media are. A rig puts the medium of a slot before the agent and takes it away again; what moves there
/// (a carriage, a person, an emulated bus) is the adapter's business.
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

struct Loaded {
    media::Medium medium; ///< as the agent sees it
    std::string how;      ///< for the journal: where it was put; may be empty
    /// The presence handshake, where the rig makes one: the medium began anew after it.
    std::optional<Detachment> detachment;
    /// The card's own registers, where the rig read them before it went into a reader, or how that failed.
    std::optional<NestReading> nest{};
};

struct Unloaded {
    std::string how;                      ///< for the journal: where it is now; may be empty
    bool in_bin{false};                   ///< sorted away: it is not there to be loaded again
    std::optional<Detachment> detachment; ///< unset where nothing was separated: it was gone already, or stays
};

/// For the journal.
[[nodiscard]] inline std::string journal_text(std::string how, const std::optional<Detachment>& detachment) {
    if (!detachment) return how;
    if (!how.empty()) how += "; ";
    return how + text_of(*detachment);
}

/// Where a medium goes: into a bin, or back to where it came from.
using Sorting = std::optional<rigproto::Bin>;

/// How many media can be loaded at one time.
struct Lanes {
    std::size_t most{1};
    std::size_t independent{1}; ///< of them without disturbing each other: one for each reader of its own
};

class Rig {
public:
    virtual ~Rig() = default;

    /// Puts the slot's medium before the agent and waits until exactly that block device is there. A medium that is
    /// loaded already is only looked up. Fails with bad_request (no such slot), no_medium (it never appeared, or
    /// something else did: this slot is out), rig_fault (nothing more can be loaded until a person has looked),
    /// agent_lost (the agent's machine is gone).
    [[nodiscard]] virtual boost::asio::awaitable<Result<Loaded>> load(SlotId slot, agent::AgentClient& agent) = 0;

    /// Takes it away, waits until its block device is gone, and sorts it where the rig can. Idempotent; also after a
    /// load that failed halfway. Nothing may be mounted from it. Fails like load().
    [[nodiscard]] virtual boost::asio::awaitable<Result<Unloaded>> unload(SlotId slot, Sorting to,
                                                                          agent::AgentClient& agent) = 0;

    /// Why nothing that its media do can be believed any more (somebody pressed the emergency stop, a port lost its
    /// power); nothing while all is well. Asked when a medium seems to fail, so that it is not blamed for the rig.
    [[nodiscard]] virtual boost::asio::awaitable<std::optional<Error>> trouble() { co_return std::nullopt; }

    /// As things are now: a reader may have failed since the last time.
    [[nodiscard]] virtual Lanes lanes() const { return {}; }

    /// Somebody asked the campaign to stop: a load that waits for a person or a device ends soon, with cancelled.
    virtual void give_up() {}

    /// For records and error messages: "lab".
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
