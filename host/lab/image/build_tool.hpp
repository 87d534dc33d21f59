// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the tools that a build needs: each in a folder, each failure one line.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/guest_image.hpp"

namespace mediarig::lab {

struct ToolCall {
    std::string program;
    std::vector<std::string> arguments;
    std::filesystem::path folder{"/"}; ///< where it runs
    std::string package{};             ///< that has the program, for the error
    std::chrono::seconds time_limit{120};
};

/// What it wrote on standard output. Fails with no_driver (the program is missing; the detail names its package),
/// io_failed (it ended with an error; its first words), timed_out, cancelled.
[[nodiscard]] Result<std::string> run_tool(const ImageOptions& options, const ToolCall& call);
[[nodiscard]] bool has_tool(const ImageOptions& options, const std::string& program);

/// Whole files. Fail with io_failed.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view content);
[[nodiscard]] Result<void> make_folder(const std::filesystem::path& folder);

} // namespace mediarig::lab
