// SPDX-License-Identifier: GPL-3.0-or-later
/// An agent as a child process: directly, through sudo, or through any command that forwards its standard streams.
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

/// Finds the program "mediarig-agent" next to the running program, else in PATH; returns an absolute path. Fails with
/// no_driver.
[[nodiscard]] Result<std::string> find_agent_program();

[[nodiscard]] AgentCommand local_agent(const std::string& program);
/// Uses `sudo -n`, which never prompts. If a password is required, start() succeeds and the first call fails with
/// no_permission.
[[nodiscard]] AgentCommand sudo_agent(const std::string& program);
/// Starts the program through `prefix` (such as {"ssh", "host"}); the first word of the prefix becomes the description.
[[nodiscard]] AgentCommand agent_through(std::vector<std::string> prefix, const std::string& program);

struct ProcessTimeouts {
    /// Maximum time from the closing of the connection to the end of the agent. The agent writes back and unmounts,
    /// which takes minutes on a slow card.
    std::chrono::milliseconds release = std::chrono::minutes(5);
    /// Maximum time from SIGTERM to the end of the agent; then SIGKILL follows.
    std::chrono::milliseconds terminate = std::chrono::seconds(30);
    /// Time for the cleanup of an unattended agent before SIGKILL.
    std::chrono::milliseconds unattended = std::chrono::seconds(8);
};

/// start() starts the process. Standard error is collected; agent_lost contains its last lines.
[[nodiscard]] std::unique_ptr<AgentLink> make_process_link(const boost::asio::any_io_executor& executor,
                                                           AgentCommand command, ProcessTimeouts patience = {});

} // namespace mediarig::agent
