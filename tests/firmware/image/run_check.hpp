// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the check scripts for images and pin maps.
#pragma once

#include <string>
#include <vector>

#include "host/base/process/run_process.hpp"

namespace mediarig::test {

/// Runs a program, which must start. The caller checks its result.
[[nodiscard]] process::Finished run(const std::string& program, std::vector<std::string> arguments);
/// Runs the script tests/firmware/image/SCRIPT.
[[nodiscard]] process::Finished run_check(const std::string& script, std::vector<std::string> arguments);
[[nodiscard]] std::string source(const std::string& path);
/// Returns the contents of a file, which must exist.
[[nodiscard]] std::string contents(const std::string& file);

} // namespace mediarig::test
