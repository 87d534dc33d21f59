// SPDX-License-Identifier: GPL-3.0-or-later
/// An agent as a child process: as is, through sudo, or through any command that hands its standard streams on.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "host/agent/client/agent_link.hpp"

namespace mediarig::agent {

struct AgentCommand {
    std::vector<std::string> argv;
    std::string description; ///< for records: "local", "sudo", …
};

/// The program "mediarig-agent" beside the running program, else in PATH; absolute. Fails with no_driver.
[[nodiscard]] Result<std::string> find_agent_program();

[[nodiscard]] AgentCommand local_agent(const std::string& program);
/// `sudo -n`: never asks for a password. Without one start() succeeds and the first call fails with no_permission.
[[nodiscard]] AgentCommand sudo_agent(const std::string& program);
/// `prefix` (such as {"ssh", "host"}) before the program; described by the prefix's first word.
[[nodiscard]] AgentCommand agent_through(std::vector<std::string> prefix, const std::string& program);

struct ProcessPatience {
    /// After our half of the line closed: an agent writes back and unmounts, which a slow card lets take minutes.
    std::chrono::milliseconds release = std::chrono::minutes(5);
    /// After SIGTERM, before SIGKILL.
    std::chrono::milliseconds terminate = std::chrono::seconds(30);
    /// What an agent that nobody waits for has to put things away, before SIGKILL.
    std::chrono::milliseconds unattended = std::chrono::seconds(8);
};

/// start() spawns it. What the agent writes to standard error is collected; its last lines are part of agent_lost.
[[nodiscard]] std::unique_ptr<AgentLink> make_process_link(const boost::asio::any_io_executor& executor,
                                                           AgentCommand command, ProcessPatience patience = {});

} // namespace mediarig::agent
