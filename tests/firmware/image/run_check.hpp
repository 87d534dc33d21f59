// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs the check scripts for images and pin maps in a temporary folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/process/run_process.hpp"

namespace mediarig::test {

class Workplace {
public:
    Workplace();
    ~Workplace();
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

private:
    std::filesystem::path folder_;
};

/// Must start. The caller checks its result.
[[nodiscard]] process::Finished run(const std::string& program, std::vector<std::string> arguments);
/// tests/firmware/image/SCRIPT.
[[nodiscard]] process::Finished run_check(const std::string& script, std::vector<std::string> arguments);
[[nodiscard]] std::string source(const std::string& path);
[[nodiscard]] std::string contents(const std::string& file);
void write(const std::string& file, const std::string& bytes);

} // namespace mediarig::test
