// SPDX-License-Identifier: GPL-3.0-or-later
/// A user who may only start the agent attacks the real agent through real sudo.
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"

using namespace mediarig;

namespace {

std::string setting(const char* name, const std::string& usual) {
    const char* const set = std::getenv(name);
    return set != nullptr ? set : usual;
}

const std::vector<std::string> agents{MEDIARIG_AGENT,
#ifdef MEDIARIG_STATIC_AGENT
                                      MEDIARIG_STATIC_AGENT
#endif
};

/// Runs the attack. Returns the reason if this machine cannot run it, else an empty text.
std::string attack(const std::string& agent, const std::string& requests) {
    // The start value repeats a run, except for the order of the scheduler.
    const std::string start = setting("MEDIARIG_PRIVILEGE_START", std::to_string(std::random_device{}()));
    const auto ended = process::run_process(
        {.program = "unshare",
         .arguments = {"--mount", "--propagation", "private", "python3", "-B", MEDIARIG_UNPRIVILEGED_CALLER, agent,
                       MEDIARIG_SOURCE_DIR "/packaging/sudoers.mediarig", start, requests},
         .time_limit = std::chrono::hours(2)});
    REQUIRE(reason(ended) == "success");
    if (ended->exit_status == 77) return process::first_words(*ended);
    std::cout << ended->out;
    CAPTURE(ended->out, ended->err);
    CHECK(ended->succeeded());
    return {};
}

} // namespace

TEST_CASE("an unprivileged caller cannot make the agent exceed the caller's rights") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root to become another user");
    // A thorough run makes tens of thousands of requests.
    const std::string missing = attack(MEDIARIG_AGENT, setting("MEDIARIG_PRIVILEGE_REQUESTS", "400"));
    if (!missing.empty()) MEDIARIG_SKIP(missing);
}

TEST_CASE("an agent that was started by an unknown user refuses to work") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    for (const std::string& agent : agents) {
        CAPTURE(agent);
        const auto ended = process::run_process({.program = "env", .arguments = {"SUDO_UID=61099", agent, "--stdio"}});
        REQUIRE(reason(ended) == "success");
        CHECK_FALSE(ended->signal);
        CHECK(ended->exit_status == 4);
        CHECK_THAT(ended->err, ContainsSubstring("SUDO_UID=61099 is not in the user database"));
    }
}

#ifdef MEDIARIG_STATIC_AGENT
TEST_CASE("the static agent finds its caller and the caller's groups like the dynamic agent") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root to become another user");
    const std::string missing = attack(MEDIARIG_STATIC_AGENT, "0");
    if (!missing.empty()) MEDIARIG_SKIP(missing);
}
#endif
