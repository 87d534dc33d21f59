// SPDX-License-Identifier: GPL-3.0-or-later
/// One running user-mode Linux in virtual time: its process, directory, lines and clock, and the supervision of them.
#pragma once

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/machine/bound_process.hpp"
#include "host/lab/machine/console.hpp"
#include "host/lab/machine/guest_shell.hpp"
#include "host/lab/machine/machine_spec.hpp"
#include "host/lab/machine/private_directory.hpp"
#include "host/lab/virtual/guest_cards.hpp"
#include "host/lab/virtual/guest_line.hpp"
#include "host/lab/virtual/line_relay.hpp"
#include "host/lab/virtual/time_keeper.hpp"
#include "host/lab/virtual/uml_command_line.hpp"

namespace mediarig::lab {

class RunningUml : public std::enable_shared_from_this<RunningUml> {
public:
    RunningUml(boost::asio::any_io_executor executor, PrivateDirectory directory, MachineTimeouts patience);

    /// Starts the process. The guest runs while it owes an answer on one of its lines. Fails with io_failed,
    /// no_permission.
    [[nodiscard]] Result<void> start(const MachineSpec& spec);
    /// Kills the process and removes the directory.
    void end();

    [[nodiscard]] GuestShell& shell() { return *shell_; }
    [[nodiscard]] const std::shared_ptr<GuestCards>& cards() { return cards_; }
    [[nodiscard]] const UmlFiles& files() const { return files_; }
    [[nodiscard]] pid_t process() const { return process_ ? process_->id() : -1; }
    [[nodiscard]] std::size_t agent_ends() { return console_.read().agent_ends(); }
    /// Checks the process and the console first.
    [[nodiscard]] std::optional<Error> failure();
    /// Kills the process with `why` as the failure.
    void abandon(std::string why);
    /// Returns failure(), or an error for a stopped machine; nothing while it works.
    [[nodiscard]] std::optional<Error> over();
    /// Returns the reason why a connection to the guest ended.
    [[nodiscard]] boost::asio::awaitable<Error> exit_reason();

private:
    [[nodiscard]] Result<void> make_lines();
    [[nodiscard]] ClockTurn turn();
    boost::asio::awaitable<void> watch();
    void give_up(std::string why);
    [[nodiscard]] std::shared_ptr<GuestLine>& line(GuestPort port) { return lines_.at(static_cast<std::size_t>(port)); }

    boost::asio::any_io_executor executor_;
    std::optional<PrivateDirectory> directory_;
    MachineTimeouts patience_;
    UmlFiles files_;
    std::array<std::shared_ptr<GuestLine>, guest_ports> lines_;
    std::shared_ptr<LineRelay> agent_relay_, shell_relay_;
    std::shared_ptr<TimeKeeper> clock_;
    std::shared_ptr<GuestCards> cards_;
    std::shared_ptr<GuestShell> shell_;
    std::optional<BoundProcess> process_;
    ConsoleFile console_;
    boost::asio::steady_timer look_;
    std::optional<Error> failure_;
    bool booted_{false}, ending_{false};
};

} // namespace mediarig::lab
