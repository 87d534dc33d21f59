// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/firmware/image/run_check.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/catch.hpp"

namespace mediarig::test {

Workplace::Workplace() {
    std::string name = (std::filesystem::temp_directory_path() / "mediarig-image-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
}

Workplace::~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

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
    std::ifstream in(file, std::ios::binary);
    REQUIRE(in);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

void write(const std::string& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << bytes;
    out.close();
    REQUIRE(out);
}

} // namespace mediarig::test
