// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes the line to the host: a pseudo terminal in raw mode, and a symlink to the terminal that is removed when this
/// process ends.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace mediarig::board {

class Pty {
public:
    /// `link`: empty for none; replaces an existing symlink, refuses any other file. Errors: one line.
    [[nodiscard]] static tl::expected<Pty, std::string> open(const std::string& link);
    Pty(Pty&& other) noexcept;
    Pty& operator=(Pty&& other) noexcept;
    ~Pty() { close(); }

    [[nodiscard]] int descriptor() const { return master_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// True if the other end is open. While it is closed, output is dropped, as on a USB line without DTR.
    [[nodiscard]] bool heard() const;
    /// Returns the received bytes; may be empty.
    [[nodiscard]] std::vector<std::uint8_t> read();
    /// Returns the number of bytes written without blocking.
    [[nodiscard]] std::size_t write(std::span<const std::uint8_t> bytes);

private:
    Pty() = default;
    void close();
    [[nodiscard]] std::string make_link(const std::string& link);

    int master_{-1};
    std::string path_, link_;
    int guard_{-1}; ///< a pipe that closes with this process: its reader then removes the link
};

} // namespace mediarig::board
