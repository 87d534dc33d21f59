// SPDX-License-Identifier: GPL-3.0-or-later
/// A board as a program: the simulated one, or the emulated image. Commands go to its standard input.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/json.hpp"

namespace mediarig::rig {

class BoardProcess {
public:
    /// From $MEDIARIG_RIG_BOARD: kind, program and arguments, separated by spaces. Throws if it cannot be started or
    /// its port does not appear.
    explicit BoardProcess(std::vector<std::string> more = {});
    BoardProcess(const BoardProcess&) = delete;
    BoardProcess& operator=(const BoardProcess&) = delete;
    /// Ends the process.
    ~BoardProcess();

    /// Returns the reason why this machine cannot run the board.
    [[nodiscard]] static std::optional<std::string> missing();
    /// "posix" or "emulator", for tests of only one of them.
    [[nodiscard]] static std::string kind();

    /// Path of the port: a permanent symlink to the changing pty.
    [[nodiscard]] std::string path() const { return link_; }
    /// Sends a sentence ("card 3 is bent", "the power fails") and waits for the answer. Throws if it is refused.
    nlohmann::json say(const std::string& sentence);

private:
    nlohmann::json read_line();

    std::filesystem::path folder_;
    std::string link_;
    pid_t child_{-1};
    int in_{-1}, out_{-1};
    std::string buffer_;
};

} // namespace mediarig::rig
