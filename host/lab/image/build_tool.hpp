// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the tools of a build, each in a folder; a failure is reported in one line.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/image_options.hpp"

namespace mediarig::lab {

struct ToolCall {
    std::string program;
    std::vector<std::string> arguments;
    std::filesystem::path folder{"/"}; ///< working folder
    std::string package{};             ///< package that contains the program, for the error
    std::chrono::seconds time_limit{120};
};

/// Returns the standard output. Fails with no_driver (the program is missing; the detail names its package), io_failed
/// (it ended with an error; the detail contains its first output), timed_out, cancelled.
[[nodiscard]] Result<std::string> run_tool(const ImageOptions& options, const ToolCall& call);
[[nodiscard]] bool has_tool(const ImageOptions& options, const std::string& program);

/// Read and write whole files. Fail with io_failed.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& file);
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view content);
[[nodiscard]] Result<void> make_folder(const std::filesystem::path& folder);

} // namespace mediarig::lab
