// SPDX-License-Identifier: GPL-3.0-or-later
/// Connects to the guest's agent through a QEMU socket. Its virtio port stays open when a controller disconnects.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/agent/client/agent_link.hpp"
#include "host/base/result.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/machine/machine_spec.hpp"

namespace mediarig::lab {

struct LabLinkOptions {
    std::string socket_path;
    std::chrono::milliseconds
        open; ///< time limit until the agent has answered and cleaned up after an earlier controller
    std::chrono::milliseconds release; ///< time limit until the agent has cleaned up after this controller
    /// Returns the reason why no connection is possible any more, else nothing. May be empty.
    std::function<std::optional<Error>()> over{};
    /// Number of exits of the guest's agent; the port does not report them. May be empty.
    std::function<std::size_t()> agent_ends{};
    /// Returns the reason why the connection ended unexpectedly. May be empty.
    std::function<boost::asio::awaitable<Error>()> exit_reason{};
};

/// start() connects and resets the agent, so that no output for an earlier controller is received. close() resets the
/// agent again and returns when the agent has cleaned up.
[[nodiscard]] std::unique_ptr<agent::AgentLink> make_lab_link(boost::asio::any_io_executor executor,
                                                              LabLinkOptions options);

/// Returns the link to the agent of a started machine (RunningQemu, RunningUml). If it is null, the link reports
/// `not_started`.
template <class Running>
std::unique_ptr<agent::AgentLink> make_lab_link(boost::asio::any_io_executor executor,
                                                const std::shared_ptr<Running>& running,
                                                const MachineTimeouts& patience, Error (*not_started)()) {
    LabLinkOptions options{.socket_path = running ? running->files().agent() : std::string(),
                           .open = patience.boot,
                           .release = patience.release};
    if (running) {
        options.over = [running] { return running->over(); };
        options.exit_reason = [running] { return running->exit_reason(); };
        options.agent_ends = [running] { return running->agent_ends(); };
    } else {
        options.over = [not_started] { return std::optional(not_started()); };
    }
    return make_lab_link(std::move(executor), std::move(options));
}

/// Runs a script in the guest. A line that fails because the machine ended gives the reason of that end.
template <class Running>
boost::asio::awaitable<Result<ShellAnswer>> run_in_guest(std::shared_ptr<Running> running, std::string script,
                                                         std::chrono::milliseconds within) {
    auto answer = co_await running->shell().run(std::move(script), within);
    if (answer || answer.error().code != Errc::rig_fault) co_return answer;
    auto ended = co_await running->exit_reason();
    co_return fail(Errc::rig_fault, std::move(ended.detail));
}

} // namespace mediarig::lab
