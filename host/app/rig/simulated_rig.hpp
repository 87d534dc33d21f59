// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the simulated rig as a child process. The child ends with this process, like a rig that loses mains power at
/// the same time; it keeps the positions of its cards.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include "host/base/result.hpp"
#include "host/lab/machine/bound_process.hpp"
#include "host/rig/port/place.hpp"

namespace mediarig::app {

struct SimulatedRigSetup {
    std::filesystem::path folder; ///< state files; an existing state is continued
    std::filesystem::path script; ///< commands of an operator, run at the start; empty: no commands
    std::uint8_t pockets{}, ports{};
    std::map<rig::Pocket, Bytes> capacities; ///< capacity that the card of each pocket reports on the nest
};

/// Path of the program mediarig-rig-sim. Fails with no_driver.
[[nodiscard]] Result<std::filesystem::path> find_rig_simulator();

/// Parses a script for a rig of this size without starting the rig. Fails with no_driver (the program is missing),
/// bad_request (fault in the script).
[[nodiscard]] Result<void> check_rig_script(const std::filesystem::path& script, std::uint8_t pockets,
                                            std::uint8_t ports);

/// Unique id of the simulated board of this folder, for option --serial. The store has one ledger for each board, so
/// two rigs that run at the same time have different ids, and a restarted rig has its previous id.
[[nodiscard]] std::string simulated_serial(const std::filesystem::path& folder);

class SimulatedRig {
public:
    /// Starts find_rig_simulator() and waits for its serial line. Fails with no_driver (the program is missing),
    /// bad_request (the script), rig_fault (the program does not start).
    static boost::asio::awaitable<Result<SimulatedRig>> start(const SimulatedRigSetup& setup);

    [[nodiscard]] const std::filesystem::path& line() const { return line_; }
    /// One JSON object per line, appended at each event.
    [[nodiscard]] const std::filesystem::path& events() const { return events_; }
    /// The cards in readers at the start, with the pocket of each.
    [[nodiscard]] const std::map<rig::PortIndex, rig::Pocket>& in_readers() const { return in_readers_; }

private:
    SimulatedRig(lab::BoundProcess process, std::filesystem::path line, std::filesystem::path events,
                 std::map<rig::PortIndex, rig::Pocket> in_readers);
    lab::BoundProcess process_;
    std::filesystem::path line_, events_;
    std::map<rig::PortIndex, rig::Pocket> in_readers_;
};

} // namespace mediarig::app
