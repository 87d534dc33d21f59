// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/core/link/board_info.hpp"

namespace mediarig::board {

/// What mediarig-rig-sim was asked for.
struct Options {
    std::string link;   ///< symlink to be made to the pty; empty: none
    std::string script; ///< sentences about the rig, said before it starts; empty: none
    std::string events; ///< file for what happens physically, "-": standard output, empty: nowhere
    std::string
        retained;      ///< file that stands for the memory that survives a reset; empty: nothing survives this process
    std::string state; ///< file that says where each card is; empty: a full magazine each time
    std::string serial{"0000000000000001"}; ///< unique id, up to 16 hexadecimal digits
    /// A rig configured otherwise jams: its comb has other teeth.
    std::uint8_t pockets{rigproto::max_pockets}, ports{rigproto::port_count};
    /// What each card says on the nest that it holds, bytes, from pocket 0 on; missing or 0: plant::simulated_capacity.
    std::vector<std::uint64_t> capacities;
    std::string greeting; ///< said on standard output when it is ready, in place of a line of JSON
    bool until_eof{};     ///< ends when standard input does
    bool check{};         ///< the script is read, and nothing is started
};

/// A number, or nothing when the program is to end with `exit_status` (after --help, or wrong words told on stderr).
struct ParsedOptions {
    Options options;
    bool run{};
    int exit_status{};
};
[[nodiscard]] ParsedOptions parse_options(int argc, char** argv);

/// "00000000000000A1" as bytes; what is no hexadecimal digit has been refused by parse_options.
[[nodiscard]] firmware::BoardInfo board_info(const Options& options, rigproto::ResetReason reset);

} // namespace mediarig::board
