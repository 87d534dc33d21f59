// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_init.hpp"

#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

TEST_CASE("a shell accepts the guest's init script") {
    const auto read =
        process::run_process({.program = "sh", .arguments = {"-n", "-c", std::string(guest_init_script())}});
    REQUIRE(reason(read) == "success");
    CHECK(read->err.empty());
    CHECK(read->exit_status == 0);
}

TEST_CASE("init script and host code use the same names") {
    const std::string script(guest_init_script());
    CHECK(script.starts_with("#!/bin/busybox sh\n"));
    CHECK_THAT(script, ContainsSubstring("$(port " + std::string(agent_port) + ")"));
    CHECK_THAT(script, ContainsSubstring("$(port " + std::string(shell_port) + ")"));
    CHECK_THAT(script, ContainsSubstring("say() { echo \"lab: $*\""));
    CHECK_THAT(script, ContainsSubstring("say READY"));
    CHECK_THAT(script, ContainsSubstring("</" + std::string(guest_module_order)));
    CHECK_THAT(script, ContainsSubstring("\"/" + std::string(guest_modules_folder) + "/$module\""));
    CHECK_THAT(script, ContainsSubstring("[ -e /" + std::string(guest_self_check) + " ]"));
}
