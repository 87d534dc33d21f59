// SPDX-License-Identifier: GPL-3.0-or-later
/// Analyses the guest's kernel console and QEMU's standard error. Pure except ConsoleFile and tail_of_file.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mediarig::lab {

/// Reads the console incrementally.
class ConsoleWatch {
public:
    void push(std::string_view bytes);
    /// First line that reports a broken kernel: panic, oops, BUG. Excludes lockups: an emulated processor on a busy
    /// computer may be late without a fault.
    [[nodiscard]] const std::optional<std::string>& fatal() const { return fatal_; }
    /// Number of exits of the guest's agent. The virtio port stays open when the agent ends, so the host side of the
    /// port does not notice.
    [[nodiscard]] std::size_t agent_ends() const { return agent_ends_; }
    /// Returns the last three lines, joined to one; printable.
    [[nodiscard]] std::string last_lines() const;

private:
    void end_line();
    std::string line_;
    std::deque<std::string> last_;
    std::optional<std::string> fatal_;
    std::size_t agent_ends_{};
};

/// Reads a console from the file to which a machine appends it.
class ConsoleFile {
public:
    explicit ConsoleFile(std::string path) : path_(std::move(path)) {}
    /// Returns the console with everything that the file contains now.
    const ConsoleWatch& read();
    [[nodiscard]] const ConsoleWatch& last() const { return watch_; }

private:
    std::string path_;
    std::size_t offset_{0};
    ConsoleWatch watch_;
};

/// Returns the last line with text, printable; empty if absent.
[[nodiscard]] std::string last_line(std::string_view text);
/// Returns at most the last 64 KiB; empty if the file cannot be read.
[[nodiscard]] std::string tail_of_file(const std::string& path);

/// Explains QEMU's final error output to the user: names the image that is in use, or the rejected argument.
[[nodiscard]] std::string explain_qemu(std::string_view log);

} // namespace mediarig::lab
