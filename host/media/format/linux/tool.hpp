// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the programs that make and check file systems, on exactly the device that is held open.
#pragma once

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "host/base/process/run_process.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

/// A program, and the Debian package to name when it is missing.
struct Tool {
    std::string program;
    std::string package;
};

/// What every run of a tool needs from outside.
struct ToolSetting {
    std::string search_path{process::system_search_path};
    const std::atomic<bool>* cancel{}; ///< ends a running tool when it becomes true; null = cannot be cancelled
    /// Tools need no right of root's and no file but the medium.
    std::optional<process::Sandbox> sandbox{process::Sandbox{.capabilities = 0, .only_inherited_files = true}};
};

/// What the tool is told to work on: its own descriptor 3, which is a duplicate of the claim's.
inline constexpr const char* held_device = "/proc/self/fd/3";

/// Runs `tool` with `arguments`, which name held_device where they mean the medium. Fails with no_driver (not
/// installed: names the package), cancelled, timed_out, io_failed. How it ended is the caller's to judge.
[[nodiscard]] Result<process::Finished> run_tool(const Tool& tool, const std::vector<std::string>& arguments,
                                                 int descriptor, const ToolSetting& setting,
                                                 std::chrono::milliseconds time_limit, const std::string& input = {});

/// A line for each that is not installed: "mkfs.exfat is not installed: apt install exfatprogs (looked in …)".
[[nodiscard]] std::vector<std::string> missing_of(std::initializer_list<Tool> tools, const ToolSetting& setting);

/// "1.2.0": the first word of the tool's answer that looks like a version, else its first line. Fails like run_tool.
[[nodiscard]] Result<std::string> version_of(const Tool& tool, const std::string& option, const ToolSetting& setting);

/// The same from what a run said: for tools that name their version in front of their work alone.
[[nodiscard]] std::string version_in(const process::Finished& finished);

/// Output as lines, without empty ones and without the banner of exfatprogs; at most `most`.
[[nodiscard]] std::vector<std::string> lines_of(const process::Finished& finished, std::size_t most);

/// "exit status 1: what it complained about", for one-line error texts; its output where it complained of nothing.
[[nodiscard]] std::string failure_of(const process::Finished& finished);

} // namespace mediarig::media
