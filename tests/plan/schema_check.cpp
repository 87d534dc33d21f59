// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/plan/schema_check.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

namespace mediarig::plan {

std::optional<std::vector<std::string>> checked_by_schema(const std::vector<std::string>& texts) {
    const auto file = std::filesystem::temp_directory_path() / ("mediarig-plans-" + std::to_string(::getpid()));
    {
        std::ofstream out(file);
        for (const std::string& text : texts) out << nlohmann::json::parse(text).dump() << '\n';
    }
    const std::string root = MEDIARIG_SOURCE_DIR;
    const auto judged = process::run_process({
        .program = "python3",
        .arguments = {root + "/tests/plan/check_by_schema.py", root + "/docs/schemas/plan.schema.json", file.string()},
        .search_path = "/usr/bin:/usr/local/bin", // the distribution's validator needs its own python3
    });
    std::filesystem::remove(file);
    constexpr int no_validator = 77;
    if (!judged || judged->exit_status == no_validator) return std::nullopt;
    INFO(judged->err);
    REQUIRE(judged->succeeded());

    std::vector<std::string> verdicts;
    std::istringstream lines(judged->out);
    for (std::string line; std::getline(lines, line);) verdicts.push_back(line);
    REQUIRE(verdicts.size() == texts.size());
    return verdicts;
}

} // namespace mediarig::plan
