// SPDX-License-Identifier: GPL-3.0-or-later
/// mediarig-rig-sim as a child process, and a host on its pty in real time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/rig/serial/host_link.hpp"

namespace mediarig::board {

using Patience = std::chrono::seconds;
inline constexpr Patience patience{60}; ///< generous, since the machine may be busy

/// Polls until the condition holds.
bool eventually(const std::function<bool()>& so);

class SimulatorProcess {
public:
    explicit SimulatorProcess(const std::vector<std::string>& arguments);
    ~SimulatorProcess(); ///< SIGKILL if it is still running
    SimulatorProcess(const SimulatorProcess&) = delete;
    SimulatorProcess& operator=(const SimulatorProcess&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Returns the next line on standard output. Empty after the timeout or at the end of the output.
    [[nodiscard]] std::string line();
    void say(const std::string& sentence);
    void end_input();
    void send_signal(int signal) const;
    /// Waits for the exit; returns the exit status, or -signal.
    [[nodiscard]] int wait();
    [[nodiscard]] std::string errors(); ///< all of standard error; after wait()

private:
    pid_t pid_{-1};
    int in_{-1}, out_{-1}, err_{-1};
    std::string unread_;
};

/// A host that sends real frames on an open port.
class LineHost {
public:
    /// Opens the path as soon as possible.
    explicit LineHost(const std::string& path, std::uint16_t nonce);
    ~LineHost();
    LineHost(const LineHost&) = delete;
    LineHost& operator=(const LineHost&) = delete;

    [[nodiscard]] bool open() const { return line_ >= 0; }
    void write(std::span<const std::uint8_t> bytes) const;
    [[nodiscard]] std::optional<rig::Answer> ask(rigproto::Op op, std::span<const std::uint8_t> payload);
    template <class Message>
    [[nodiscard]] std::optional<rig::Answer> ask_with(rigproto::Op op, const Message& message) {
        rigproto::Frame frame;
        rigproto::append(frame, message);
        return ask(op, frame.payload());
    }
    [[nodiscard]] std::optional<rigproto::HelloReply> hello();
    [[nodiscard]] std::optional<rigproto::StatusReply> status();
    /// Configures the board, and waits until it has started.
    [[nodiscard]] bool configure(std::uint8_t pockets, std::uint8_t ports);
    /// Sends heartbeats until the job has ended; returns true if the job is done.
    [[nodiscard]] bool finish(std::uint32_t job);

private:
    void exchange();
    int line_{-1};
    rig::HostLink link_;
    std::vector<rigproto::JobEvent> done_, failed_;
};

} // namespace mediarig::board
