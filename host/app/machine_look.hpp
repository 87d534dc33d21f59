// SPDX-License-Identifier: GPL-3.0-or-later
/// The media of a plan as they are now on the agent's machine, and what that machine lacks for them. Writes nothing.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/app/preview.hpp"

namespace mediarig::app {

/// Why `target` is tested by nobody, whatever is confirmed. Nothing where nothing forbids it, and where that cannot be
/// told: then the claim says what is wrong. Asks for no privilege.
[[nodiscard]] std::optional<Error> standing_refusal(const AgentChoice& choice, const std::string& target);

/// Works for one plan with one agent, both of which outlive it; asks once about each file system.
class MachineLook {
public:
    MachineLook(agent::AgentClient& agent, const agent::HelloReport& machine, const plan::Plan& plan)
        : agent_(agent), machine_(machine), plan_(plan) {}

    /// Identifies the medium; where nothing speaks against it and nothing is missing, claims it for a moment. What
    /// keeps it from being tested stands in `problems`: refusals first, then all that the machine lacks.
    [[nodiscard]] boost::asio::awaitable<PreviewMedium> at(const plan::MediumRef& ref);

    /// Why nobody tests the medium, whatever is there to do it: from its identity and the plan's confirmation alone.
    [[nodiscard]] static std::vector<Error> refusals_of(const plan::MediumRef& ref, const media::Medium& identity);

    /// What keeps a format from being made on the medium, and measured: of each tool and driver what would do.
    [[nodiscard]] boost::asio::awaitable<std::vector<Error>> lacks_of(const plan::FormatEntry& format,
                                                                      const media::Medium& medium);

private:
    using Lacks = std::vector<std::string>;
    [[nodiscard]] boost::asio::awaitable<std::vector<Error>> lacks_for(const media::Medium& medium);
    [[nodiscard]] boost::asio::awaitable<Result<Lacks>> lacks(const agent::SupportParams& wanted);
    [[nodiscard]] boost::asio::awaitable<Result<void>> try_claim(const plan::MediumRef& ref,
                                                                 const media::Medium& identity);

    agent::AgentClient& agent_;
    const agent::HelloReport& machine_;
    const plan::Plan& plan_;
    std::map<std::string, Lacks> asked_; ///< by what was asked
};

} // namespace mediarig::app
