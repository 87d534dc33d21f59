// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: where media are. A rig puts the medium of a slot before the agent and takes it away again; what moves there
/// (a carriage, a person, an emulated bus) is the adapter's business.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/rigproto/messages.hpp"
#include "common/units.hpp"
#include "host/agent/client/agent_client.hpp"
#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::rig {

/// What was measured when a rig took the power from a medium: without it nobody may claim that the medium began anew.
struct PowerCut {
    /// How far it went: 1 unmounted and released, 4 supply cut at the port and measured to be gone, 7 withdrawn.
    unsigned rung{};
    std::uint16_t lowest_millivolts{};
    std::chrono::microseconds fall{}; ///< from switching off until it was below 0.5 V for 5 ms; 0: not known
    std::chrono::microseconds ramp{}; ///< from switching on to 4.5 V; 0: not known, or not switched on again
    bool operator==(const PowerCut&) const = default;
};

struct Loaded {
    media::Medium medium; ///< as the agent sees it
    std::string how;      ///< for the journal: what was done and measured; may be empty
};

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

    /// Takes it away, waits until its block device is gone, and sorts it where the rig can; in what came out: where it
    /// is now, and what was measured. Idempotent; also after a load that failed halfway. Nothing may be mounted from
    /// it. Fails like load().
    [[nodiscard]] virtual boost::asio::awaitable<Result<std::string>> unload(SlotId slot, Sorting to,
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
