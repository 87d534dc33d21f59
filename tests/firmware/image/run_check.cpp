// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/firmware/image/run_check.hpp"

#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

namespace mediarig::test {

process::Finished run(const std::string& program, std::vector<std::string> arguments) {
    // Building the image on a busy machine takes time.
    const auto finished = process::run_process(
        {.program = program, .arguments = std::move(arguments), .time_limit = std::chrono::minutes(15)});
    REQUIRE(reason(finished) == "success");
    return *finished;
}

process::Finished run_check(const std::string& script, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), source("tests/firmware/image/" + script));
    arguments.insert(arguments.begin(), "-B"); // no caches next to the sources
    return run("python3", std::move(arguments));
}

std::string source(const std::string& path) {
    return std::string(MEDIARIG_SOURCE_DIR "/") + path;
}

std::string contents(const std::string& file) {
    REQUIRE(std::filesystem::is_regular_file(file));
    return tests::text_of(file);
}

} // namespace mediarig::test
