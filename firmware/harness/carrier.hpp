// SPDX-License-Identifier: GPL-3.0-or-later
/// One serial port of the emulated board. It connects a pty for the host with a socket for the emulator.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "firmware/board/posix/pty.hpp"

namespace mediarig::harness {

class EmulatedSerialPort {
public:
    /// `link`: a symlink to the pty, which stays at its path when the pty changes; empty for none.
    explicit EmulatedSerialPort(std::string link);
    ~EmulatedSerialPort();
    EmulatedSerialPort(const EmulatedSerialPort&) = delete;
    EmulatedSerialPort& operator=(const EmulatedSerialPort&) = delete;

    /// The emulator's end of the socket. started() closes it in this process.
    [[nodiscard]] int theirs() const { return theirs_; }
    void started();

    /// The device has appeared on the bus: creates a pty. The error is one line.
    [[nodiscard]] tl::expected<void, std::string> attach();
    /// The device has disappeared: closes the pty. Without a link the host could not find it again, so it stays open.
    void detach();
    [[nodiscard]] bool attached() const { return line_.has_value(); }
    [[nodiscard]] const std::string& path() const { return line_->path(); }
    [[nodiscard]] const std::string& link() const { return link_.empty() ? line_->path() : link_; }

    /// Descriptors to poll. A closed pty is excluded: polling it would return at once.
    [[nodiscard]] pollfd line_poll() const;
    [[nodiscard]] pollfd emulator_poll() const;
    /// Transfers all available data; returns false if the emulator has ended.
    [[nodiscard]] bool carry();

private:
    std::string link_;
    std::optional<board::Pty> line_;
    int own_{-1}, theirs_{-1};
    std::vector<std::uint8_t> to_line_, to_emulator_;
};

} // namespace mediarig::harness
