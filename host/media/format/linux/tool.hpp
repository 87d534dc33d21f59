// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the programs that make and check file systems, on the held device.
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

/// A program and its Debian package, which messages name if it is missing.
struct Tool {
    std::string program;
    std::string package;
};

/// Environment of every tool run.
struct ToolSetting {
    std::string search_path{process::system_search_path};
    const std::atomic<bool>* cancel{}; ///< stops a running tool when it becomes true; null = cannot be cancelled
    /// Tools need no root rights and no file except the medium.
    std::optional<process::Sandbox> sandbox{process::Sandbox{.capabilities = 0, .only_inherited_files = true}};
};

/// Path of the device for the tool: its own descriptor 3, a duplicate of the claim's.
inline constexpr const char* held_device = "/proc/self/fd/3";

/// Runs `tool` with `arguments`, which use held_device for the medium. Fails with no_driver (not installed: names the
/// package), cancelled, timed_out, io_failed. The caller must check the exit status.
[[nodiscard]] Result<process::Finished> run_tool(const Tool& tool, const std::vector<std::string>& arguments,
                                                 int descriptor, const ToolSetting& setting,
                                                 std::chrono::milliseconds time_limit, const std::string& input = {});

/// One line for each missing tool: "mkfs.exfat is not installed: apt install exfatprogs (looked in …)".
[[nodiscard]] std::vector<std::string> missing_of(std::initializer_list<Tool> tools, const ToolSetting& setting);

/// "1.2.0": the first word of the tool's output that looks like a version, otherwise its first line. Fails like
/// run_tool.
[[nodiscard]] Result<std::string> version_of(const Tool& tool, const std::string& option, const ToolSetting& setting);

/// Like version_of(), from the output of a run: for tools that print their version only at the start of a run.
[[nodiscard]] std::string version_in(const process::Finished& finished);

/// Output lines without empty lines and without the banner of exfatprogs; at most `most`.
[[nodiscard]] std::vector<std::string> lines_of(const process::Finished& finished, std::size_t most);

/// "exit status 1: ERROR OUTPUT", for one-line error messages; standard output if the error output is empty.
[[nodiscard]] std::string failure_of(const process::Finished& finished);

} // namespace mediarig::media
