// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_init.hpp"

#include "host/base/process/run_process.hpp"
#include "host/lab/image/virtual_image.hpp"
#include "host/lab/virtual/uml_command_line.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

TEST_CASE("a shell accepts the guests' init scripts") {
    for (const std::string_view script : {guest_init_script(), virtual_init_script()}) {
        const auto read = process::run_process({.program = "sh", .arguments = {"-n", "-c", std::string(script)}});
        REQUIRE(reason(read) == "success");
        CHECK(read->err.empty());
        CHECK(read->exit_status == 0);
    }
}

TEST_CASE("the init script for virtual time answers at the port of the shell after it has opened all ports") {
    const std::string script(virtual_init_script());
    const auto number = [](GuestPort port) { return std::to_string(static_cast<int>(port)); };
    const std::size_t opened =
        script.find("exec 4<>/dev/ttyS0 5<>/dev/ttyS1 6<>/dev/ttyS2\nfor line in 0 1 2; do stty");
    REQUIRE(opened != std::string::npos);
    CHECK(guest_ports == 3);
    CHECK_THAT(script, ContainsSubstring("keep_agent /dev/ttyS" + number(GuestPort::agent) + " "));
    CHECK_THAT(script, ContainsSubstring("mediarig-lab-cards /dev/ttyS" + number(GuestPort::cards) + " "));
    CHECK(GuestPort::shell == GuestPort{2});
    CHECK(script.find("echo \"" + std::string(boot_answer) + " 0 \" >&6") > opened);
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
