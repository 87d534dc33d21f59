// SPDX-License-Identifier: GPL-3.0-or-later
/// One serial port of the emulated board: a pty for the host on one side, a socket of the emulator on the other.
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "firmware/board/posix/pty.hpp"

namespace mediarig::harness {

class Carrier {
public:
    /// `link`: a symlink to the pty, which stays where it is when the pty changes; empty for none.
    explicit Carrier(std::string link);
    ~Carrier();
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;

    /// The socket's end that the emulator gets; to be closed here once it has it.
    [[nodiscard]] int theirs() const { return theirs_; }
    void started();

    /// The device is on the bus: a pty is there. Fails with one line.
    [[nodiscard]] tl::expected<void, std::string> attach();
    /// It has gone, and the pty with it. Without a link nobody would find it again: then it stays.
    void detach();
    [[nodiscard]] bool attached() const { return line_.has_value(); }
    [[nodiscard]] const std::string& path() const { return line_->path(); }
    [[nodiscard]] const std::string& link() const { return link_.empty() ? line_->path() : link_; }

    /// What to wait for. While nobody has the pty open, waiting for it would never wait.
    [[nodiscard]] pollfd of_line() const;
    [[nodiscard]] pollfd of_emulator() const;
    /// Moves what can be moved; false when the emulator has gone.
    [[nodiscard]] bool carry();

private:
    std::string link_;
    std::optional<board::Pty> line_;
    int own_{-1}, theirs_{-1};
    std::vector<std::uint8_t> to_line_, to_emulator_;
};

} // namespace mediarig::harness
