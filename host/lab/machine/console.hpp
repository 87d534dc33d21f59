// SPDX-License-Identifier: GPL-3.0-or-later
/// What the guest's kernel says on its console, and what QEMU says on its standard error. Pure but for tail_of_file.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace mediarig::lab {

/// Reads the console as it grows.
class ConsoleWatch {
public:
    void push(std::string_view bytes);
    /// The first line that says that the kernel cannot be trusted any more: panic, oops, BUG. A lockup is none: an
    /// emulated processor on a busy computer is late without being broken.
    [[nodiscard]] const std::optional<std::string>& fatal() const { return fatal_; }
    /// How often the guest's agent has ended: its port stays, so that nobody at the other side hears of it.
    [[nodiscard]] std::size_t agent_ends() const { return agent_ends_; }
    /// The last three lines, joined to one; printable.
    [[nodiscard]] std::string last_lines() const;

private:
    void end_line();
    std::string line_;
    std::deque<std::string> last_;
    std::optional<std::string> fatal_;
    std::size_t agent_ends_{};
};

/// The last line that says something, printable; empty where there is none.
[[nodiscard]] std::string last_line(std::string_view text);
/// At most the last 64 KiB; empty where it cannot be read.
[[nodiscard]] std::string tail_of_file(const std::string& path);

/// What QEMU's last words mean for a person: names the image that is in use, or the argument that it refuses.
[[nodiscard]] std::string explain_qemu(std::string_view log);

} // namespace mediarig::lab
