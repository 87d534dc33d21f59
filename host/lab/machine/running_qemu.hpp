// SPDX-License-Identifier: GPL-3.0-or-later
/// One QEMU while it runs: its process, its directory, its control socket, and the watch over all of them.
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
    /// How often the guest's agent has ended so far, as the console tells.
    [[nodiscard]] std::size_t agent_ends() const { return console_.agent_ends(); }
    RunningQemu(boost::asio::any_io_executor executor, PrivateDirectory directory, Patience patience);

    /// Starts the process and connects to it. Fails with rig_fault (QEMU refuses; its last line), timed_out.
    [[nodiscard]] boost::asio::awaitable<Result<void>> start(std::string qemu, std::vector<std::string> arguments);
    /// From now on a silent guest is a hung one. To be called when the agent has answered.
    void expect_life();
    [[nodiscard]] boost::asio::awaitable<Result<void>> stop();
    /// At once: kills the process and removes the directory. For the end of the owner.
    void end();

    [[nodiscard]] QmpClient& qmp() { return *qmp_; }
    [[nodiscard]] GuestShell& shell() { return *shell_; }
    [[nodiscard]] const MachineFiles& files() const { return files_; }
    [[nodiscard]] pid_t process() const { return process_ ? process_->id() : -1; }
    /// Looks at the process and the console first.
    [[nodiscard]] std::optional<Error> failure();
    /// Kills the process; `why` is the failure.
    void abandon(std::string why);
    /// failure(), or that it was stopped; nothing while it works.
    [[nodiscard]] std::optional<Error> over();
    /// Why a line to the guest ended: the machine's failure, for which it waits a moment.
    [[nodiscard]] boost::asio::awaitable<Error> why_it_ended();

private:
    boost::asio::awaitable<void> watch_process();
    boost::asio::awaitable<void> watch_life();
    boost::asio::awaitable<Signs> look_for_signs();
    /// Kills QEMU, so that everybody who waits for the guest learns of it.
    void give_up(std::string why);
    void read_console();
    boost::asio::awaitable<void> pause(boost::asio::steady_timer& timer, std::chrono::milliseconds length);

    boost::asio::any_io_executor executor_;
    std::optional<PrivateDirectory> directory_;
    Patience patience_;
    MachineFiles files_;
    std::optional<BoundProcess> process_;
    std::unique_ptr<QmpClient> qmp_;
    std::shared_ptr<GuestShell> shell_;
    ConsoleWatch console_;
    std::size_t console_read_{0};
    boost::asio::steady_timer process_look_, life_look_;
    std::optional<Error> failure_;
    bool ending_{false};
};

} // namespace mediarig::lab
