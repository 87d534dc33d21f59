// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/machine.hpp"
#include "tests/catch.hpp"

using namespace mediarig::agent;

TEST_CASE("machine: the CPU name is the model name of /proc/cpuinfo") {
    CHECK(cpu_of("processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name\t: Other\n") == "Fast CPU @ 3 GHz");
    CHECK(cpu_of("model name\t:\n") == "");
    // An ARM kernel does not print the line "model name".
    CHECK(cpu_of("processor\t: 0\nCPU implementer\t: 0x41\n") == "");
    CHECK(cpu_of("") == "");
}

TEST_CASE("machine: the agent is privileged if it has CAP_SYS_ADMIN, not if its user id is 0") {
    CHECK(has_sys_admin("Name:\tx\nCapEff:\t000001ffffffffff\n"));
    CHECK(has_sys_admin("CapEff:\t0000000000200000\n"));
    // These are the usual capabilities of root in a container.
    CHECK_FALSE(has_sys_admin("CapEff:\t00000000a80425fb\n"));
    CHECK_FALSE(has_sys_admin("CapEff:\t0000000000000000\n"));
    CHECK_FALSE(has_sys_admin("CapInh:\t000001ffffffffff\n"));
    CHECK_FALSE(has_sys_admin("CapEff:\tzzz\n"));
    CHECK_FALSE(has_sys_admin(""));
}

TEST_CASE("machine: the version of a tool is the first word that looks like a version") {
    CHECK(version_in("exfatprogs version : 1.2.0\n") == "1.2.0");
    CHECK(version_in("mkapfs version 0.1") == "0.1");
    CHECK(version_in("FUSE exfat 1.3.0+git20220115\nCopyright (C) 2010-2018") == "1.3.0+git20220115");
    CHECK(version_in("Usage: fsck.exfat\n -V | --version Show version\nexfatprogs version : 1.2.0") == "1.2.0");
    for (const char* words : {"", "no version", "v1.2", "1.", ".1", "a.b", "2018"}) CHECK_FALSE(version_in(words));
}
