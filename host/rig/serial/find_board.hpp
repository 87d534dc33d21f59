// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds the serial lines of this machine that lead to a rig's board.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::rig {

struct FoundBoard {
    std::string path;     ///< "/dev/ttyACM0"; may change when the board is plugged in again
    std::string serial;   ///< as in HelloReply::unique_id, 16 hexadecimal digits; may be empty
    std::string usb_path; ///< USB path: "1-4.2"
    bool operator==(const FoundBoard&) const = default;
};

/// Sorted by path. Fails with io_failed (no udev).
[[nodiscard]] Result<std::vector<FoundBoard>> find_boards();

/// Returns the board with this serial, or the only board if `serial` is empty. Fails with rig_fault: no such board (the
/// detail gives the remedy), or several boards (it lists their names). `serial` may be in upper or lower case.
[[nodiscard]] Result<FoundBoard> choose_board(const std::vector<FoundBoard>& boards, std::string_view serial);
/// Returns the path of the chosen board. Fails like find_boards() and choose_board().
[[nodiscard]] Result<std::string> line_of_board(std::string_view serial);

} // namespace mediarig::rig
