// SPDX-License-Identifier: GPL-3.0-or-later
/// Owns and supervises one running QEMU: its process, its directory and its control socket.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/machine/bound_process.hpp"
#include "host/lab/machine/command_line.hpp"
#include "host/lab/machine/console.hpp"
#include "host/lab/machine/guest_shell.hpp"
#include "host/lab/machine/private_directory.hpp"
#include "host/lab/machine/watchdog.hpp"
#include "host/lab/qmp/qmp_client.hpp"

namespace mediarig::lab {

class RunningQemu : public std::enable_shared_from_this<RunningQemu> {
public:
    /// Number of exits of the guest's agent so far, as reported on the console.
    [[nodiscard]] std::size_t agent_ends() const { return console_.last().agent_ends(); }
    RunningQemu(boost::asio::any_io_executor executor, PrivateDirectory directory, MachineTimeouts patience);

    /// Starts the process and connects to it. Fails with rig_fault (QEMU rejects the arguments; the detail contains its
    /// last line), timed_out.
    [[nodiscard]] boost::asio::awaitable<Result<void>> start(std::string qemu, std::vector<std::string> arguments);
    /// Call when the agent has answered: from then on a silent guest counts as hung.
    void expect_life();
    [[nodiscard]] boost::asio::awaitable<Result<void>> stop();
    /// Kills the process at once and removes the directory. For the destructor of the owner.
    void end();

    [[nodiscard]] QmpClient& qmp() { return *qmp_; }
    [[nodiscard]] GuestShell& shell() { return *shell_; }
    [[nodiscard]] const MachineFiles& files() const { return files_; }
    [[nodiscard]] pid_t process() const { return process_ ? process_->id() : -1; }
    /// Checks the process and the console first.
    [[nodiscard]] std::optional<Error> failure();
    /// Kills the process with `why` as the failure.
    void abandon(std::string why);
    /// Returns failure(), or an error for a stopped machine; nothing while it works.
    [[nodiscard]] std::optional<Error> over();
    /// Returns the reason why a connection to the guest ended: the machine's failure, which may be detected a moment
    /// later.
    [[nodiscard]] boost::asio::awaitable<Error> exit_reason();

private:
    boost::asio::awaitable<void> watch_process();
    boost::asio::awaitable<void> watch_life();
    boost::asio::awaitable<Signs> look_for_signs();
    /// Kills QEMU, so that all operations that wait for the guest end.
    void give_up(std::string why);
    boost::asio::awaitable<void> pause(boost::asio::steady_timer& timer, std::chrono::milliseconds length);

    boost::asio::any_io_executor executor_;
    std::optional<PrivateDirectory> directory_;
    MachineTimeouts patience_;
    MachineFiles files_;
    std::optional<BoundProcess> process_;
    std::unique_ptr<QmpClient> qmp_;
    std::shared_ptr<GuestShell> shell_;
    ConsoleFile console_;
    boost::asio::steady_timer process_look_, life_look_;
    std::optional<Error> failure_;
    bool ending_{false};
};

} // namespace mediarig::lab
