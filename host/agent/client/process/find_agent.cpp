// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "host/agent/client/process/process_link.hpp"
#include "host/base/process/own_part.hpp"

namespace mediarig::agent {
namespace {

constexpr const char* program_name = "mediarig-agent";

bool runs(const std::filesystem::path& program) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0;
}

} // namespace

Result<std::string> find_agent_program() {
    std::error_code unknown;
    const auto own = process::own_part(program_name);
    if (runs(own)) return own.string();

    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto program = std::filesystem::absolute(std::filesystem::path(folder) / program_name, unknown);
        if (!folder.empty() && runs(program)) return program.string();
    }
    return fail(Errc::no_driver, "mediarig-agent is neither at " + own.string() +
                                     " nor in PATH: build it, or install the package mediarig-agent");
}

} // namespace mediarig::agent
