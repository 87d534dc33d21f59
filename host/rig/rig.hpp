// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: where media are. A rig puts the medium of a slot before the agent and takes it away again; what moves there
/// (a carriage, a person, an emulated bus) is the adapter's business.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "common/units.hpp"
#include "host/agent/client/agent_client.hpp"
#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::rig {

class Rig {
public:
    virtual ~Rig() = default;

    /// Puts the slot's medium before the agent and waits until exactly that block device is there: what is returned is
    /// what the agent says of it. A medium that is loaded already is only looked up. Fails with bad_request (no such
    /// slot), no_medium (it never appeared, or something else did), agent_lost (the rig or the agent's machine is
    /// gone).
    [[nodiscard]] virtual boost::asio::awaitable<Result<media::Medium>> load(SlotId slot,
                                                                             agent::AgentClient& agent) = 0;

    /// Takes it away, and waits until its block device is gone. Idempotent. Nothing may be mounted from it.
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> unload(SlotId slot, agent::AgentClient& agent) = 0;

    /// For records and error messages: "lab".
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::rig
