// SPDX-License-Identifier: GPL-3.0-or-later
// A real agent process with media that exist only in it: fake_agent [die-in CALL | hold CALL | exit STATUS WORDS].
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "host/agent/server/serve.hpp"
#include "tests/fakes/fake_media_backend.hpp"

int main(int argc, char** argv) {
    using namespace mediarig::agent;
    const std::vector<std::string> words(argv + 1, argv + argc);
    // Standard output is the connection.
    spdlog::set_default_logger(spdlog::stderr_logger_st("fake_agent"));
    spdlog::set_level(spdlog::level::warn);
    FakeMediaBackend backend;
    backend.media["/dev/sdx"] = fake_medium("/dev/sdx");
    // Gives the test the process id.
    backend.host_name = std::to_string(::getpid());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (words[i] == "die-in") backend.dies_in = words[i + 1];
        if (words[i] == "hold") backend.held = words[i + 1];
        if (words[i] == "exit") {
            std::cerr << "first line\n" << words.at(i + 2) << '\n';
            return std::atoi(words[i + 1].c_str());
        }
    }
    const auto served = serve({STDIN_FILENO, STDOUT_FILENO}, maker_of(backend), nullptr, {});
    if (!served) std::cerr << served.error().detail << '\n';
    return served ? 0 : 1;
}
