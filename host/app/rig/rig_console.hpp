// SPDX-License-Identifier: GPL-3.0-or-later
/// One command of a person to a rig: finds the board, keeps it awake for the time of the command, puts what it did into
/// the ledger.
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
    /// A word for a rig that is driven by hand, a board's line, or a rig file.
    std::string how{word_of(RigKind::detected)};
    std::filesystem::path config; ///< rig file; empty: the simulated rig's geometry
    std::filesystem::path store;  ///< that holds the ledger
    std::string why;              ///< reason in the ledger: "mediarig rig home"
};

/// Where `mediarig rig sim` puts the line of its rig, for each user one.
[[nodiscard]] std::filesystem::path simulated_line();

/// The simulated rig of mediarig rig sim is as large as it was started. Fails with bad_request (no such file, both a
/// rig file and --config, and what it has wrong), rig_fault (no simulated rig runs) and refused (others may have made
/// it).
[[nodiscard]] Result<rig::RigConfig> rig_config_for(const RigConsole& console);

using BoardWork = std::function<boost::asio::awaitable<Result<void>>(rig::SerialBoard&, rig::AsyncRigLog&)>;
using BoardLook = std::function<boost::asio::awaitable<Result<void>>(rig::SerialBoard&)>;

/// For work that moves or switches something. Fails with bad_request where a real board comes without a rig file.
/// SIGINT, SIGTERM and SIGHUP stop the rig, and fail with cancelled.
[[nodiscard]] Result<void> with_board(const RigConsole& console, const rig::RigConfig& config, const BoardWork& work);
/// The same until a signal comes, which is no failure. `first` is done before any event is told.
[[nodiscard]] Result<void> watch_board(const RigConsole& console, const rig::RigConfig& config, const BoardLook& first,
                                       std::function<void(const rig::LoggedEvent&)> listener);
/// For looking, and for STOP: takes nothing over, configures nothing.
[[nodiscard]] Result<void> look_at_board(const rig::RigConfig& config, const BoardLook& work);

/// Stops whatever moves; while another program has the rig's line, past it. False where that one has the line on, and
/// reads what the board says of it.
[[nodiscard]] Result<bool> stop_board(const rig::RigConfig& config);

/// The pocket out of which the newest card came into this reader. Fails with bad_request: the ledger does not know.
[[nodiscard]] boost::asio::awaitable<Result<rig::Pocket>> pocket_of_card_in(rig::Port port, rig::AsyncRigLog& log);
/// Whether a card may be put there. Fails with bad_request: by the ledger one may be in it.
[[nodiscard]] boost::asio::awaitable<Result<void>> expect_empty(rig::Pocket pocket, const rig::SerialBoard& board,
                                                                rig::AsyncRigLog& log);

struct SimulationOptions {
    unsigned pockets{30}, ports{8}; ///< no pockets: no carriage
    std::filesystem::path script;
};
/// Becomes the simulated rig, which says where it is: comes back only with an error, no_driver (it is not beside this
/// program), rig_fault (one runs already) or io_failed.
[[nodiscard]] Error become_simulated_rig(const SimulationOptions& options);

} // namespace mediarig::app
