// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/core/link/board_info.hpp"

namespace mediarig::board {

/// Options of mediarig-rig-sim.
struct SimulatorOptions {
    std::string link;     ///< symlink to create for the pty; empty: none
    std::string script;   ///< sentences about the rig, executed before it starts; empty: none
    std::string events;   ///< file for physical events, "-": standard output, empty: nowhere
    std::string retained; ///< file for the memory that survives a reset; empty: not kept after this process
    std::string state;    ///< file with the place of each card; empty: a full magazine at each start
    std::string serial{"0000000000000001"}; ///< unique id, up to 16 hexadecimal digits
    /// A rig with another configuration jams: the teeth of its comb differ.
    std::uint8_t pockets{rigproto::max_pockets}, ports{rigproto::port_count};
    /// Capacity in bytes that each card reports on the nest, from pocket 0 on; missing or 0: plant::simulated_capacity.
    std::vector<std::uint64_t> capacities;
    std::string greeting; ///< text printed when the simulator is ready, instead of a line of JSON
    bool until_eof{};     ///< the simulator exits at the end of standard input
    bool check{};         ///< the simulator only checks the script
};

/// The parsed options. `run` is false if the program must end with `exit_status`: after --help, or after an error
/// reported on stderr.
struct ParsedOptions {
    SimulatorOptions options;
    bool run{};
    int exit_status{};
};
[[nodiscard]] ParsedOptions parse_options(int argc, char** argv);

/// Converts "00000000000000A1" to bytes; parse_options has rejected other characters.
[[nodiscard]] firmware::BoardInfo board_info(const SimulatorOptions& options, rigproto::ResetReason reset);

} // namespace mediarig::board
