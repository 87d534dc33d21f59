// SPDX-License-Identifier: GPL-3.0-or-later
/// The line to the host: a pseudo terminal in raw mode, and a symlink to it that does not outlive this process.
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
    /// `link`: empty for none; a symlink that is there is replaced, anything else refused. Errors: one line.
    [[nodiscard]] static tl::expected<Pty, std::string> open(const std::string& link);
    Pty(Pty&& other) noexcept;
    Pty& operator=(Pty&& other) noexcept;
    ~Pty() { close(); }

    [[nodiscard]] int descriptor() const { return master_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Somebody has the other end open. While nobody has, what is sent is lost, as on a USB line without DTR.
    [[nodiscard]] bool heard() const;
    /// What has come; empty: nothing now.
    [[nodiscard]] std::vector<std::uint8_t> read();
    /// How many bytes the line took, without waiting.
    [[nodiscard]] std::size_t write(std::span<const std::uint8_t> bytes);

private:
    Pty() = default;
    void close();
    [[nodiscard]] std::string make_link(const std::string& link);

    int master_{-1};
    std::string path_, link_;
    int guard_{-1}; ///< a pipe that ends with this process: whoever reads it removes the link then
};

} // namespace mediarig::board
