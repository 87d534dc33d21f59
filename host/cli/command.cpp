// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/command.hpp"

#include <ostream>

namespace mediarig::cli {

int report(const Console& console, const Error& error) {
    console.err << "mediarig: " << error.detail << '\n';
    return exit_status(error.code);
}

void add_agent_option(CLI::App& command, app::AgentChoice& choice) {
    command.add_option("--agent", choice.how, "how the agent is reached: auto, local, sudo; lab: in the lab that runs")
        ->check(CLI::IsMember({"auto", "local", "sudo", "lab"}))
        ->capture_default_str();
}

void add_store_option(CLI::App& command, std::string& store) {
    store = app::default_store();
    command.add_option("--store", store, "file that keeps the results")->capture_default_str();
}

} // namespace mediarig::cli
