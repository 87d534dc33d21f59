// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs one user command on a rig: finds the board, keeps it awake during the command, and records its actions in the
/// ledger.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "host/app/rig/rig_route.hpp"
#include "host/base/result.hpp"
#include "host/rig/config/rig_config.hpp"
#include "host/rig/port/async_rig_log.hpp"
#include "host/rig/serial/serial_board.hpp"

namespace mediarig::app {

struct RigConsole {
    /// Selects the rig: a word for a rig driven by hand, the serial line of a board, or a rig file.
    std::string how{word_of(RigKind::detected)};
    std::filesystem::path config; ///< rig file; empty: the simulated rig's geometry
    std::filesystem::path store;  ///< contains the ledger
    std::string why;              ///< reason in the ledger: "mediarig rig home"
};

/// Path of the serial line of the simulated rig of `mediarig rig sim`, one per user.
[[nodiscard]] std::filesystem::path simulated_line();

/// The configuration of the rig. The simulated rig of `mediarig rig sim` has the size given at its start. Fails with
/// bad_request (no such file, both a rig file and --config, faults of the file), rig_fault (no simulated rig runs) and
/// refused (another user may have created it).
[[nodiscard]] Result<rig::RigConfig> rig_config_for(const RigConsole& console);

using BoardWork = std::function<boost::asio::awaitable<Result<void>>(rig::SerialBoard&, rig::AsyncRigLog&)>;
using BoardReader = std::function<boost::asio::awaitable<Result<void>>(rig::SerialBoard&)>;

/// Runs work that moves or switches something. Fails with bad_request if a real board is used without a rig file.
/// SIGINT, SIGTERM and SIGHUP stop the rig, and the work fails with cancelled.
[[nodiscard]] Result<void> with_board(const RigConsole& console, const rig::RigConfig& config, const BoardWork& work);
/// Reports events until a signal comes, which is not an error. Runs `first` before the first event.
[[nodiscard]] Result<void> watch_board(const RigConsole& console, const rig::RigConfig& config,
                                       const BoardReader& first, std::function<void(const rig::LoggedEvent&)> listener);
/// Runs work that only reads or sends STOP: does not take over or configure the rig.
[[nodiscard]] Result<void> inspect_board(const rig::RigConfig& config, const BoardReader& work);

/// Stops all motion, even while another program uses the rig's serial line. Returns false if that program has the line
/// open: it then receives the board's answer.
[[nodiscard]] Result<bool> stop_board(const rig::RigConfig& config);

/// The pocket from which the latest card came into this reader. Fails with bad_request if the ledger does not contain
/// it.
[[nodiscard]] boost::asio::awaitable<Result<rig::Pocket>> pocket_of_card_in(rig::PortIndex port, rig::AsyncRigLog& log);
/// Checks if a card may be put into the pocket. Fails with bad_request if it may hold a card according to the ledger.
[[nodiscard]] boost::asio::awaitable<Result<void>> expect_empty(rig::Pocket pocket, const rig::SerialBoard& board,
                                                                rig::AsyncRigLog& log);

struct SimulationOptions {
    unsigned pockets{30}, ports{8}; ///< no pockets: no carriage
    std::filesystem::path script;
};
/// Replaces this process with the simulated rig, which prints the path of its serial line. Returns only on error:
/// no_driver (the program is missing next to this program), rig_fault (a simulated rig already runs) or io_failed.
[[nodiscard]] Error exec_simulated_rig(const SimulationOptions& options);

} // namespace mediarig::app
