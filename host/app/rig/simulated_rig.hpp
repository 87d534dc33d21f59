// SPDX-License-Identifier: GPL-3.0-or-later
/// The simulated rig as a child process. It dies with this one, as a rig on the same plug would; what it keeps is where
/// its cards are.
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
    std::filesystem::path folder; ///< of its files; what it keeps is taken up again
    std::filesystem::path script; ///< an operator's sentences, said when it starts; empty: none
    std::uint8_t pockets{}, ports{};
    std::map<rig::Pocket, Bytes> capacities; ///< what the card of each pocket says on the nest that it holds
};

/// The program mediarig-rig-sim. Fails with no_driver.
[[nodiscard]] Result<std::filesystem::path> find_rig_simulator();

/// Reads a script as a rig of this size does, and starts none. Fails with no_driver (no program that could),
/// bad_request (what is wrong with it).
[[nodiscard]] Result<void> check_rig_script(const std::filesystem::path& script, std::uint8_t pockets,
                                            std::uint8_t ports);

class SimulatedRig {
public:
    /// Starts find_rig_simulator() and waits for its line. Fails with no_driver
    /// (it is not there), bad_request (the script), rig_fault (it does not come up).
    static boost::asio::awaitable<Result<SimulatedRig>> start(const SimulatedRigSetup& setup);

    [[nodiscard]] const std::filesystem::path& line() const { return line_; }
    /// One JSON object a line, appended as it happens.
    [[nodiscard]] const std::filesystem::path& events() const { return events_; }
    /// The cards in readers before it started, by the pocket that they began in.
    [[nodiscard]] const std::map<rig::Port, rig::Pocket>& in_readers() const { return in_readers_; }

private:
    SimulatedRig(lab::BoundProcess process, std::filesystem::path line, std::filesystem::path events,
                 std::map<rig::Port, rig::Pocket> in_readers);
    lab::BoundProcess process_;
    std::filesystem::path line_, events_;
    std::map<rig::Port, rig::Pocket> in_readers_;
};

} // namespace mediarig::app
