// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a virtual board in real time as a process, with a pty, commands and events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "firmware/board/posix/files.hpp"
#include "firmware/board/posix/options.hpp"
#include "firmware/board/posix/pty.hpp"
#include "firmware/board/posix/virtual_board.hpp"

namespace mediarig::board {

class Simulator {
public:
    Simulator(const SimulatorOptions& options, RetainedFile& retained, plant::Plant& plant);
    ~Simulator();
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    /// Runs until a signal, "quit", the end of input if requested, or the parent's death. Returns the exit status.
    [[nodiscard]] int run();

private:
    [[nodiscard]] std::string open_files();
    void wait();
    void keep_pace();
    void carry_bytes();
    void follow_line_settings();
    void read_commands();
    [[nodiscard]] std::string execute_line(std::string_view line); ///< returns the answer
    void tell(std::string line);
    void send_events();

    SimulatorOptions options_;
    plant::Plant* plant_;
    VirtualBoard board_;
    std::optional<Pty> line_;
    int events_{-1}, signals_{-1};
    int parent_;
    bool input_open_{true}, over_{};
    int exit_status_{};
    std::uint64_t real_{}; ///< ns of the monotonic clock that virtual time has reached
    std::string input_;
    std::vector<std::uint8_t> unsent_;
};

} // namespace mediarig::board
